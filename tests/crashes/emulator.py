"""The emulator of SQS and KMS, on the shared clock: its delays and visibility timeouts pass when the test says so."""

import os
import runpy
import subprocess
import sys
import threading
import time
from pathlib import Path

from infra.local.emulator_env import environment
from infra.local.sockets import HOST, free_port, responds
from infra.local.state_dir import PROJECT_ROOT, LocalStackError
from tests.crashes.clock import SharedClock

START_SECONDS = 60.0
CLOCK = "CRASHES_CLOCK"


class ClockedEmulator:
    """A child process that forgets everything when it stops, which it does when its input closes."""

    def __init__(self, root: Path, clock: SharedClock) -> None:
        self.port = free_port()
        self._log = root / "emulator.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.crashes.emulator"],
                cwd=PROJECT_ROOT,
                env=environment(port=self.port, state=root / "state", tmp=root)
                | {CLOCK: str(clock.path), "PERSIST_STATE": "0"},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def endpoint(self) -> str:
        """The one URL of every AWS service."""
        return f"http://{HOST}:{self.port}"

    def await_answer(self) -> None:
        """Wait until it answers; LocalStackError if it does not."""
        deadline = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            if responds(self.port, "/_ministack/health"):
                return
            time.sleep(0.05)
        raise LocalStackError(f"the emulator did not start: {self._log.read_text(errors='replace')[-500:]}")

    def stop(self) -> None:
        """End it; nothing in it is needed any more."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()


def end_with_parent() -> None:
    """Our input is a pipe that whoever started us holds open and never writes to."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(0)


def main() -> None:
    """Be the emulator, with time as the shared clock tells it."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    time.time = SharedClock(Path(os.environ[CLOCK])).seconds
    runpy.run_module("ministack", run_name="__main__")


if __name__ == "__main__":
    main()
