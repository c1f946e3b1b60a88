"""The AWS emulator as a child process: one directory, one port, loopback only, nothing left behind.

Guarantees: it listens on 127.0.0.1 alone; `stop` (and the death of this process) lets it save its state; after
`stop` neither it nor any function worker of it is alive.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from infra.local.emulator_env import environment
from infra.local.processes import Process, in_group
from infra.local.sockets import HOST, free_port, in_use, responds
from infra.local.state_dir import LocalStackError, StateDir

START_SECONDS = 120.0
SAVE_SECONDS = 20.0
RESTORE_FAILED = ("Failed to restore persisted state", "Persistence: failed to load", "refusing to load")


class Emulator:
    """One run of the emulator over a `LocalHome`; start it once, stop it once."""

    def __init__(self, home: StateDir, *, port: int | None = None) -> None:
        self.home = home
        self._preferred_port = port
        self._lock: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def endpoint(self) -> str:
        """The one URL of every AWS service."""
        return f"http://{HOST}:{self.port}"

    def start(self, *, fresh: bool = False) -> None:
        """Start it and wait until it answers. `fresh` forgets what an earlier run saved.

        Raises LocalStackError when the directory or its port is taken, or the saved state is another version's.
        """
        self.home.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = self.home.lock()
        try:
            if fresh:
                self.home.wipe()
            self.home.prepare()
            self.port = self._choose_port()
            self._launch()
            self._await_health()
            self._check_restore()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Let it save its state and go; then end what is left of its process group. Safe to call twice."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(SAVE_SECONDS)
            self._end_group(process)
            shutil.rmtree(self.home.tmp, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process is not None and self._process.poll() is None

    def processes(self) -> list[Process]:
        """The emulator and its function workers."""
        return in_group(self._process.pid) if self._process is not None else []

    def workers(self, function_name: str) -> list[int]:
        """Process ids of one function's workers, for tests that kill one."""
        marker = f"ministack-lambda-{function_name}-"
        return [process.pid for process in self.processes() if marker in process.command]

    def _choose_port(self) -> int:
        """The port of the saved state if there is one, since queue URLs and event sources carry it."""
        saved = self.home.read("emulator.json")
        installed = version("ministack")
        if self.home.state.exists() and saved.get("version") != installed:
            raise LocalStackError(
                f"the state in {self.home.root} is of emulator {saved.get('version', 'unknown')}, installed is "
                f"{installed}; start with --fresh, which forgets the jobs and tenants in it"
            )
        preferred = (
            self._preferred_port if self._preferred_port and not in_use(self._preferred_port) else free_port()
        )
        port = int(saved.get("port", preferred)) if self.home.state.exists() else preferred
        if in_use(port):
            raise LocalStackError(
                f"port {port}, which the state in {self.home.root} is bound to, is taken; free it, or start with "
                "--fresh, which forgets the jobs and tenants in it"
            )
        self.home.write("emulator.json", {"port": port, "version": installed})
        return port

    def _launch(self) -> None:
        assert self._lock is not None
        with self.home.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - nothing in it comes from outside
                # -P keeps the project's directory out of the import path; see emulator_child.
                [sys.executable, "-P", str(Path(__file__).with_name("emulator_child.py"))],
                cwd=self.home.tmp,
                env=environment(port=self.port, state=self.home.state, tmp=self.home.tmp),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(self._lock,),
                start_new_session=True,
            )

    def _await_health(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self.alive() and time.monotonic() < deadline:
            if responds(self.port, "/_ministack/health"):
                return
            time.sleep(0.05)
        raise LocalStackError(f"the emulator did not start; see {self.home.log}")

    def _check_restore(self) -> None:
        """The emulator goes on without what it could not read, which would look like lost jobs."""
        log = self.home.log.read_text(errors="replace")
        errors = [line for line in log.splitlines() if any(sign in line for sign in RESTORE_FAILED)]
        if errors and self._process is not None:
            # Without the save that an orderly stop makes: it would put nothing over what is there.
            self._process.kill()
            raise LocalStackError(
                f"the state in {self.home.root} cannot be restored ({errors[0].strip()}); start with --fresh, which "
                "forgets the jobs and tenants in it"
            )

    def _end_group(self, process: subprocess.Popen[bytes]) -> None:
        """Workers end by themselves when their input closes, unless one is in the middle of a call."""
        deadline = time.monotonic() + 2.0
        while (survivors := in_group(process.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        if survivors:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdin:
            process.stdin.close()
