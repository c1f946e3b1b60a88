"""EXECUTE: never early, by the worker's clock; claim first, then wait the rest."""

import pytest

from shared.domain.executions.states import State
from shared.usecases.attempts.batch_report import Verdict
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT, in_state
from tests.support.usecases.messages import delivery
from tests.support.usecases.world import World


@pytest.mark.parametrize(
    ("early_ms", "wait_seconds"), [(1_501, 2), (2_000, 2), (2_001, 3), (900_000, 900), (86_400_000, 86_400)]
)
def test_a_message_that_comes_too_early_is_put_back_for_the_rest(early_ms: int, wait_seconds: int) -> None:
    world = World(DUE_AT - early_ms)
    execution = world.put(world.one_off())
    (settled,) = world.attempt(execution).settled
    assert (settled.verdict, settled.visible_after_seconds) == (Verdict.RETURN, wait_seconds)
    assert world.standing(execution.id) == execution
    assert world.steps.taken == []


@pytest.mark.parametrize("early_ms", [1_500, 1, 0, -60_000])
def test_no_call_begins_before_its_time(early_ms: int) -> None:
    world = World(DUE_AT - early_ms)
    execution = world.put(world.one_off())
    world.steps.before("claimer.claim", lambda: claimed_at.append(world.clock.time_ms))
    claimed_at: list[int] = []
    report = world.attempt(execution)
    assert claimed_at == [DUE_AT - early_ms], "claimed first, waited then"
    assert [call.at for call in world.sender.calls] == [max(DUE_AT, DUE_AT - early_ms)]
    assert report.attempts[0].lag_ms == max(0, -early_ms)


def test_the_keys_of_a_pack_each_wait_for_their_own_instant() -> None:
    second = DUE_AT // 1000 * 1000
    world = World(second - 1_500)
    executions = [world.put(world.one_off(number, due_at=second + number * 300)) for number in range(4)]
    report = world.run(delivery(*executions))
    assert [settled.verdict for settled in report.settled] == [Verdict.DONE]
    for execution, call in zip(executions, sorted(world.sender.calls, key=lambda call: call.at), strict=True):
        assert call.at >= execution.id.dispatch_at


def test_a_clock_that_steps_back_while_waiting_makes_nobody_early() -> None:
    world = World(DUE_AT - 1_000)
    execution = world.put(world.one_off())
    world.steps.after("claimer.claim", lambda: setattr(world.clock, "time_ms", DUE_AT - 3_000))
    world.attempt(execution)
    assert [call.at for call in world.sender.calls] == [DUE_AT]


def test_a_retry_waits_for_its_own_instant() -> None:
    world = World(DUE_AT + 59_000)
    execution = world.put(in_state(world.one_off(), State.WAITING))
    world.attempt(execution)
    assert [call.at for call in world.sender.calls] == [DUE_AT + 60_000]


def test_a_message_cannot_make_a_retry_early() -> None:
    """The message says now; the item says later, and the item is the truth."""
    world = World(DUE_AT + 10_000)
    old_message = delivery(world.one_off())
    world.put(in_state(world.one_off(), State.WAITING))
    report = world.run(old_message)
    assert world.sender.calls == []
    assert [settled.verdict for settled in report.settled] == [Verdict.DONE]
    assert [message.visible_at for message in world.queue.messages] == [DUE_AT + 60_000]


def test_a_success_is_recorded_with_its_attempt_and_its_retention() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    report = world.attempt(execution)
    row = world.table.executions[execution.id]
    (outcome,) = row.execution.progress.outcomes
    assert (row.execution.state, row.execution.attempt) == (State.SUCCEEDED, 1)
    assert (outcome.attempt, outcome.started_at, outcome.duration_ms, outcome.status) == (1, DUE_AT, 5, 200)
    assert row.expires_at_s == world.retention.expires_at_s(world.clock.time_ms)
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.SUCCEEDED]


def test_the_call_is_signed_and_carries_the_id_that_receivers_deduplicate_by() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.attempt(execution)
    callback = world.sender.calls[0].callback
    headers = dict(callback.headers)
    assert (callback.method, callback.url, callback.body) == (
        "POST",
        "https://receiver.example/hook",
        b'{"n":1}',
    )
    assert headers["webhook-id"] == headers["Idempotency-Key"] == str(execution.id)
    assert (headers["X-Job-Id"], headers["X-Attempt"]) == (execution.job_id, "1")
    assert headers["X-Scheduled-At"] == "2025-02-19T21:20:12.345Z"
    assert headers["webhook-signature"].startswith("v1,")
