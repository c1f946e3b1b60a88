"""SWEEP: attempts that go on are looked after as often as they must be heard of, however old their bucket is."""

from dataclasses import replace

import pytest

from shared.domain.delivery.retry import RetryPolicy
from shared.domain.dispatch.sweep import LaneProgress
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.names import Lane
from tests.support.builders import BUCKET, DUE_AT
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.reports import is_running, token_of, working
from tests.support.usecases.world import World

TICK_MS = 60_000
HOUR_MS = 3_600_000


def tended(**fields: object) -> tuple[World, Execution, str]:
    """The bucket of an attempt that goes on, on the sweepers' list."""
    world, execution, token = working(**fields)  # type: ignore[arg-type]
    world.ledger.note_swept_through(BUCKET - 1)
    return world, execution, token


def tick(world: World, until: int) -> None:
    """A sweep a minute, and an executor for whatever it sends."""
    while world.clock.now_ms() < until:
        world.clock.time_ms += TICK_MS
        world.sweep.execute()


def test_sweep_sends_no_message_for_an_attempt_with_heartbeats() -> None:
    policy = replace(working()[1].call.async_policy, deadline_seconds=7_200)
    world, execution, token = tended(async_policy=policy)
    while world.clock.now_ms() < DUE_AT + HOUR_MS:
        world.clock.time_ms += TICK_MS - 1_000
        world.heartbeat.execute(str(execution.id), token)
        world.sweep.execute()
    assert world.sent() == []
    assert is_running(world, execution)


@pytest.mark.parametrize("heard_for_ms", [0, 5 * 60_000, 3 * HOUR_MS])
def test_next_attempt_begins_within_two_ticks_after_heartbeats_end(heard_for_ms: int) -> None:
    """However long ago the bucket has ended, and though such old ones are else swept once an hour."""
    policy = replace(working()[1].call.async_policy, deadline_seconds=43_200)
    world, execution, token = tended(async_policy=policy)
    while world.clock.now_ms() < DUE_AT + heard_for_ms:
        world.clock.time_ms += TICK_MS - 1_000
        world.heartbeat.execute(str(execution.id), token)
        world.sweep.execute()
    dies_at = (world.standing(execution.id).progress.lease_until or 0) + 1
    tick(world, dies_at + 2 * TICK_MS)
    Lanes(world).until(world.clock.now_ms())
    assert is_running(world, execution, attempt=2)
    assert world.sender.calls[-1].at <= dies_at + 3 * TICK_MS


def test_the_last_one_is_given_up() -> None:
    world, execution, _ = tended(retry=RetryPolicy(max_attempts=1))
    tick(world, DUE_AT + 5 * TICK_MS)
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.FAILED, EndReason.WORKER_LOST)
    assert world.sent() == []


def test_async_attempt_with_stopped_retries_is_given_up() -> None:
    world, execution, _ = tended()
    world.cancel_job.execute(execution.tenant_id, execution.job_id, stop_retries=True)
    tick(world, DUE_AT + 5 * TICK_MS)
    assert world.standing(execution.id).progress.end_reason is EndReason.WORKER_LOST
    assert len(world.sender.calls) == 1


def test_async_attempt_with_a_heartbeat_at_the_last_moment_is_not_given_up() -> None:
    world, execution, token = tended(retry=RetryPolicy(max_attempts=1))
    world.steps.before("store.give_up", lambda: world.heartbeat.execute(str(execution.id), token))
    world.clock.time_ms = (execution.progress.lease_until or 0) + TICK_MS
    world.sweep.execute()
    assert is_running(world, execution)


def test_lane_that_is_behind_does_not_delay_the_next_async_attempt() -> None:
    """Its message was done long ago: there is none in the lane that could still come."""
    world, execution, _ = tended()
    while world.clock.now_ms() < DUE_AT + 4 * TICK_MS and not world.sent():
        world.clock.time_ms += TICK_MS
        behind = LaneProgress(visible_at=DUE_AT - HOUR_MS, reported_at=world.clock.now_ms())
        world.lane_progress.report(Lane.STANDARD, behind)
        world.sweep.execute()
    assert world.sent() == [execution.id]
    assert world.clock.now_ms() <= DUE_AT + 3 * TICK_MS


def test_async_attempt_without_heartbeats_ends_by_sweeps_alone() -> None:
    world, execution, _ = tended()
    lanes = Lanes(world)
    while world.clock.now_ms() < DUE_AT + 20 * TICK_MS:
        world.clock.time_ms += TICK_MS
        world.sweep.execute()
        lanes.until(world.clock.now_ms())
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason, standing.attempt) == (
        State.FAILED,
        EndReason.WORKER_LOST,
        3,
    )
    assert len(world.sender.calls) == 3
    assert token_of(world, 0) != token_of(world, 2)
