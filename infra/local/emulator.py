"""Runs the AWS emulator as a child process, with one state directory and one port.

Guarantees: the emulator listens on 127.0.0.1 only. It saves its state on `stop`, and when this process dies.
After `stop`, neither the emulator nor any of its function workers is alive.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

from infra.local.clock_offset import clock_variables
from infra.local.emulator_env import environment
from infra.local.processes import Process, in_group
from infra.local.sockets import HOST, free_port, in_use, responds
from infra.local.state_dir import LocalStackError, StateDir

START_SECONDS = 120.0
GRACE_SECONDS = 1.0
SAVE_SECONDS = 20.0
KILL_SECONDS = 2.0
TABLES = 3
"""Raise it with a release that cannot keep the tables, the buckets or the key of a saved state."""
RESTORE_FAILED = ("Failed to restore persisted state", "Persistence: failed to load", "refusing to load")


class Emulator:
    """A run of the emulator with a `StateDir`; start and stop it once."""

    def __init__(
        self,
        home: StateDir,
        *,
        port: int | None = None,
        clock_offset: int = 0,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`clock_offset` seconds are added to the clock of the emulator and of all functions. `variables` are those
        that the functions have in this run, beside those that they were deployed with."""
        self.home = home
        self.clock_offset = clock_offset
        self._variables = variables
        self._preferred_port = port
        self._lock: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}"

    def start(self, *, fresh: bool = False) -> None:
        """Start the emulator and wait until it responds. `fresh` deletes the saved state.

        Raises LocalStackError if the directory or its port is in use, or if the state was saved by another
        version or under another clock offset.
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
        """Let the emulator save its state and exit, then kill its remaining process group.

        Safe to call twice.
        """
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            self._await_end(process)
            self._end_group(process)
            self.home.discard_tmp()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def processes(self) -> list[Process]:
        """Return the emulator's process and its function workers."""
        return in_group(self._process.pid) if self._process is not None else []

    def workers(self, function_name: str) -> list[int]:
        """Return the process ids of a function's workers, for tests that kill a worker."""
        marker = f"ministack-lambda-{function_name}-"
        return [process.pid for process in self.processes() if marker in process.command]

    def _choose_port(self) -> int:
        """Reuse the port of the saved state, because queue URLs and event sources contain it."""
        saved = self.home.read("emulator.json")
        installed = version("ministack")
        if self.home.state.exists() and saved.get("version") != installed:
            raise LocalStackError(
                f"emulator {saved.get('version', 'unknown')} saved the state in {self.home.root}, but "
                f"{installed} is installed; start with --fresh, which deletes its jobs and tenants"
            )
        if self.home.state.exists() and saved.get("tables") != TABLES:
            raise LocalStackError(
                f"the tables and buckets in {self.home.root} are those of another release; start with --fresh, "
                "which deletes its jobs and tenants, or name another directory with --home"
            )
        # Jobs that are filed while the clock goes back can belong to buckets that no sweep reads again.
        offset = saved.get("clock_offset", 0)
        if self.home.state.exists() and offset != self.clock_offset:
            raise LocalStackError(
                f"the state in {self.home.root} has the clock offset {offset}; start with --clock-offset "
                f"{offset}, name another directory with --home, or add --fresh, which deletes its jobs and tenants"
            )
        preferred = self._preferred_port
        if not preferred or in_use(preferred):
            preferred = free_port()
        port = int(saved.get("port", preferred)) if self.home.state.exists() else preferred
        if in_use(port):
            raise LocalStackError(
                f"port {port} of the state in {self.home.root} is in use; free it, or start with --fresh, "
                "which deletes its jobs and tenants"
            )
        self.home.write(
            "emulator.json",
            {"port": port, "version": installed, "tables": TABLES, "clock_offset": self.clock_offset},
        )
        return port

    def _launch(self) -> None:
        assert self._lock is not None
        with self.home.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - no external input
                # -P keeps the project directory out of the import path; see emulator_child.
                [sys.executable, "-P", str(Path(__file__).with_name("emulator_child.py"))],
                cwd=self.home.tmp,
                env=environment(port=self.port, state=self.home.state, tmp=self.home.tmp)
                | clock_variables(self.clock_offset)
                | dict(self._variables),
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
        """Fail if the emulator could not read its saved state.

        It would continue without it, as if jobs were lost.
        """
        log = self.home.log.read_text(errors="replace")
        errors = [line for line in log.splitlines() if any(sign in line for sign in RESTORE_FAILED)]
        if errors and self._process is not None:
            # Kill without the save of an orderly stop, which would overwrite the state with an empty one.
            self._process.kill()
            raise LocalStackError(
                f"the state in {self.home.root} cannot be restored ({errors[0].strip()}); start with --fresh, "
                "which deletes its jobs and tenants"
            )

    def _await_end(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait until the emulator has saved its state, and kill the workers that hold it up.

        The emulator finishes the requests in progress, while a worker that starts waits for the emulator.
        """
        deadline = time.monotonic() + SAVE_SECONDS
        seconds = GRACE_SECONDS
        while not _ends(process, seconds) and time.monotonic() < deadline:
            _kill([worker for worker in in_group(process.pid) if worker.pid != process.pid])
            seconds = 0.1

    def _end_group(self, process: subprocess.Popen[bytes]) -> None:
        """Kill what is left of the group: workers achieve nothing more without the emulator."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        deadline = time.monotonic() + KILL_SECONDS
        while in_group(process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.wait()
        if process.stdin:
            process.stdin.close()


def _ends(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Wait at most so long, and return whether the process has ended."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill(processes: list[Process]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
