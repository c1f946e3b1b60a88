"""Receivers that accept the work asynchronously and report later."""

from collections.abc import Callable
from typing import Any

import pytest

from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.usecases.attempts.report_outcome import ReportResult
from tests.support.builders import DUE_AT, with_changes
from tests.support.fakes.sender import AnswerTo
from tests.support.usecases.world import World

ASYNC_ACCEPTED = CallbackResponse(reason=Reason.OK, duration_ms=5, status=202, async_accepted=True)
POLICY = AsyncPolicy(deadline_seconds=600, heartbeat_seconds=60)
MINUTE_MS = 60_000


def async_accepted(_: object) -> CallbackResponse:
    """Every receiver accepts the work and reports later."""
    return ASYNC_ACCEPTED


def token_of(world: World, call: int = -1) -> str:
    """The callback token of a call."""
    headers = dict(world.sender.calls[call].callback.headers)
    return headers["X-Callback-Token"]


def working(answer_to: AnswerTo = async_accepted, **fields: Any) -> tuple[World, Execution, str]:
    """An attempt that outlives its call, and its token."""
    world = World(DUE_AT, answer_to=answer_to)
    given: dict[str, Any] = {"async_policy": POLICY, "retry": RetryPolicy(max_attempts=3)}
    execution = world.put(with_changes(world.one_off(), **(given | fields)))
    report = world.attempt(execution)
    assert report.returned() == []
    return world, world.standing(execution.id), token_of(world)


def die_unheard(world: World, execution: Execution) -> None:
    """No heartbeat arrived, so the lease has expired."""
    lease_until = world.standing(execution.id).progress.lease_until
    assert lease_until is not None
    world.clock.time_ms = lease_until + 1


def is_running(world: World, execution: Execution, attempt: int = 1) -> bool:
    """Whether this attempt of the execution runs."""
    standing = world.standing(execution.id)
    return (standing.state, standing.attempt) == (State.RUNNING, attempt)


Report = Callable[[World, Execution, str], ReportResult]
LATER = 123_456
"""How long an attempt has been at work, in ms, when it is reported on."""


def complete(world: World, execution: Execution, token: str) -> ReportResult:
    """The work is done."""
    return world.report_outcome.complete(str(execution.id), token)


def fail(world: World, execution: Execution, token: str) -> ReportResult:
    """The work has failed."""
    return world.report_outcome.fail(str(execution.id), token, text=b"no room")


def give_up(world: World, execution: Execution, token: str) -> ReportResult:
    """The work has failed for good."""
    return world.report_outcome.fail(str(execution.id), token, text=b"no room", retryable=False)


REPORTS = [complete, fail, give_up]
every_report = pytest.mark.parametrize("report", REPORTS)


def at_work(**fields: Any) -> tuple[World, Execution, str]:
    """An asynchronous attempt that has run for a while."""
    world, execution, token = working(**fields)
    world.clock.time_ms = DUE_AT + LATER
    world.table.executions[execution.id].execution = with_changes(
        execution, lease_until=DUE_AT + LATER + 30_000
    )
    return world, world.standing(execution.id), token
