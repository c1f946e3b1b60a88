"""Kills and stops processes at random, preferably in the middle of an invocation."""

import random
import signal
import threading
import time
from collections import Counter

from tests.crashes.deployment import Worker
from tests.crashes.process_pool import Sandbox

PAUSE_SECONDS = (0.05, 1.0)
WEIGHTS = {
    "executor": 6,
    "api": 3,
    "watcher": 2,
    "sweeper": 2,
    "redriver": 1,
    "dead_letter": 1,
    "event_receiver": 2,
    "reconciler": 1,
    "archiver": 1,
    "auditor": 1,
}
LOOK_SECONDS = 0.5
"""How long to wait for a chosen worker to be in an invocation; idle ones are hit too, but less."""
DEEP_SECONDS = (0.0, 0.005, 0.02, 0.06, 0.2, 1.0)
"""How far into the invocation."""
SHARE_STOPPED = 0.35
LONGEST_STOP_SECONDS = 16.0
"""Twice the longest lease of the load."""


class ProcessKiller:
    """One thread; the same seed makes the same choices, though never the same run."""

    def __init__(self, workers: dict[str, list[Worker]], seed: int) -> None:
        self.kills: Counter[str] = Counter()
        self.stops: Counter[str] = Counter()
        self._workers = workers
        self._rng = random.Random(seed)
        self._done = threading.Event()
        self._stopped: list[tuple[float, Sandbox]] = []
        self._thread = threading.Thread(target=self._work, name="process killer")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Heal: nothing more is hit, and what stands still goes on."""
        self._done.set()
        self._thread.join()
        for _, sandbox in self._stopped:
            sandbox.signal(signal.SIGCONT)

    def _work(self) -> None:
        while not self._done.wait(self._rng.uniform(*PAUSE_SECONDS)):
            self._resume()
            (function,) = self._rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
            worker = self._rng.choice(self._workers[function])
            self._hit(function, worker)

    def _hit(self, function: str, worker: Worker) -> None:
        deadline = time.monotonic() + LOOK_SECONDS
        while not worker.is_busy and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(self._rng.choice(DEEP_SECONDS))
        sandbox = worker.sandbox
        if sandbox is None:
            return
        if self._rng.random() >= SHARE_STOPPED:
            self.kills[function] += sandbox.signal(signal.SIGKILL)
        elif sandbox.signal(signal.SIGSTOP):
            self.stops[function] += 1
            until = time.monotonic() + self._rng.uniform(0.5, LONGEST_STOP_SECONDS)
            self._stopped.append((until, sandbox))

    def _resume(self) -> None:
        now = time.monotonic()
        for until, sandbox in self._stopped:
            if until <= now:
                sandbox.signal(signal.SIGCONT)
        self._stopped = [(until, sandbox) for until, sandbox in self._stopped if until > now]
