"""Starting, asking, killing and stopping the processes that run the handlers."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from infra.local.state_dir import PROJECT_ROOT
from tests.crashes.crash_points import CrashPoint

LONGEST_SECONDS = 75.0
"""Lambda ends an executor after so long; a sandbox that was stopped for longer is killed."""


class SandboxDiedError(RuntimeError):
    """The process ended in the middle of an invocation."""


class DeniedError(AssertionError):
    """A handler made a call that its role does not allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What came of one event."""

    answer: Any
    error: str | None
    calls: list[str]
    struck: bool
    used: list[str]
    """The grants that it used; also of calls of the handler's import."""
    denied: list[str]


class Sandbox:
    """One process with one handler."""

    def __init__(self, process_pool: "ProcessPool", pid: int, pipe: Connection) -> None:
        self._process_pool = process_pool
        self._pid = pid
        self._pipe = pipe
        self._lock = threading.Lock()
        self._is_reaped = False

    def invoke(self, event: Any, point: CrashPoint | None = None) -> Invocation:
        """Hand over one event and wait for the answer; SandboxDiedError if the process ends instead."""
        asked = {"event": event, "point": point.to_json() if point else None}
        try:
            self._pipe.send_bytes(json.dumps(asked).encode())
            if not self._pipe.poll(LONGEST_SECONDS):
                self.signal(signal.SIGKILL)
            invocation = Invocation(**json.loads(self._pipe.recv_bytes()))
        except (EOFError, OSError) as fault:
            self.end()
            raise SandboxDiedError from fault
        self._process_pool.used |= {*invocation.used}
        if invocation.denied:
            raise DeniedError(f"calls without a grant: {', '.join(invocation.denied)}")
        return invocation

    def signal(self, number: signal.Signals) -> bool:
        """Send a signal, unless the process is dead and reaped."""
        with self._lock:
            if not self._is_reaped:
                os.kill(self._pid, number)
            return not self._is_reaped

    def end(self) -> None:
        """Kill it if it lives. Safe to call twice."""
        with self._lock:
            if self._is_reaped:
                return
            os.kill(self._pid, signal.SIGKILL)
            self._process_pool.reap(self._pid)
            self._is_reaped = True
            self._pipe.close()


class ProcessPool:
    """The process that all sandboxes are forked from."""

    def __init__(self, environment: Mapping[str, str], clock: Path, logs: Path) -> None:
        self.used: set[str] = set()
        """The grants that finished invocations used."""
        self._clock = clock
        self._logs = logs
        logs.mkdir()
        log = self.log("process_pool")
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.crashes.sandbox", str(theirs.fileno())],
                cwd=PROJECT_ROOT,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        theirs.close()
        if self._control.recv(16) != b"ready":
            raise RuntimeError(f"the workers did not start: {log.read_text()[-1000:]}")

    def log(self, function: str) -> Path:
        """What the processes of one function print, all of them into one file."""
        return self._logs / f"{function}.log"

    def sandbox(self, module: str, environment: Mapping[str, str]) -> Sandbox:
        """A new process with this handler."""
        ours, theirs = Pipe()
        asked = {
            "module": module,
            "environment": dict(environment),
            "clock": str(self._clock),
            "log": str(self.log(module.split(".")[1])),
        }
        with self._lock:
            socket.send_fds(self._control, [json.dumps(asked).encode()], [theirs.fileno()])
            pid = int(self._control.recv(16))
        theirs.close()
        return Sandbox(self, pid, ours)

    def reap(self, pid: int) -> None:
        """Let the system forget a dead child."""
        with self._lock:
            self._control.sendall(json.dumps({"reap": pid}).encode())
            self._control.recv(16)

    def stop(self) -> None:
        """End it, and with it every sandbox."""
        self._control.close()
        self._process.wait(10)
