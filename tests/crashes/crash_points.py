"""Where a worker is hit: at the nth call of one AWS operation that one invocation makes, in one of four ways."""

import os
import signal
import threading
from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from botocore.exceptions import ConnectionClosedError

READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "Decrypt", "FilterLogEvents"})


class Hit(StrEnum):
    """What happens at the call."""

    KILLED_BEFORE = "killed before"
    KILLED_AFTER = "killed after"
    ANSWER_LOST = "answer lost"
    """It has its effect, and its caller is told that the connection broke."""
    SENT_TWICE = "sent twice"
    """The first answer is lost on the way and the SDK repeats the request, as it does by itself."""

    @property
    def kills(self) -> bool:
        """Whether the process ends there."""
        return self in (Hit.KILLED_BEFORE, Hit.KILLED_AFTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashPoint:
    """One place, and what happens there."""

    operation: str
    nth: int
    hit: Hit

    def __str__(self) -> str:
        return f"{self.operation} {self.nth} {self.hit}"

    def to_json(self) -> dict[str, Any]:
        """For the way into a worker."""
        return asdict(self)


def points_of(calls: list[str]) -> list[CrashPoint]:
    """Every point of an invocation that makes these calls. To send a mere question twice changes nothing."""
    seen: Counter[str] = Counter()
    points = []
    for operation in calls:
        seen[operation] += 1
        hits = [hit for hit in Hit if hit is not Hit.SENT_TWICE or operation not in READS]
        points += [CrashPoint(operation=operation, nth=seen[operation], hit=hit) for hit in hits]
    return points


class CallWatch:
    """Lists the AWS calls of the present invocation, and strikes at the point that it was given."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.struck = False
        self._point: CrashPoint | None = None
        self._lock = threading.Lock()

    def watch(self, events: Any) -> None:
        """Hook into a session before its clients are made."""
        events.register("before-call", self._before)
        events.register("after-call", self._after)
        events.register_first("needs-retry", self._needs_retry)

    def begin(self, point: CrashPoint | None) -> None:
        """A new invocation, with or without a point to strike at."""
        self.calls, self.struck, self._point = [], False, point

    def _before(self, model: Any, context: dict[str, Any], **_: Any) -> None:
        with self._lock:
            self.calls.append(model.name)
            point = self._point
            if point is None or (model.name, self.calls.count(model.name)) != (point.operation, point.nth):
                return
            self.struck = True
        context["hit"] = point.hit
        if point.hit is Hit.KILLED_BEFORE:
            _die()

    def _after(self, context: dict[str, Any], **_: Any) -> None:
        hit = context.get("hit")
        if hit is Hit.KILLED_AFTER:
            _die()
        if hit is Hit.ANSWER_LOST:
            raise ConnectionClosedError(endpoint_url="the test")

    def _needs_retry(self, request_dict: dict[str, Any], attempts: int, **_: Any) -> float | None:
        """A number makes the SDK send the request again after so many seconds."""
        return 0.0 if request_dict["context"].get("hit") is Hit.SENT_TWICE and attempts == 1 else None


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()
