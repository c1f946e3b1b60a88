"""Where a worker is hit: at the nth call of one AWS operation that one invocation makes, in one of four ways."""

import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any
from uuid import uuid4

from shared.adapters.aws.errors import AwsError, NoAnswerError
from tests.support.aws_steps import Call, Parsed

READS = frozenset({"GetItem", "GetObject", "BatchGetItem", "Query", "Scan", "Decrypt", "FilterLogEvents"})
TARGET = "target "
"""Before an operation by which a message reaches a target of a tenant. No transport repeats it by itself."""
STRUCK_READS = 8
"""Of equal reads, the first ones: the archiver reads sixty minutes one after the other."""


class Hit(StrEnum):
    """What happens at the call."""

    KILLED_BEFORE = "killed before"
    KILLED_AFTER = "killed after"
    ANSWER_LOST = "answer lost"
    """It has its effect, and its caller is told that the connection broke."""
    SENT_TWICE = "sent twice"
    """The first answer is lost on the way, and the transport repeats the request, as it does by itself."""

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
    """Every point of an invocation that makes these calls; of reads, the first and the last.

    To send a mere question twice changes nothing.
    """
    made = Counter(calls)
    seen: Counter[str] = Counter()
    points = []
    for operation in calls:
        seen[operation] += 1
        if operation in READS and STRUCK_READS < seen[operation] < made[operation]:
            continue
        is_sent_once = operation in READS or operation.startswith(TARGET)
        hits = [hit for hit in Hit if hit is not Hit.SENT_TWICE or not is_sent_once]
        points += [CrashPoint(operation=operation, nth=seen[operation], hit=hit) for hit in hits]
    return points


class CallWatch:
    """Lists the AWS calls of the present invocation, and strikes at the point that it was given."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.struck = False
        self._point: CrashPoint | None = None

    def begin(self, point: CrashPoint | None) -> None:
        """A new invocation, with or without a point to strike at."""
        self.calls, self.struck, self._point = [], False, point

    def step(self, service: str, operation: str, params: Parsed, call: Call) -> Parsed:
        """Stand between a client and its transport."""
        with self._hit(operation) as hit:
            if hit is Hit.SENT_TWICE:
                if operation == "TransactWriteItems":
                    params = {"ClientRequestToken": uuid4().hex} | params
                with suppress(AwsError):
                    call(params)
            return call(params)

    async def target_step(self, operation: str, call: Callable[[], Awaitable[Parsed]]) -> Parsed:
        """Stand between the sender of targets and its transport."""
        with self._hit(TARGET + operation):
            return await call()

    @contextmanager
    def _hit(self, operation: str) -> Iterator[Hit | None]:
        """What happens at this call, if it is the one; whatever ends the process does so here."""
        self.calls.append(operation)
        point = self._point
        if point is None or (operation, self.calls.count(operation)) != (point.operation, point.nth):
            yield None
            return
        self.struck = True
        if point.hit is Hit.KILLED_BEFORE:
            _die()
        try:
            yield point.hit
        finally:
            if point.hit is Hit.KILLED_AFTER:
                _die()
            if point.hit is Hit.ANSWER_LOST:
                raise NoAnswerError("the connection broke")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()
