"""The receivers' log: what was called, when by the clock of the run, and how it was answered."""

import json
import threading
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from infra.local.calls import Call
from infra.local.receiver import Receiver, Reply
from tests.crashes.behaviours import DRAG_SECONDS, drags, reply_to
from tests.crashes.clock import SharedClock


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One call as it came."""

    path: str
    job_id: str
    execution_id: str
    attempt: int
    scheduled_at: int
    began_at: int
    status: int
    genuine: bool
    payload: Any = ""
    token: str = ""
    """With which the receiver may report on this attempt."""
    destination: str = ""
    """The root of the URL that was called."""
    batch: int = 0
    """Which batch of messages it was made for: all calls of one are made at once."""
    queue: str = ""
    """From which queue that batch came."""


class ArrivalLog:
    """What the receivers of one stage heard. They answer as their paths say."""

    def __init__(self, clock: SharedClock, secret: str) -> None:
        self.in_trouble = True
        self._clock = clock
        self._secret = secret
        self._lock = threading.Lock()
        self._arrivals: list[Arrival] = []
        self._batch, self._queue = 0, ""
        self._others: list[Receiver] = []
        self._known: set[str] = set()
        self._receiver = self._started()

    @property
    def url(self) -> str:
        """The root of all paths, but for destinations of their own."""
        return self._receiver.url

    def destination(self) -> str:
        """The root of another receiver, of which nobody has heard before; it lasts until the log is cleared."""
        other = self._started()
        while other.url in self._known:
            # The port of an earlier run: what the stores remember of it would decide this one.
            other.stop()
            other = self._started()
        self._others.append(other)
        self._known.add(other.url)
        return other.url

    def heal(self) -> None:
        """The trouble that some receivers are in is over."""
        self.in_trouble = False

    def next_batch(self, queue: str) -> None:
        """What comes from now on is for another batch, of this queue."""
        self._batch, self._queue = self._batch + 1, queue

    def arrivals(self, path: str | None = None) -> list[Arrival]:
        """What came so far, for one path or all."""
        with self._lock:
            return [arrival for arrival in self._arrivals if path is None or arrival.path == path]

    def clear(self) -> None:
        """Forget what came."""
        self.in_trouble = True
        while self._others:
            self._others.pop().stop()
        with self._lock:
            self._arrivals.clear()

    def stop(self) -> None:
        """Close the ports."""
        for receiver in (self._receiver, *self._others):
            receiver.stop()

    def _started(self) -> Receiver:
        receiver = Receiver(secret=self._secret, keep=1)
        receiver.respond = partial(self._respond, receiver)
        receiver.start()
        return receiver

    def _respond(self, receiver: Receiver, call: Call) -> Reply:
        now_ms = self._clock.now_ms()
        reply = reply_to(call, is_first=not self.arrivals(call.path), in_trouble=self.in_trouble)
        if self.in_trouble and drags(call):
            self._clock.advance(DRAG_SECONDS)
        arrival = Arrival(
            path=call.path,
            job_id=call.job_id,
            execution_id=call.execution_id,
            attempt=call.attempt,
            scheduled_at=instant_ms(call.headers["x-scheduled-at"]),
            began_at=now_ms,
            status=reply.status,
            genuine=bool(call.genuine),
            payload=json.loads(call.body),
            token=call.headers.get("x-callback-token", ""),
            destination=receiver.url,
            batch=self._batch,
            queue=self._queue,
        )
        with self._lock:
            self._arrivals.append(arrival)
        return reply


def instant_ms(text: str) -> int:
    """An instant as the API and the callbacks spell it."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)
