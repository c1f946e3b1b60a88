"""What the client does, step by step, without I/O: the clients with and without `await` perform the steps."""

import logging
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from punctual._operation import Call, T
from punctual._retry import Failure, Lost, Reply, Success, judge, next_wait
from punctual.errors import RequestError
from punctual.models import Batch, BatchResult

LOG = logging.getLogger("punctual")
UNAVAILABLE = 503
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Sleep:
    """A step: wait this long."""

    seconds: float


Steps = Generator[Call[Any] | Sleep, Any, R]
"""Yields calls, which are answered with a Reply or a Lost, and waits; returns the result."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What decisions rest on."""

    max_elapsed: float
    """No attempt begins later than this many seconds after the first."""
    monotonic: Callable[[], float]
    now: Callable[[], datetime]
    chance: Callable[[], float]
    """A number from 0 to 1."""
    new_key: Callable[[], str]
    """An Idempotency-Key that no other call has."""


@dataclass(slots=True)
class _Course:
    """The attempts of one call."""

    rules: Rules
    begun: float
    attempts: int = 0

    def wait(self, retry_after: float | None = None) -> float | None:
        """Seconds before the next attempt; None when it would begin too late."""
        return next_wait(
            self.attempts,
            elapsed=self.rules.monotonic() - self.begun,
            max_elapsed=self.rules.max_elapsed,
            retry_after=retry_after,
            chance=self.rules.chance(),
        )


def exchange(call: Call[T], rules: Rules) -> Steps[T]:
    """Send a call until it is answered; raises the error of the last attempt when no further one is allowed."""
    course, is_unknown = _Course(rules, rules.monotonic()), False
    while True:
        outcome: Reply | Lost = yield call
        course.attempts += 1
        result = judge(call, outcome, rules.now())
        if isinstance(result, Success):
            return result.value
        is_unknown |= result.is_unknown
        is_safe = call.may_repeat_effect or not result.is_unknown
        wait = course.wait(result.retry_after) if result.may_pass and is_safe else None
        if wait is None:
            raise _final(call, result, course.attempts, is_unknown) from result.cause
        LOG.info("%s is sent again in %.2f s: %s", call.operation.id, wait, result.error)
        yield Sleep(wait)


def _final(call: Call[Any], result: Failure, attempts: int, is_unknown: bool) -> Exception:
    result.error.attempts = attempts
    result.error.maybe_applied = is_unknown and call.operation.method != "GET"
    return result.error


def batch(calls: Sequence[Call[Batch]], rules: Rules) -> Steps[Batch]:
    """The results of all calls, in order. A call is repeated while a result says that it is not known."""
    results: list[BatchResult] = []
    for call in calls:
        try:
            answer = yield from _settled(call, rules)
        except RequestError as error:
            error.idempotency_key = calls[0].idempotency_key  # The one with which the batch can be repeated.
            raise
        results.extend(answer.results)
    return Batch(results=tuple(results))


def _settled(call: Call[Batch], rules: Rules) -> Steps[Batch]:
    course = _Course(rules, rules.monotonic())
    while True:
        answer = yield from exchange(call, rules)
        course.attempts += 1
        if all(result.status != UNAVAILABLE for result in answer.results):
            return answer
        wait = course.wait()
        if wait is None:
            return answer
        LOG.info("createJobs is sent again in %.2f s: the result of some jobs is not known", wait)
        yield Sleep(wait)
