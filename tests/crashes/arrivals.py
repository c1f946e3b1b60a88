"""The receiver's log: what was called, when by the clock of the run, and how it was answered."""

import json
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from infra.local.calls import Call
from infra.local.receiver import Receiver, Reply
from tests.crashes.clock import SharedClock

FAR_RETRY_SECONDS = 1_000
"""Beyond the reach of a queue's delay, so that the retry needs a row in a future bucket."""
NEAR_RETRY_SECONDS = 100
SLOW_SECONDS = 1.0
WORKS_ON = 202
"""With its header: the receiver has begun, and reports later."""


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


class ArrivalLog:
    """Answers by the first part of the path: /ok, /fails, /flaky, /busy, /later, /slow, /slowfails, /works, /begins or
    /starts.

    Who `works` always says that it will report, who `begins` at first attempts, and who `starts` at its first call.
    """

    def __init__(self, clock: SharedClock, secret: str) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._arrivals: list[Arrival] = []
        self._receiver = Receiver(secret=secret, respond=self._respond, keep=1)
        self._receiver.start()

    @property
    def url(self) -> str:
        """The root of all paths."""
        return self._receiver.url

    def arrivals(self, path: str | None = None) -> list[Arrival]:
        """What came so far, for one path or all."""
        with self._lock:
            return [arrival for arrival in self._arrivals if path is None or arrival.path == path]

    def clear(self) -> None:
        """Forget what came."""
        with self._lock:
            self._arrivals.clear()

    def stop(self) -> None:
        """Close the port."""
        self._receiver.stop()

    def _respond(self, call: Call) -> Reply:
        now_ms = self._clock.now_ms()
        reply = _reply(call, is_first=not self.arrivals(call.path))
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
            token=call.headers["x-callback-token"],
        )
        with self._lock:
            self._arrivals.append(arrival)
        return reply


_WORKS = Reply(status=WORKS_ON, headers={"X-Punctual-Async": "true"})


def _reply(call: Call, *, is_first: bool) -> Reply:
    match call.path.split("/")[1]:
        case "fails":
            return Reply(status=500)
        case "flaky" if call.attempt == 1:
            return Reply(status=500)
        case "busy" if call.attempt == 1:
            return Reply(status=503, headers={"Retry-After": str(NEAR_RETRY_SECONDS)})
        case "later" if call.attempt == 1:
            return Reply(status=503, headers={"Retry-After": str(FAR_RETRY_SECONDS)})
        case "works":
            return _WORKS
        case "begins" if call.attempt == 1:
            return _WORKS
        case "starts" if is_first:
            return _WORKS
        case "slow":
            return Reply(after_seconds=SLOW_SECONDS)
        case "slowfails":
            return Reply(status=500, after_seconds=SLOW_SECONDS)
        case _:
            return Reply()


def instant_ms(text: str) -> int:
    """An instant as the API and the callbacks spell it."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)
