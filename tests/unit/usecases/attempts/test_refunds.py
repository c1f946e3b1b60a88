"""Refunds: a claim that made no call for a reason of Punctual's own costs the customer no attempt."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import LEASE_MARGIN_MS, Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.names import EXECUTOR_TIMEOUT_SECONDS
from shared.ports.jobs import Payload
from shared.usecases.attempts.batch_report import BatchReport
from shared.usecases.attempts.run_attempts import LONGEST_ATTEMPT_MS
from shared.usecases.attempts.settle_refusal import Refusal
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT, one_off, with_changes
from tests.support.fakes.sender import in_turn
from tests.support.usecases.messages import delivery
from tests.support.usecases.world import World

OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=503)
UNSENT = CallbackResponse(reason=Reason.UNAVAILABLE, duration_ms=5)
ONE_ATTEMPT = RetryPolicy(max_attempts=1)
WEEK_MS = 7 * 86_400_000


def ends(report: BatchReport) -> list[AttemptEnd]:
    return [attempt.end for attempt in report.attempts]


def retry_when_due(world: World, execution: Execution) -> BatchReport:
    """Move the clock to the next attempt and hand its message to an executor."""
    world.clock.time_ms = world.standing(execution.id).not_before
    return world.attempt(execution)


def test_the_only_attempt_is_called_once_the_own_trouble_is_over() -> None:
    world = World(DUE_AT, answer_to=in_turn(*[UNSENT] * 12, OK))
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    assert ends(world.attempt(execution)) == [AttemptEnd.REFUNDED]
    for _ in range(11):
        assert ends(retry_when_due(world, execution)) == [AttemptEnd.REFUNDED]
    assert ends(retry_when_due(world, execution)) == [AttemptEnd.SUCCEEDED]
    standing = world.standing(execution.id)
    assert (standing.attempt, [outcome.attempt for outcome in standing.progress.outcomes]) == (1, [1])
    assert standing.progress.claims == 13, "the fencing token grows with each claim"
    assert {dict(call.callback.headers)["X-Attempt"] for call in world.sender.calls} == {"1"}


def test_the_wait_after_a_refund_doubles_from_a_second_to_five_minutes() -> None:
    world = World(DUE_AT, answer_to=in_turn(*[UNSENT] * 14))
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    world.attempt(execution)
    waits = []
    for _ in range(13):
        waits.append(world.standing(execution.id).not_before - world.clock.now_ms())
        retry_when_due(world, execution)
    for number, wait_ms in enumerate(waits):
        longest_ms = min(300, 2**number) * 1000
        assert longest_ms / 2 - 100 <= wait_ms <= longest_ms


def test_a_refund_sends_its_own_message() -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT))
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    report = world.attempt(execution)
    assert report.returned() == []
    [message] = world.queue.messages
    assert message.wakeup.not_before == world.standing(execution.id).not_before


def test_retries_after_real_failures_wait_by_the_attempt_and_not_by_the_claim() -> None:
    table = RetryPolicy(max_attempts=3, delays_seconds=(60, 600))
    world = World(DUE_AT, answer_to=in_turn(UNSENT, UNSENT, DOWN, UNSENT, DOWN, DOWN))
    execution = world.put(world.one_off(retry=table))
    world.attempt(execution)
    for _ in range(2):
        retry_when_due(world, execution)
    failed_once = world.standing(execution.id)
    assert 54_000 <= failed_once.not_before - world.clock.now_ms() <= 60_000
    for _ in range(2):
        retry_when_due(world, execution)
    assert 540_000 <= world.standing(execution.id).not_before - world.clock.now_ms() <= 600_000
    retry_when_due(world, execution)
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.FAILED, EndReason.ATTEMPTS_USED_UP)
    assert [outcome.attempt for outcome in standing.progress.outcomes] == [1, 2, 3]


def test_an_execution_that_becomes_too_old_by_refunds_fails_and_says_why() -> None:
    world = World(DUE_AT, answer_to=in_turn(*[UNSENT] * 9))
    execution = world.put(world.one_off(retry=RetryPolicy(max_attempts=1, give_up_after_seconds=60)))
    world.attempt(execution)
    while world.standing(execution.id).state is State.WAITING:
        retry_when_due(world, execution)
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.FAILED, EndReason.TOO_OLD)
    assert [outcome.reason for outcome in standing.progress.outcomes] == [Reason.UNAVAILABLE]
    assert world.clock.now_ms() <= DUE_AT + 60_000


def test_refunds_do_not_postpone_the_last_retry_beyond_the_records() -> None:
    """Records of neighbouring executions outlive the first claim by a bounded time, called or not."""
    world = World(DUE_AT, answer_to=in_turn(*[UNSENT] * 9))
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    world.attempt(execution)
    world.clock.time_ms = DUE_AT + WEEK_MS + 20 * 3_600_000
    world.attempt(execution)
    assert world.standing(execution.id).progress.end_reason is EndReason.TOO_OLD


def test_a_refunded_first_attempt_does_not_begin_after_the_start_deadline() -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT, UNSENT, UNSENT, OK))
    execution = world.put(with_changes(world.one_off(), start_deadline_at=DUE_AT + 1_500))
    world.attempt(execution)
    while world.standing(execution.id).state is State.WAITING:
        retry_when_due(world, execution)
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.SKIPPED, EndReason.LATE)
    assert (standing.attempt, world.clock.now_ms() <= DUE_AT + 1_500) == (0, True)


def test_a_refund_whose_response_was_lost_is_recognised() -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT))
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    world.steps.lose_answer("store.finish")
    assert ends(world.attempt(execution)) == [AttemptEnd.REFUNDED]
    assert (world.standing(execution.id).progress.refunded, len(world.queue.messages)) == (1, 1)


def test_a_refund_is_written_again_while_the_store_does_not_respond() -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT))
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    world.steps.fail("store.finish", times=20)
    assert ends(world.attempt(execution)) == [AttemptEnd.REFUNDED]


def test_an_outcome_is_written_again_while_the_store_does_not_respond() -> None:
    world = World(DUE_AT, answer_to=in_turn(OK))
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    world.steps.fail("store.finish", times=20)
    assert ends(world.attempt(execution)) == [AttemptEnd.SUCCEEDED]


def test_a_stop_ends_an_execution_whose_attempt_would_be_refunded() -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT))
    execution = world.put(world.one_off())
    world.steps.before("store.finish", lambda: world.store.stop_retries(execution.id))
    world.attempt(execution)
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.FAILED, EndReason.STOPPED)
    assert [outcome.reason for outcome in standing.progress.outcomes] == [Reason.UNAVAILABLE]


def test_a_refunded_first_attempt_makes_no_call_after_its_job_was_deleted() -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT, OK))
    job = world.recurring()
    head = world.standing(job.id_at(DUE_AT))
    world.attempt(head)
    world.table.jobs[job.tenant_id, job.id] = replace(job, state=JobState.DELETED)
    retry_when_due(world, head)
    assert world.standing(head.id).progress.end_reason is EndReason.JOB_DELETED
    assert len(world.sender.calls) == 1


def paused(job: Job) -> Job:
    return replace(job, state=JobState.PAUSED)


def updated(job: Job) -> Job:
    return with_changes(job, request=b"another", chain_revision=2, revision=2)


def changed_after_refund(change: Callable[[Job], Job]) -> tuple[World, Execution]:
    """A run that was refunded before its first call, and whose job was changed then."""
    world = World(DUE_AT, answer_to=in_turn(UNSENT, OK))
    job = world.recurring()
    head = world.standing(job.id_at(DUE_AT))
    world.attempt(head)
    world.table.jobs[job.tenant_id, job.id] = change(job)
    return world, head


def test_refunded_run_whose_job_was_paused_before_its_first_call_is_cancelled() -> None:
    world, head = changed_after_refund(paused)
    assert ends(retry_when_due(world, head)) == [AttemptEnd.WITHDRAWN]
    standing = world.standing(head.id)
    assert (standing.state, standing.progress.end_reason) == (State.CANCELLED, EndReason.JOB_PAUSED)
    assert (standing.attempt, len(world.sender.calls)) == (0, 1)


def test_refunded_run_whose_job_was_updated_before_its_first_call_is_called_as_it_started() -> None:
    """The new chain begins after the started run, so no other run stands for this instant."""
    world, head = changed_after_refund(updated)
    assert ends(retry_when_due(world, head)) == [AttemptEnd.SUCCEEDED]
    assert world.standing(head.id).call == head.call


@pytest.mark.parametrize("change", [paused, updated])
def test_run_that_was_called_before_a_change_is_retried_after_it(change: Callable[[Job], Job]) -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT, DOWN, OK))
    job = world.recurring()
    head = world.standing(job.id_at(DUE_AT))
    world.attempt(head)
    retry_when_due(world, head)
    world.table.jobs[job.tenant_id, job.id] = change(job)
    assert ends(retry_when_due(world, head)) == [AttemptEnd.SUCCEEDED]


def test_a_refunded_first_attempt_whose_message_came_after_the_start_deadline_is_skipped() -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT, OK))
    execution = world.put(with_changes(world.one_off(), start_deadline_at=DUE_AT + 10_000))
    world.attempt(execution)
    world.clock.time_ms = DUE_AT + 10_001
    assert ends(world.attempt(execution)) == [AttemptEnd.WITHDRAWN]
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.SKIPPED, EndReason.LATE)
    assert (standing.attempt, len(world.sender.calls)) == (0, 1)


def test_a_crash_after_the_refund_leaves_a_retry_that_the_sweeper_finds() -> None:
    world = World(DUE_AT, answer_to=in_turn(UNSENT, OK))
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    world.steps.fail("queue.send")
    assert world.attempt(execution).returned() != [], "without a message of the retry, the old one is kept"
    standing = world.standing(execution.id)
    assert (standing.state, standing.attempt) == (State.WAITING, 0)
    assert ends(retry_when_due(world, execution)) == [AttemptEnd.SUCCEEDED]


@pytest.mark.parametrize(
    ("left_ms", "is_claimed"), [(LONGEST_ATTEMPT_MS, True), (LONGEST_ATTEMPT_MS - 1, False)]
)
def test_a_batch_that_came_too_late_to_the_claim_is_returned_unclaimed(
    left_ms: int, is_claimed: bool
) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off(retry=ONE_ATTEMPT))
    slow_ms = EXECUTOR_TIMEOUT_SECONDS * 1000 - left_ms
    world.steps.after("tenants.get", lambda: setattr(world.clock, "time_ms", DUE_AT + slow_ms))
    report = world.attempt(execution)
    assert (world.standing(execution.id).progress.claims > 0) is is_claimed
    assert [refusal.kind for refusal in report.refusals] == ([] if is_claimed else [Refusal.OUT_OF_TIME])
    assert report.returned() == [], "a fresh message replaces the message, which loses no receive"
    assert world.sent() == ([] if is_claimed else [execution.id])


@pytest.mark.parametrize(("left_ms", "calls"), [(60_000, 1), (59_999, 0)])
def test_a_call_that_could_outlast_its_function_is_refunded(left_ms: int, calls: int) -> None:
    world = World(DUE_AT)
    large = with_changes(world.one_off(), payload_id=one_off().job_id, request=b"", timeout_ms=60_000)
    execution = world.put(with_changes(large, retry=ONE_ATTEMPT))
    world.jobs.put_payload(
        Payload(execution.tenant_id, execution.job_id, world.seal(execution.job_id), stored_at=0)
    )
    begun_at = DUE_AT + EXECUTOR_TIMEOUT_SECONDS * 1000 - left_ms

    def stall() -> None:
        world.clock.time_ms = begun_at
        lease_until = begun_at + 60_000 + LEASE_MARGIN_MS
        row = world.table.executions[execution.id]
        row.execution = with_changes(row.execution, lease_until=lease_until)

    world.steps.after("claimer.claim", lambda: setattr(world.clock, "time_ms", begun_at))
    world.steps.after("store.extend_lease", stall)
    report = world.run(delivery(execution))
    assert len(world.sender.calls) == calls
    assert ends(report) == [AttemptEnd.SUCCEEDED if calls else AttemptEnd.REFUNDED]
