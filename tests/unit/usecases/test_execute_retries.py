"""EXECUTE: what follows a failed attempt."""

from dataclasses import replace

import pytest

from shared.domain.delivery import Answer, Reason
from shared.domain.execution import EndReason, Execution, State
from shared.domain.retry import RetryPolicy
from shared.usecases.call_receiver import READ_PAUSES_MS
from shared.usecases.run_attempts import Verdict
from shared.usecases.settle_attempt import AttemptEnd
from tests.builders import DUE_AT, in_state, one_off
from tests.fakes.sender import in_turn
from tests.unit.usecases.lanes import Lanes
from tests.unit.usecases.world import World

DOWN = Answer(reason=Reason.HTTP_STATUS, duration_ms=5, status=500, body=b"down")
GONE = replace(DOWN, status=410)
OK = Answer(reason=Reason.OK, duration_ms=5, status=200)


def asks_for(seconds: int) -> Answer:
    return replace(DOWN, status=503, retry_after_seconds=seconds)


def world_with(*answers: Answer, **policy: int) -> tuple[World, Execution]:
    world = World(DUE_AT, answer_to=in_turn(*answers))
    return world, world.put(world.one_off(retry=RetryPolicy(**policy)))


def test_a_failed_attempt_waits_and_its_message_is_held_until_then() -> None:
    world, execution = world_with(DOWN)
    report = world.attempt(execution)
    waiting = world.standing(execution.id)
    assert (waiting.state, waiting.attempt, waiting.last_body) == (State.WAITING, 1, b"down")
    assert waiting.next_attempt_at is not None
    assert DUE_AT <= waiting.next_attempt_at <= DUE_AT + 10_005
    assert world.table.executions[execution.id].expires_at_s is None
    assert world.queue.messages[0].wakeup.not_before == waiting.next_attempt_at
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.RETRIED]
    assert report.returned() == []


@pytest.mark.parametrize(("asked", "wait_ms"), [(120, 120_000), (99_999, 600_000)])
def test_retry_after_is_honoured_up_to_the_cap(asked: int, wait_ms: int) -> None:
    world, execution = world_with(asks_for(asked), cap_seconds=600)
    world.attempt(execution)
    assert world.standing(execution.id).next_attempt_at == DUE_AT + 5 + wait_ms


def test_a_job_is_retried_until_it_succeeds_and_remembers_every_attempt() -> None:
    world, execution = world_with(DOWN, DOWN, OK)
    world.file(execution)
    Lanes(world).until(DUE_AT + 600_000)
    done = world.standing(execution.id)
    assert (done.state, done.attempt, done.end_reason) == (State.SUCCEEDED, 3, None)
    assert [(outcome.attempt, outcome.status) for outcome in done.outcomes] == [(1, 500), (2, 500), (3, 200)]
    assert [dict(call.callback.headers)["X-Attempt"] for call in world.sender.calls] == ["1", "2", "3"]
    assert len({dict(call.callback.headers)["webhook-id"] for call in world.sender.calls}) == 1


def test_when_its_attempts_are_used_up_it_fails_and_is_a_dead_letter() -> None:
    world, execution = world_with(DOWN, max_attempts=3)
    world.file(execution)
    Lanes(world).until(DUE_AT + 600_000)
    row = world.table.executions[execution.id]
    assert (row.execution.state, row.execution.attempt) == (State.FAILED, 3)
    assert row.execution.end_reason is EndReason.ATTEMPTS_USED_UP
    assert row.is_dead_letter
    assert row.expires_at_s is not None
    assert len(world.sender.calls) == 3


def test_410_is_the_receivers_word_to_stop() -> None:
    world, execution = world_with(GONE)
    world.attempt(execution)
    failed = world.standing(execution.id)
    assert (failed.state, failed.end_reason) == (State.FAILED, EndReason.NOT_RETRYABLE)
    assert world.sent() == []


def test_410_on_the_last_attempt_is_still_the_receivers_word() -> None:
    world, execution = world_with(GONE, max_attempts=1)
    world.attempt(execution)
    assert world.standing(execution.id).end_reason is EndReason.NOT_RETRYABLE


def test_a_retry_beyond_the_reach_of_the_lanes_becomes_a_pointer() -> None:
    world, execution = world_with(asks_for(3_600), OK)
    world.attempt(execution)
    (row,) = world.table.pointers.values()
    assert (row.pointer.target, row.pointer.attempt) == (execution.id, 1)
    assert row.pointer.dispatch_at == world.standing(execution.id).next_attempt_at
    assert world.sent() == []


@pytest.mark.parametrize(("wait", "step"), [(60, "queue.send"), (3_600, "store.put_pointer")])
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


def test_the_payload_of_a_one_off_goes_when_it_has_ended_and_not_before() -> None:
    world = World(DUE_AT, answer_to=in_turn(DOWN, OK))
    apart = replace(world.one_off(), payload_apart=one_off().job_id, request=b"")
    world.jobs.put_payload(apart.tenant_id, apart.job_id, world.seal(apart.job_id))
    world.put(apart)
    world.attempt(apart)
    assert world.table.payload_expires_at_s == {}
    world.clock.time_ms += 60_000
    world.attempt(apart)
    assert world.standing(apart.id).state is State.SUCCEEDED
    assert list(world.table.payload_expires_at_s) == [(apart.tenant_id, apart.job_id)]


@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED, State.WAITING])
def test_a_request_that_cannot_be_read_is_a_failed_attempt_without_a_call(state: State) -> None:
    world = World(DUE_AT + 60_000)
    execution = world.put(in_state(replace(world.one_off(), request=b"garbage" * 10), state))
    world.attempt(execution)
    standing = world.standing(execution.id)
    assert standing.state is State.WAITING
    assert [outcome.reason for outcome in standing.outcomes] == [Reason.REQUEST_UNREADABLE]
    assert world.sender.calls == []


@pytest.mark.parametrize("step", ["tenants.get", "jobs.get_payload"])
def test_so_is_one_that_cannot_be_had_for_now(step: str) -> None:
    world = World(DUE_AT)
    apart = world.put(replace(world.one_off(), payload_apart=one_off().job_id, request=b""))
    world.jobs.put_payload(apart.tenant_id, apart.job_id, world.seal(apart.job_id))
    world.steps.fail(step, times=1 + len(READ_PAUSES_MS))
    world.attempt(apart)
    assert [outcome.reason for outcome in world.standing(apart.id).outcomes] == [Reason.REQUEST_UNREADABLE]
    world.clock.time_ms += 60_000
    world.attempt(apart)
    assert world.standing(apart.id).state is State.SUCCEEDED


@pytest.mark.parametrize("step", ["tenants.get", "jobs.get_payload"])
def test_the_only_attempt_is_not_given_up_at_the_first_read_that_goes_unanswered(step: str) -> None:
    world = World(DUE_AT)
    retry = RetryPolicy(max_attempts=1)
    apart = world.put(replace(world.one_off(), payload_apart=one_off().job_id, request=b"", retry=retry))
    world.jobs.put_payload(apart.tenant_id, apart.job_id, world.seal(apart.job_id))
    world.steps.fail(step, times=len(READ_PAUSES_MS))
    world.attempt(apart)
    assert world.standing(apart.id).state is State.SUCCEEDED
