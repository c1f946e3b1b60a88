"""Continuous load: clients that create, change and cancel jobs of all kinds, each with an API process of its own."""

import heapq
import random
import threading
import time
from collections.abc import Callable
from itertools import count

from tests.crashes.clients import Clients
from tests.crashes.clock import SharedClock
from tests.crashes.drawn import Draw
from tests.crashes.orders import Order
from tests.crashes.reader import Send

PACE_SECONDS = 0.6
LIFETIME_SECONDS = (15, 90)
RECENT = 20

Bury = Callable[[Order], None]
"""Puts a message of a one-off job of the standard lane among the dead letters, as if it had come back too often."""


class Customer:
    """One client at work in a thread of its own until it is told to stop."""

    def __init__(self, clock: SharedClock, url: str, send: Send, bury: Bury, seed: int) -> None:
        self.clients = Clients(clock, url, send)
        self._bury = bury
        self._clock = clock
        self._rng = random.Random(seed)
        self._draw = Draw(self._rng)
        self._done = threading.Event()
        self._deletions: list[tuple[float, int, Order]] = []
        self._tie = count()
        self._thread = threading.Thread(target=self._work, name=f"customer-{seed}")
        self._shares: dict[Callable[[], None], float] = {
            self._one_off: 0.47,
            self._batch: 0.06,
            self._recurring: 0.05,
            self._live: 0.12,
            self._change: 0.12,
            self._cancel: 0.13,
            self._bury_one: 0.05,
        }

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the request under way; what recurs goes on, or stays paused."""
        self._done.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._done.wait(self._rng.expovariate(1 / PACE_SECONDS)):
            if self._deletions and self._deletions[0][0] < time.monotonic():
                self.clients.cancel(heapq.heappop(self._deletions)[2])
                continue
            (act,) = self._rng.choices(list(self._shares), list(self._shares.values()))
            act()

    def _one_off(self) -> None:
        self.clients.create(self._draw.one_off(), keyed=self._rng.random() < 0.5)

    def _batch(self) -> None:
        criteria = [self._draw.one_off() for _ in range(self._rng.randint(1, 8))]
        if self._rng.random() < 0.3:
            criteria.append(self._draw.recurring())
        self._let_live(self.clients.batch(*criteria)[-1])

    def _recurring(self) -> None:
        self._let_live(self.clients.create(self._draw.recurring()))

    def _let_live(self, order: Order) -> None:
        if order.is_recurring:
            delete_at = time.monotonic() + self._rng.uniform(*LIFETIME_SECONDS)
            heapq.heappush(self._deletions, (delete_at, next(self._tie), order))

    def _live(self) -> None:
        """What is done to a recurring job: paused, resumed, changed, run once more."""
        live = [order for _, _, order in self._deletions if order.job_id is not None]
        if not live:
            return
        order = self._rng.choice(live)
        draw = self._rng.random()
        if draw < 0.4:
            self.clients.trigger(order)
        elif draw < 0.6:
            revision = self.clients.revision(order)
            self.clients.change(order, revision, payload=self._draw.payload())
        elif order.is_paused:
            self.clients.resume(order)
        else:
            self.clients.pause(order)

    def _change(self) -> None:
        """Another content, another time or both; a job that is due may have begun."""
        recent = self._recent()
        if recent:
            order = self._rng.choice(recent)
            payload, seconds = self._draw.change()
            at = None if seconds is None else self._clock.now_ms() + seconds * 1000
            self.clients.change(order, self.clients.revision(order), payload=payload, at=at)

    def _cancel(self) -> None:
        recent = self._recent()
        if recent:
            self.clients.cancel(self._rng.choice(recent), stop_retries=self._rng.random() < 0.3)

    def _bury_one(self) -> None:
        buried = [order for order in self._recent() if order.lane == "standard"]
        if buried:
            self._bury(self._rng.choice(buried))

    def _recent(self) -> list[Order]:
        return [
            order
            for order in self.clients.orders[-RECENT:]
            if not order.is_recurring and order.job_id is not None and order.cancel_acked_at is None
        ]
