"""Load of events under chaos: one after the other for one job, some of them delivered twice."""

import random
import threading

from tests.crashes.bus_events import BusEvents
from tests.crashes.clients import Clients
from tests.crashes.clock import SharedClock
from tests.crashes.deployment import Deployment
from tests.crashes.reader import Send

PACE_SECONDS = 1.0
RATE_SECONDS = 60
SHARE_TWICE = 0.2


class EventLoad:
    """One thread, with an API process of its own for the job and its trigger."""

    def __init__(self, deployment: Deployment, clock: SharedClock, url: str, send: Send, seed: int) -> None:
        self.clients = Clients(clock, url, send)
        self.events = BusEvents(deployment, self.clients, send)
        self._rng = random.Random(seed)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, name="events")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Send no more."""
        self._done.set()
        self._thread.join()

    def _work(self) -> None:
        order = self.clients.order({"rate_seconds": RATE_SECONDS})
        if order.job_id is None:
            return
        job = self.events.trigger(order)
        while not self._done.wait(self._rng.expovariate(1 / PACE_SECONDS)):
            self.events.send(job, times=1 + (self._rng.random() < SHARE_TWICE))
