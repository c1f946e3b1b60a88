"""Continuous load: clients that create, cancel and delete jobs of all kinds, each with an API process of its own."""

import heapq
import random
import threading
import time
from collections.abc import Callable
from itertools import count

from tests.crashes.clock import SharedClock
from tests.crashes.orders import Clients, Order, Send

PACE_SECONDS = 0.6
SHARE_RECURRING, SHARE_CANCEL, SHARE_BURIED = 0.05, 0.2, 0.05
BEHAVIOURS = ("ok",) * 12 + ("flaky",) * 3 + ("fails", "slow", "slow", "slowfails")
DELAYS = (0, 1, 2, 5, 10, 20, 40, 90, 135, 180)
RATES = (2, 5, 10, 30)
LIFETIME_SECONDS = (15, 90)
LANES = ("standard",) * 4 + ("critical",)
TIMEOUTS = (2, 3)
LONGEST_TIMEOUT_SECONDS = max(TIMEOUTS)

Bury = Callable[[Order], None]
"""Puts a message of a one-off job of the standard lane among the dead letters, as if it had come back too often."""


class Customer:
    """One client at work in a thread of its own until it is told to stop."""

    def __init__(self, clock: SharedClock, url: str, send: Send, bury: Bury, seed: int) -> None:
        self.clients = Clients(clock, url, send)
        self._bury = bury
        self._standard: list[Order] = []
        self._rng = random.Random(seed)
        self._done = threading.Event()
        self._deletions: list[tuple[float, int, Order]] = []
        self._tie = count()
        self._thread = threading.Thread(target=self._work, name=f"customer-{seed}")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the request under way; what recurs goes on."""
        self._done.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._done.wait(self._rng.expovariate(1 / PACE_SECONDS)):
            if self._deletions and self._deletions[0][0] < time.monotonic():
                self.clients.cancel(heapq.heappop(self._deletions)[2])
                continue
            draw = self._rng.random()
            if draw < SHARE_RECURRING:
                self._recurring()
            elif draw < SHARE_RECURRING + SHARE_CANCEL:
                self._cancel()
            elif draw < SHARE_RECURRING + SHARE_CANCEL + SHARE_BURIED and self._standard:
                self._bury(self._rng.choice(self._standard[-20:]))
            else:
                self._one_off()

    def _one_off(self) -> None:
        lane = self._rng.choice(LANES)
        order = self.clients.order(
            {"delay_seconds": self._rng.choice(DELAYS)},
            self._rng.choice(BEHAVIOURS),
            keyed=self._rng.random() < 0.5,
            max_attempts=self._rng.choice((1, 2, 3, 5)),
            timeout_seconds=self._rng.choice(TIMEOUTS),
            base_seconds=self._rng.choice((1, 5)),
            lane=lane,
        )
        if lane == LANES[0] and order.job_id is not None:
            self._standard.append(order)

    def _recurring(self) -> None:
        order = self.clients.order(
            {"rate_seconds": self._rng.choice(RATES)},
            self._rng.choice(BEHAVIOURS),
            max_attempts=self._rng.choice((1, 3)),
            timeout_seconds=self._rng.choice(TIMEOUTS),
        )
        delete_at = time.monotonic() + self._rng.uniform(*LIFETIME_SECONDS)
        heapq.heappush(self._deletions, (delete_at, next(self._tie), order))

    def _cancel(self) -> None:
        recent = [
            order
            for order in self.clients.orders[-20:]
            if not order.is_recurring and order.cancel_acked_at is None
        ]
        if recent:
            self.clients.cancel(self._rng.choice(recent), stop_retries=self._rng.random() < 0.3)
