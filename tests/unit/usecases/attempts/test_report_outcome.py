"""COMPLETE and FAIL: what a receiver reports counts once, and is answered alike however often it is sent."""

from dataclasses import replace

import pytest

from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidStateError, NotFoundError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.states import EndReason, State
from shared.ports.executions import Claim
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT
from tests.support.fakes.sender import in_turn
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.reports import (
    ASYNC_ACCEPTED,
    LATER,
    REPORTS,
    Report,
    at_work,
    complete,
    die_unheard,
    every_report,
    fail,
    give_up,
    is_running,
    token_of,
    working,
)


def test_execution_reported_complete_has_succeeded() -> None:
    world, execution, token = at_work()
    reported = complete(world, execution, token)
    assert (reported.succeeded, reported.attempt, reported.end) == (True, 1, AttemptEnd.SUCCEEDED)
    row = world.table.executions[execution.id]
    assert (row.execution.state, row.execution.progress.owner, row.execution.progress.async_until) == (
        State.SUCCEEDED,
        None,
        None,
    )
    assert row.expires_at_s == world.retention.expires_at_s(DUE_AT + LATER)
    assert row.execution.progress.outcomes == (
        AttemptOutcome(attempt=1, started_at=DUE_AT, duration_ms=123_000, status=202, reason=Reason.OK),
    )
    assert world.sent() == []


def test_execution_reported_failed_is_retried_like_a_failed_call() -> None:
    world, execution, token = at_work()
    reported = fail(world, execution, token)
    assert (reported.succeeded, reported.end) == (False, AttemptEnd.RETRIED)
    waiting = world.standing(execution.id)
    assert (waiting.state, waiting.progress.last_body) == (State.WAITING, b"no room")
    assert [outcome.reason for outcome in waiting.progress.outcomes] == [Reason.RECEIVER_FAILED]
    assert waiting.progress.next_attempt_at is not None
    assert world.clock.now_ms() <= waiting.progress.next_attempt_at <= world.clock.now_ms() + 10_000
    assert world.queue.messages[-1].wakeup.not_before == waiting.progress.next_attempt_at
    assert world.sent() == [execution.id]


def test_a_retry_that_is_far_off_becomes_a_pointer() -> None:
    policy = RetryPolicy(max_attempts=3, base_seconds=86_400, cap_seconds=86_400)
    world, execution, token = at_work(retry=policy)
    world.entropy.draw = lambda: 0.5  # type: ignore[method-assign]
    fail(world, execution, token)
    assert len(world.table.pointers) == 1
    assert world.sent() == []


def test_execution_reported_not_retryable_is_a_dead_letter_at_once() -> None:
    world, execution, token = at_work()
    assert give_up(world, execution, token).end is AttemptEnd.FAILED
    row = world.table.executions[execution.id]
    assert (row.execution.state, row.execution.progress.end_reason) == (State.FAILED, EndReason.NOT_RETRYABLE)
    assert [outcome.reason for outcome in row.execution.progress.outcomes] == [Reason.RECEIVER_GAVE_UP]
    assert row.is_dead_letter
    assert world.sent() == []


def test_execution_reported_failed_at_its_last_attempt_is_a_dead_letter() -> None:
    world, execution, token = at_work(retry=RetryPolicy(max_attempts=1))
    assert fail(world, execution, token).end is AttemptEnd.FAILED
    assert world.standing(execution.id).progress.end_reason is EndReason.ATTEMPTS_USED_UP


@pytest.mark.parametrize("when", ["before", "while it is read"])
def test_execution_reported_failed_after_its_retries_were_stopped_is_not_retried(when: str) -> None:
    world, execution, token = at_work()
    if when == "before":
        world.cancel_job.execute(execution.tenant_id, execution.job_id, stop_retries=True)
    else:
        world.steps.before("store.finish", lambda: world.store.stop_retries(execution.id))
    assert fail(world, execution, token).end is AttemptEnd.FAILED
    assert world.standing(execution.id).progress.end_reason is EndReason.STOPPED
    assert world.sent() == []


def test_second_attempt_may_complete_after_the_first_was_reported_failed() -> None:
    world, execution, token = working(in_turn(ASYNC_ACCEPTED))
    fail(world, execution, token)
    Lanes(world).until(DUE_AT + 60_000)
    assert is_running(world, execution, attempt=2)
    complete(world, execution, token_of(world))
    done = world.standing(execution.id)
    assert [(outcome.attempt, outcome.reason) for outcome in done.progress.outcomes] == [
        (1, Reason.RECEIVER_FAILED),
        (2, Reason.OK),
    ]
    assert [dict(call.callback.headers)["X-Attempt"] for call in world.sender.calls] == ["1", "2"]


@every_report
def test_a_repeated_report_is_answered_alike_and_changes_nothing(report: Report) -> None:
    world, execution, token = at_work()
    first = report(world, execution, token)
    before = world.standing(execution.id)
    world.clock.time_ms += 1_000
    again = report(world, execution, token)
    assert replace(again, end=first.end) == first
    assert again.end is None, "and is not counted"
    assert world.standing(execution.id) == before


@every_report
@pytest.mark.parametrize("other", REPORTS)
def test_different_second_report_is_too_late(report: Report, other: Report) -> None:
    world, execution, token = at_work()
    report(world, execution, token)
    before = world.standing(execution.id)
    if report is not other:
        with pytest.raises(InvalidStateError, match="attempt 1 is over"):
            other(world, execution, token)
    assert world.standing(execution.id) == before


@every_report
def test_report_of_an_earlier_attempt_is_too_late(report: Report) -> None:
    world, execution, token = working()
    die_unheard(world, execution)
    world.attempt(execution)
    before = world.standing(execution.id)
    with pytest.raises(InvalidStateError):
        report(world, execution, token)
    assert world.standing(execution.id) == before
    assert report(world, execution, token_of(world)).attempt == 2


@every_report
def test_report_of_an_execution_given_up_is_too_late(report: Report) -> None:
    world, execution, token = working(retry=RetryPolicy(max_attempts=1))
    die_unheard(world, execution)
    world.attempt(execution)
    with pytest.raises(InvalidStateError):
        report(world, execution, token)
    assert world.standing(execution.id).progress.end_reason is EndReason.WORKER_LOST


@every_report
@pytest.mark.parametrize("late_ms", [1, 3_600_000])
def test_late_report_is_accepted_while_no_other_attempt_has_begun(report: Report, late_ms: int) -> None:
    """The work was done, whatever the clock says."""
    world, execution, token = working()
    world.clock.time_ms = (execution.progress.lease_until or 0) + late_ms
    assert report(world, execution, token).end is not None


@every_report
def test_report_that_races_a_claim_is_too_late(report: Report) -> None:
    world, execution, token = working()
    die_unheard(world, execution)
    claim = [Claim(execution_id=execution.id, owner="b" * 16)]
    world.steps.before("store.finish", lambda: world.claimer.claim(claim, world.clock.now_ms()))
    with pytest.raises(InvalidStateError):
        report(world, execution, token)
    standing = world.standing(execution.id)
    assert (standing.progress.owner, standing.progress.outcomes) == ("b" * 16, ())


@every_report
@pytest.mark.parametrize("other", REPORTS)
def test_concurrent_reports_are_recorded_once(report: Report, other: Report) -> None:
    world, execution, token = at_work()
    world.steps.before("store.finish", lambda: other(world, execution, token))
    if report is other:
        report(world, execution, token)
    else:
        with pytest.raises(InvalidStateError):
            report(world, execution, token)
    assert len(world.standing(execution.id).progress.outcomes) == 1


@every_report
def test_report_after_a_failed_call_is_refused(report: Report) -> None:
    down = CallbackResponse(reason=Reason.TIMEOUT, duration_ms=5)
    world, execution, token = working(in_turn(down))
    with pytest.raises(InvalidStateError):
        report(world, execution, token)
    assert [outcome.reason for outcome in world.standing(execution.id).progress.outcomes] == [Reason.TIMEOUT]


def test_repeated_success_after_a_successful_call_is_accepted_without_effect() -> None:
    world, execution, token = working(in_turn(replace(ASYNC_ACCEPTED, async_accepted=False)))
    before = world.standing(execution.id)
    assert complete(world, execution, token).end is None
    assert world.standing(execution.id) == before


def test_the_longest_of_attempts_is_told_apart_from_another() -> None:
    """Durations of hours are stored to the second; a lost answer is still known as one's own."""
    world, execution, token = working(
        async_policy=AsyncPolicy(deadline_seconds=43_200, heartbeat_seconds=3_600),
        retry=RetryPolicy(max_attempts=3),
    )
    world.clock.time_ms = DUE_AT + 43_199_999
    world.steps.lose_answer("store.finish")
    assert complete(world, execution, token).end is AttemptEnd.SUCCEEDED
    assert world.standing(execution.id).progress.outcomes[0].duration_ms == 43_199_000


@every_report
def test_a_token_of_another_execution_reports_nothing(report: Report) -> None:
    world, execution, _ = at_work()
    other = world.put(world.one_off(2))
    world.attempt(other)
    with pytest.raises(NotFoundError):
        report(world, execution, token_of(world))
    assert world.standing(execution.id) == execution
