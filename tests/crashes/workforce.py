"""Receivers under load that said that they work on: they give signs of life and report, or are never heard of again."""

import heapq
import random
import threading
import time
from itertools import count

from tests.crashes.arrivals import Arrival, ArrivalLog
from tests.crashes.behaviours import ASYNC_ACCEPTED
from tests.crashes.clock import SharedClock
from tests.crashes.reader import Send
from tests.crashes.reports import Receivers, Verb

LOOK_SECONDS = 0.1
SHARE_SILENT = 0.15
STEP_SECONDS = (0.0, 13.0)
"""Between two signs of life: longer than a lease at times, so that some come too late."""
HEARTBEATS = (0, 0, 1, 3)
OUTCOMES = (Verb.COMPLETE,) * 7 + (Verb.FAIL, Verb.FAIL, Verb.GIVE_UP)

Task = tuple[float, int, Arrival, list[Verb]]
"""When the next report of a call is due, and which are left."""


class Workforce:
    """One thread, with an API process of its own, for all of them."""

    def __init__(self, clock: SharedClock, log: ArrivalLog, send: Send, seed: int) -> None:
        self.receivers = Receivers(clock, send)
        self._log = log
        self._rng = random.Random(seed)
        self._seen = 0
        self._tasks: list[Task] = []
        self._tie = count()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, name="workforce")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the report under way; whoever has not reported yet never will."""
        self._done.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._done.wait(LOOK_SECONDS):
            self._take_on()
            while self._tasks and self._tasks[0][0] <= time.monotonic() and not self._done.is_set():
                _, _, call, (verb, *left) = heapq.heappop(self._tasks)
                self.receivers.report(call, verb)
                self._go_on(call, left)

    def _take_on(self) -> None:
        """What has come since the last look."""
        arrivals = self._log.arrivals()[self._seen :]
        self._seen += len(arrivals)
        for call in arrivals:
            if call.status == ASYNC_ACCEPTED and self._rng.random() >= SHARE_SILENT:
                heartbeats = [Verb.HEARTBEAT] * self._rng.choice(HEARTBEATS)
                self._go_on(call, [*heartbeats, self._rng.choice(OUTCOMES)])

    def _go_on(self, call: Arrival, left: list[Verb]) -> None:
        if left:
            due_at = time.monotonic() + self._rng.uniform(*STEP_SECONDS)
            heapq.heappush(self._tasks, (due_at, next(self._tie), call, left))
