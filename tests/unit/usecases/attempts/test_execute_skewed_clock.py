"""EXECUTE with a clock that differs from the clock of SQS."""

from dataclasses import replace

import pytest

from shared.domain.executions.execution import LEASE_MARGIN_MS, Execution
from shared.domain.executions.states import State
from shared.names import EXECUTOR_BATCH
from shared.usecases.attempts.batch_report import BatchReport, Verdict
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT, in_state, with_changes
from tests.support.usecases.messages import delivery
from tests.support.usecases.world import World

AHEAD_MS = 300_000


def run(world: World, execution: Execution, received_at: int | None, receives: int = 1) -> BatchReport:
    return world.run(delivery(execution, receives=receives, sent_at=1, first_received_at=received_at))


@pytest.mark.parametrize("skew_ms", [30_000, AHEAD_MS, 86_400_000])
def test_early_message_goes_back_although_a_fast_clock_shows_the_due_time(skew_ms: int) -> None:
    world = World(DUE_AT - 20_000 + skew_ms)
    execution = world.put(world.one_off())
    report = run(world, execution, DUE_AT - 20_000)
    (settled,) = report.settled
    assert (settled.verdict, settled.visible_after_seconds) == (Verdict.RETURN, 20)
    assert world.sender.calls == []
    assert world.standing(execution.id) == execution
    assert report.clock_skew_ms == skew_ms


def test_call_waits_for_the_slower_clock_and_the_lease_stays_on_the_own_clock() -> None:
    own_now = DUE_AT - 1_000 + AHEAD_MS
    world = World(own_now)
    execution = world.put(world.one_off())
    leases: list[int | None] = []
    world.steps.after(
        "claimer.claim", lambda: leases.append(world.standing(execution.id).progress.lease_until)
    )
    run(world, execution, DUE_AT - 1_000)
    assert [call.at for call in world.sender.calls] == [DUE_AT + AHEAD_MS]
    assert leases == [own_now + execution.call.timeout_ms + LEASE_MARGIN_MS]


def test_slow_clock_is_reported_and_the_call_waits_for_it() -> None:
    world = World(DUE_AT - 30_000)
    execution = world.put(world.one_off())
    report = run(world, execution, DUE_AT)
    assert report.clock_skew_ms == -30_000
    assert [settled.visible_after_seconds for settled in report.settled] == [30]
    assert world.sender.calls == []


def test_next_batch_of_the_process_is_judged_by_its_own_messages() -> None:
    world = World(DUE_AT - 20_000 + AHEAD_MS)
    execution = world.put(world.one_off())
    assert run(world, execution, DUE_AT - 20_000).clock_skew_ms == AHEAD_MS
    world.clock.time_ms = DUE_AT
    assert run(world, execution, DUE_AT).clock_skew_ms == 0
    assert [call.at for call in world.sender.calls] == [DUE_AT]


def test_old_first_receive_of_a_redelivered_message_delays_no_call() -> None:
    world = World(DUE_AT + AHEAD_MS)
    execution = world.put(world.one_off())
    run(world, execution, DUE_AT - 20_000, receives=2)
    assert [call.at for call in world.sender.calls] == [DUE_AT + AHEAD_MS]


def test_claim_that_a_fast_clock_made_too_early_is_refunded_and_stays_due_at_its_time() -> None:
    """An old message names a retry that is due in five minutes, and the fast clock grants the claim."""
    world = World(DUE_AT + AHEAD_MS)
    waiting = world.put(in_state(world.one_off(), State.WAITING))
    old_message = delivery(world.one_off(), sent_at=1, first_received_at=DUE_AT)
    (attempt,) = world.run(old_message).attempts
    assert attempt.end is AttemptEnd.REFUNDED
    assert world.sender.calls == []
    standing = world.standing(waiting.id)
    assert (standing.state, standing.attempt) == (State.WAITING, waiting.attempt)
    assert standing.not_before >= waiting.not_before


def test_clock_that_steps_far_back_while_waiting_costs_no_attempt() -> None:
    world = World(DUE_AT - 1_000)
    execution = world.put(world.one_off())
    stepped_to = DUE_AT - LEASE_MARGIN_MS - 1
    world.steps.after("claimer.claim", lambda: setattr(world.clock, "time_ms", stepped_to))
    (attempt,) = world.attempt(execution).attempts
    assert attempt.end is AttemptEnd.REFUNDED
    assert world.sender.calls == []
    standing = world.standing(execution.id)
    assert (standing.state, standing.attempt) == (State.WAITING, 0)
    assert standing.not_before == DUE_AT


def test_refund_after_a_step_of_the_clock_makes_no_retry_early() -> None:
    world = World(DUE_AT + 59_000)
    waiting = world.put(in_state(world.one_off(), State.WAITING))
    world.steps.after("claimer.claim", lambda: setattr(world.clock, "time_ms", DUE_AT))
    (attempt,) = world.attempt(waiting).attempts
    assert attempt.end is AttemptEnd.REFUNDED
    assert world.standing(waiting.id).not_before == waiting.not_before == DUE_AT + 60_000


def test_fast_clock_reports_no_lane_as_late() -> None:
    world = World(DUE_AT + AHEAD_MS)
    execution = world.put(world.one_off())
    run(world, execution, DUE_AT)
    assert len(world.sender.calls) == 1
    assert world.lane_progress.read(execution.lane) is None


def test_fast_clock_moves_no_full_batch_to_the_bulk_lane() -> None:
    world = World(DUE_AT + 10 * AHEAD_MS)
    executions = [world.put(world.one_off(number)) for number in range(EXECUTOR_BATCH)]
    report = world.run(*(delivery(each, first_received_at=DUE_AT) for each in executions))
    assert report.deferred == []
    assert len(world.sender.calls) == EXECUTOR_BATCH


def test_fast_clock_gives_no_execution_up() -> None:
    world = World(DUE_AT + AHEAD_MS)
    plain = world.one_off()
    retry = replace(plain.call.retry, give_up_after_seconds=60)
    execution = world.put(with_changes(plain, retry=retry))
    run(world, execution, DUE_AT)
    assert len(world.sender.calls) == 1
