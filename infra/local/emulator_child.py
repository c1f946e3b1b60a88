"""What runs inside the emulator's process: the emulator itself, and two threads that it needs.

Started by path, never imported: the project must not be importable in this process, because the functions'
workers run in the same interpreter and would then find modules that their bundle lacks.
"""

import importlib
import os
import runpy
import signal
import sys
import threading
import time

EVENT_SOURCE_POLL_SECONDS = 0.1


def stop_with_parent() -> None:
    """Stop in good order when whoever started us is gone, however it went.

    Our standard input is a pipe that the parent holds open and never writes to.
    """
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def wake_event_sources() -> None:
    """Let a delayed message reach its function when its delay ends.

    The emulator looks at its queues when a message is sent, and otherwise once a second. AWS holds long polls
    open, so there a message is taken at once when it becomes visible.
    """
    wake = importlib.import_module("ministack.core.concurrency").esm_wake
    while True:
        time.sleep(EVENT_SOURCE_POLL_SECONDS)
        wake.set()


def main() -> None:
    """Run the emulator in this process until SIGTERM, which makes it save its state."""
    for target in (stop_with_parent, wake_event_sources):
        threading.Thread(target=target, daemon=True, name=target.__name__).start()
    runpy.run_module("ministack", run_name="__main__")


if __name__ == "__main__":
    main()
