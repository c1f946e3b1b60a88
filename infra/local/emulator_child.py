"""The entry point of the emulator's process: the emulator and two helper threads.

This file is started by path, never imported. The project must not be importable in this process: the
functions' workers inherit the import path and would find modules that their bundle lacks.
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
    """Stop the emulator in an orderly way when the parent process dies, even if it was killed.

    Standard input is a pipe that the parent keeps open and never writes to.
    """
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def wake_event_sources() -> None:
    """Deliver a delayed message to its function as soon as its delay ends.

    The emulator polls its queues when a message is sent, and otherwise once per second. AWS keeps long polls
    open and therefore delivers a message as soon as it is visible.
    """
    wake = importlib.import_module("ministack.core.concurrency").esm_wake
    while True:
        time.sleep(EVENT_SOURCE_POLL_SECONDS)
        wake.set()


def main() -> None:
    """Run the emulator until SIGTERM, on which it saves its state."""
    for target in (stop_with_parent, wake_event_sources):
        threading.Thread(target=target, daemon=True, name=target.__name__).start()
    runpy.run_module("ministack", run_name="__main__")


if __name__ == "__main__":
    main()
