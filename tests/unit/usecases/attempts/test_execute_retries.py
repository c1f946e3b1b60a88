"""EXECUTE: what follows a failed attempt."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.ports.jobs import Payload
from shared.usecases.attempts.batch_report import Verdict
from shared.usecases.attempts.call_receiver import READ_PAUSES_MS
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT, in_state, one_off, with_changes
from tests.support.fakes.sender import in_turn
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.rounds import to_the_end
from tests.support.usecases.world import REQUEST, World

DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500, body=b"down")
GONE = replace(DOWN, status=410)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)


def asks_for(seconds: int) -> CallbackResponse:
    return replace(DOWN, status=503, retry_after_seconds=seconds)


def world_with(*answers: CallbackResponse, **policy: Any) -> tuple[World, Execution]:
    world = World(DUE_AT, answer_to=in_turn(*answers))
    return world, world.put(world.one_off(retry=RetryPolicy(**policy)))


def test_a_failed_attempt_waits_and_its_message_is_held_until_then() -> None:
    world, execution = world_with(DOWN)
    report = world.attempt(execution)
    waiting = world.standing(execution.id)
    assert (waiting.state, waiting.attempt, waiting.progress.last_body) == (State.WAITING, 1, b"down")
    assert waiting.progress.next_attempt_at is not None
    assert DUE_AT <= waiting.progress.next_attempt_at <= DUE_AT + 10_005
    assert world.table.executions[execution.id].expires_at_s is None
    assert world.queue.messages[0].wakeup.not_before == waiting.progress.next_attempt_at
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.RETRIED]
    assert report.returned() == []


@pytest.mark.parametrize(("asked", "wait_ms"), [(120, 120_000), (99_999, 600_000)])
def test_retry_after_is_honoured_up_to_the_cap(asked: int, wait_ms: int) -> None:
    world, execution = world_with(asks_for(asked), cap_seconds=600)
    world.attempt(execution)
    assert world.standing(execution.id).progress.next_attempt_at == DUE_AT + 5 + wait_ms


def test_time_that_the_store_takes_to_record_an_outcome_makes_no_retry_too_late() -> None:
    """A store that throttled the outcome for 200 ms once cost the retry: its wait began when it was recorded."""
    world, execution = world_with(
        replace(DOWN, duration_ms=900), max_attempts=2, delays_seconds=(1,), give_up_after_seconds=2
    )
    world.steps.fail("store.finish", times=6)
    world.attempt(execution)
    waiting = world.standing(execution.id)
    assert waiting.state is State.WAITING
    assert waiting.progress.next_attempt_at is not None
    assert DUE_AT + 1_800 <= waiting.progress.next_attempt_at <= DUE_AT + 1_900


def test_wait_for_a_retry_begins_after_the_call_and_not_with_its_preparation() -> None:
    """A large request whose read is throttled is called later than its attempt started."""
    world, _ = world_with(DOWN)
    retry = RetryPolicy(max_attempts=2, delays_seconds=(1,))
    apart = world.put(with_changes(world.one_off(2), payload_id=one_off(2).job_id, request=b"", retry=retry))
    world.jobs.put_payload(Payload(apart.tenant_id, apart.job_id, world.seal(apart.job_id), stored_at=0))
    world.steps.after("jobs.get_payload", lambda: setattr(world.clock, "time_ms", DUE_AT + 500))
    world.attempt(apart)
    next_attempt_at = world.standing(apart.id).progress.next_attempt_at
    assert next_attempt_at is not None
    assert next_attempt_at >= DUE_AT + 500 + 5 + 900


def test_retry_whose_wait_passed_while_its_outcome_was_recorded_is_due_at_once() -> None:
    world, execution = world_with(DOWN, max_attempts=2, delays_seconds=(1,))
    world.steps.fail("store.finish", times=18)
    world.attempt(execution)
    waiting = world.standing(execution.id)
    assert waiting.state is State.WAITING
    assert waiting.progress.next_attempt_at is not None
    assert DUE_AT + 1_005 < waiting.progress.next_attempt_at <= world.clock.time_ms


def test_a_job_is_retried_until_it_succeeds_and_remembers_every_attempt() -> None:
    world, execution = world_with(DOWN, DOWN, OK)
    world.file.execute(execution)
    Lanes(world).until(DUE_AT + 600_000)
    done = world.standing(execution.id)
    assert (done.state, done.attempt, done.progress.end_reason) == (State.SUCCEEDED, 3, None)
    assert [(outcome.attempt, outcome.status) for outcome in done.progress.outcomes] == [
        (1, 500),
        (2, 500),
        (3, 200),
    ]
    assert [dict(call.callback.headers)["X-Attempt"] for call in world.sender.calls] == ["1", "2", "3"]
    assert len({dict(call.callback.headers)["webhook-id"] for call in world.sender.calls}) == 1


def test_execution_without_attempts_left_fails_and_is_a_dead_letter() -> None:
    world, execution = world_with(DOWN, max_attempts=3)
    world.file.execute(execution)
    Lanes(world).until(DUE_AT + 600_000)
    row = world.table.executions[execution.id]
    assert (row.execution.state, row.execution.attempt) == (State.FAILED, 3)
    assert row.execution.progress.end_reason is EndReason.ATTEMPTS_USED_UP
    assert row.is_dead_letter
    assert row.expires_at_s is not None
    assert len(world.sender.calls) == 3


def test_410_is_the_receivers_word_to_stop() -> None:
    world, execution = world_with(GONE)
    world.attempt(execution)
    failed = world.standing(execution.id)
    assert (failed.state, failed.progress.end_reason) == (State.FAILED, EndReason.NOT_RETRYABLE)
    assert world.sent() == []


def test_410_on_the_last_attempt_is_still_the_receivers_word() -> None:
    world, execution = world_with(GONE, max_attempts=1)
    world.attempt(execution)
    assert world.standing(execution.id).progress.end_reason is EndReason.NOT_RETRYABLE


def test_a_retry_beyond_the_reach_of_the_lanes_becomes_a_pointer() -> None:
    world, execution = world_with(asks_for(3_600), OK)
    world.attempt(execution)
    (row,) = world.table.pointers.values()
    assert (row.pointer.target, row.pointer.claims) == (execution.id, 1)
    assert row.pointer.dispatch_at == world.standing(execution.id).progress.next_attempt_at
    assert world.sent() == []


@pytest.mark.parametrize(("wait", "step"), [(60, "queue.send"), (3_600, "store.put_reminder")])
def test_a_retry_that_nobody_would_wake_is_left_to_its_message(wait: int, step: str) -> None:
    world, execution = world_with(asks_for(wait), OK)
    world.steps.fail(step)
    report = world.attempt(execution)
    assert [settled.verdict for settled in report.settled] == [Verdict.RETURN]
    assert world.standing(execution.id).state is State.WAITING
    again = world.attempt(execution, receives=2)
    assert again.returned() == []
    assert len(world.sent()) + len(world.table.pointers) == 1
    assert len(world.sender.calls) == 1


@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED, State.WAITING])
def test_a_request_that_cannot_be_read_is_a_failed_attempt_without_a_call(state: State) -> None:
    world = World(DUE_AT + 60_000)
    execution = world.put(in_state(with_changes(world.one_off(), request=b"garbage" * 10), state))
    world.attempt(execution)
    standing = world.standing(execution.id)
    assert standing.state is State.WAITING
    assert [outcome.reason for outcome in standing.progress.outcomes] == [Reason.REQUEST_UNREADABLE]
    assert world.sender.calls == []


@pytest.mark.parametrize("step", ["tenants.get", "jobs.get_payload"])
def test_an_attempt_whose_request_cannot_be_loaded_now_is_refunded(step: str) -> None:
    world = World(DUE_AT)
    only_one = RetryPolicy(max_attempts=1)
    apart = world.put(with_changes(world.one_off(), payload_id=one_off().job_id, request=b"", retry=only_one))
    world.jobs.put_payload(Payload(apart.tenant_id, apart.job_id, world.seal(apart.job_id), stored_at=0))
    # The tenant is read in front of the claim too, for suspensions and limits: these failures delay nothing.
    world.steps.fail(step, times=1 + len(READ_PAUSES_MS) + 2 * (step == "tenants.get"))
    world.attempt(apart)
    refunded = world.standing(apart.id)
    assert (refunded.state, refunded.attempt, refunded.progress.outcomes) == (State.WAITING, 0, ())
    world.clock.time_ms += 60_000
    world.attempt(apart)
    assert world.standing(apart.id).state is State.SUCCEEDED
    assert dict(world.sender.calls[0].callback.headers)["X-Attempt"] == "1"


@pytest.mark.parametrize("step", ["tenants.get", "jobs.get_payload"])
def test_the_only_attempt_is_not_given_up_at_the_first_read_that_goes_unanswered(step: str) -> None:
    world = World(DUE_AT)
    retry = RetryPolicy(max_attempts=1)
    apart = world.put(with_changes(world.one_off(), payload_id=one_off().job_id, request=b"", retry=retry))
    world.jobs.put_payload(Payload(apart.tenant_id, apart.job_id, world.seal(apart.job_id), stored_at=0))
    world.steps.fail(step, times=len(READ_PAUSES_MS) + 2 * (step == "tenants.get"))
    world.attempt(apart)
    assert world.standing(apart.id).state is State.SUCCEEDED


EARLY_BY_MS = 800


def early_world() -> tuple[World, Execution]:
    """A large request, whose message comes before its time."""
    world = World(DUE_AT - EARLY_BY_MS)
    apart = world.put(with_changes(world.one_off(), payload_id=one_off().job_id, request=b""))
    world.jobs.put_payload(Payload(apart.tenant_id, apart.job_id, world.seal(apart.job_id), stored_at=0))
    return world, apart


def test_large_request_is_read_once_and_before_its_time_so_that_the_read_delays_no_call() -> None:
    world, apart = early_world()
    read_at: list[int] = []
    world.steps.after("jobs.get_payload", lambda: read_at.append(world.clock.time_ms))
    world.steps.after("jobs.get_payload", lambda: setattr(world.clock, "time_ms", DUE_AT - 300))
    world.attempt(apart)
    assert read_at == [DUE_AT - EARLY_BY_MS]
    assert world.steps.count("jobs.get_payload") == 1
    assert [call.at for call in world.sender.calls] == [DUE_AT]
    assert world.sender.calls[0].callback.body == REQUEST.body


def test_large_request_that_cannot_be_read_ahead_is_read_when_it_is_due() -> None:
    world, apart = early_world()
    world.steps.fail("jobs.get_payload")
    world.attempt(apart)
    assert world.steps.count("jobs.get_payload") == 2
    assert [call.at for call in world.sender.calls] == [DUE_AT]


def test_large_request_that_is_gone_fails_at_its_time_and_without_a_call() -> None:
    world, apart = early_world()
    world.table.payloads.clear()
    world.attempt(apart)
    assert [outcome.started_at for outcome in world.standing(apart.id).progress.outcomes] == [DUE_AT]
    assert world.sender.calls == []


DAY_MS = 86_400_000
TABLES = [(60,), (600, 1_200), (86_400,) * 7, (1, 900, 901, 86_399)]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("draw", [0.0, 0.999])
def test_a_table_of_delays_is_followed_entry_by_entry_through_pointers_too(
    table: tuple[int, ...], draw: float
) -> None:
    world, execution = world_with(DOWN, max_attempts=len(table) + 1, delays_seconds=table)
    world.entropy.draw = lambda: draw  # type: ignore[method-assign]
    world.file.execute(execution)
    failed = to_the_end(world, execution)
    assert (failed.progress.end_reason, failed.attempt) == (EndReason.ATTEMPTS_USED_UP, len(table) + 1)
    began = [outcome.started_at for outcome in failed.progress.outcomes]
    waits = [later - earlier - DOWN.duration_ms for earlier, later in pairwise(began)]
    for waited_ms, seconds in zip(waits, table, strict=True):
        assert seconds * 900 <= waited_ms <= seconds * 1_000
    assert {row.pointer.claims for row in world.table.pointers.values()} == {
        number for number, seconds in enumerate(table, 1) if waits[number - 1] > 900_000
    }
    assert began[-1] - began[0] <= 7 * DAY_MS + len(table) * DOWN.duration_ms


@pytest.mark.parametrize(("asked", "ends"), [(59, False), (60, True), (99_999, True)])
def test_execution_that_would_be_too_old_at_its_retry_fails_at_once(asked: int, ends: bool) -> None:
    world, execution = world_with(asks_for(asked), give_up_after_seconds=60)
    world.attempt(execution)
    standing = world.standing(execution.id)
    assert (standing.state is State.FAILED) is ends
    assert standing.progress.end_reason is (EndReason.TOO_OLD if ends else None)
    assert world.table.executions[execution.id].is_dead_letter is ends
    assert len(world.sent()) == (0 if ends else 1)


def test_retry_after_keeps_no_execution_waiting_beyond_the_retention_of_records() -> None:
    policy = {"max_attempts": 20, "base_seconds": 1, "factor": 1, "cap_seconds": 86_400}
    world, execution = world_with(asks_for(86_400), **policy)
    world.file.execute(execution)
    failed = to_the_end(world, execution)
    assert (failed.progress.end_reason, failed.attempt) == (EndReason.TOO_OLD, 8)
    assert failed.progress.outcomes[-1].started_at - failed.progress.outcomes[0].started_at < 8 * DAY_MS


@pytest.mark.parametrize(("late_ms", "calls"), [(0, 1), (60_000, 1), (60_001, 0), (DAY_MS, 0)])
def test_no_attempt_begins_of_what_is_too_old_not_even_the_first(late_ms: int, calls: int) -> None:
    world = World(DUE_AT + late_ms)
    execution = world.put(world.one_off(retry=RetryPolicy(give_up_after_seconds=60)))
    world.attempt(execution)
    standing = world.standing(execution.id)
    assert len(world.sender.calls) == calls
    assert standing.state is (State.SUCCEEDED if calls else State.FAILED)
    if not calls:
        assert (standing.progress.end_reason, standing.progress.outcomes[-1].reason) == (
            EndReason.TOO_OLD,
            Reason.TOO_OLD,
        )


def test_execution_that_expires_while_its_request_is_read_makes_no_call() -> None:
    world = World(DUE_AT + 59_999)
    retry = RetryPolicy(give_up_after_seconds=60)
    execution = world.put(with_changes(world.one_off(retry=retry), payload_id=one_off().job_id, request=b""))
    world.jobs.put_payload(
        Payload(execution.tenant_id, execution.job_id, world.seal(execution.job_id), stored_at=0)
    )
    world.steps.after("jobs.get_payload", lambda: setattr(world.clock, "time_ms", DUE_AT + 60_001))
    world.attempt(execution)
    assert world.sender.calls == []
    assert world.standing(execution.id).progress.end_reason is EndReason.TOO_OLD


def test_a_run_that_is_too_old_files_its_successor_all_the_same() -> None:
    world = World(DUE_AT + 90_000)
    job = world.recurring(retry=RetryPolicy(give_up_after_seconds=60))
    world.attempt(world.standing(job.id_at(DUE_AT)))
    assert world.standing(job.id_at(DUE_AT)).progress.end_reason is EndReason.TOO_OLD
    assert len(world.occurrences(job)) == 2


def test_the_receivers_word_that_no_retry_would_help_ends_it_at_once() -> None:
    world, execution = world_with(replace(DOWN, reason=Reason.RECEIVER_GAVE_UP, retry_after_seconds=5))
    world.attempt(execution)
    failed = world.standing(execution.id)
    assert (failed.state, failed.progress.end_reason) == (State.FAILED, EndReason.NOT_RETRYABLE)
    assert (failed.progress.outcomes[0].status, failed.progress.outcomes[0].reason) == (
        500,
        Reason.RECEIVER_GAVE_UP,
    )
    assert (failed.progress.last_body, world.sent()) == (b"down", [])
