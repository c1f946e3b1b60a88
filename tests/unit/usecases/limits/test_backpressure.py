"""Backpressure: bulk work waits while another lane is behind, and late work makes room for fresh work."""

from typing import Any

import pytest

from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.dispatch.sweep import BACKED_UP_MS, LATE_MS, MAX_YIELD_MS, LaneProgress
from shared.domain.executions.stages import WaitCause
from shared.domain.executions.states import State
from shared.domain.limits.scopes import WaitReason
from shared.names import EXECUTOR_BATCH, Lane, QueueName
from shared.usecases.limits.apply_backpressure import SPREAD_MS, ApplyBackpressure, ReceivedMessage
from tests.support.builders import DUE_AT, wakeup
from tests.support.usecases.world import World

NOW = DUE_AT + LATE_MS


def at(now_ms: int = NOW) -> tuple[World, ApplyBackpressure]:
    world = World(now_ms)
    return world, ApplyBackpressure(world.tapped("progress", world.lane_progress), world.clock, world.entropy)


def batch(
    count: int = EXECUTOR_BATCH, visible_at: int = DUE_AT, receives: int = 1, **fields: Any
) -> list[ReceivedMessage]:
    wait = WaitSoFar(visible_at=visible_at, received_at=visible_at)
    return [
        ReceivedMessage(
            wakeup=wakeup(number, **fields), visible_at=visible_at, receive_count=receives, wait=wait
        )
        for number in range(count)
    ]


def behind(world: World, lane: Lane, ago_ms: int = 0) -> None:
    now_ms = world.clock.now_ms()
    world.lane_progress.report(lane, LaneProgress(visible_at=now_ms - 60_000, reported_at=now_ms - ago_ms))


def test_a_full_batch_of_late_messages_goes_on_through_the_lane_for_bulk_at_once() -> None:
    _, backpressure = at()
    found = backpressure.deferrals(batch(), QueueName.STANDARD)
    assert len(found) == EXECUTOR_BATCH
    assert {(one.reason, one.wait_ms, one.via) for one in found.values()} == {
        (WaitReason.LATE, 0, QueueName.BULK)
    }


@pytest.mark.parametrize(
    "arrived",
    [
        batch(EXECUTOR_BATCH - 1),
        batch(visible_at=DUE_AT + 1),
        batch(receives=2),
        batch(via=QueueName.STANDARD),
    ],
)
def test_full_fresh_returned_or_rerouted_batch_is_not_deferred(arrived: list[ReceivedMessage]) -> None:
    _, backpressure = at()
    assert backpressure.deferrals(arrived, QueueName.STANDARD) == {}


@pytest.mark.parametrize("queue", [QueueName.CRITICAL, QueueName.SLOW_STANDARD, QueueName.BULK])
def test_no_other_queue_sends_late_work_elsewhere(queue: QueueName) -> None:
    _, backpressure = at()
    assert backpressure.deferrals(batch(), queue) == {}


@pytest.mark.parametrize(
    ("lane", "ago_ms", "left_ms"),
    [
        (Lane.CRITICAL, 0, BACKED_UP_MS),
        (Lane.STANDARD, 10_000, BACKED_UP_MS - 10_000),
        (Lane.STANDARD, BACKED_UP_MS - 1, 1),
        (Lane.STANDARD, -3_600_000, BACKED_UP_MS),
    ],
)
def test_bulk_waits_until_what_another_lane_said_of_being_behind_is_old(
    lane: Lane, ago_ms: int, left_ms: int
) -> None:
    """Not in vain in between, and not for long where a clock was wrong."""
    world, backpressure = at()
    behind(world, lane, ago_ms)
    found = backpressure.deferrals(batch(3, lane=Lane.BULK), QueueName.BULK)
    assert {(one.reason, one.via) for one in found.values()} == {(WaitReason.BACKPRESSURE, None)}
    assert all(left_ms <= one.wait_ms <= left_ms + SPREAD_MS for one in found.values())


@pytest.mark.parametrize(("lane", "ago_ms"), [(Lane.STANDARD, BACKED_UP_MS), (Lane.BULK, 0)])
def test_bulk_does_not_wait_where_no_other_lane_is_behind(lane: Lane, ago_ms: int) -> None:
    world, backpressure = at()
    behind(world, lane, ago_ms)
    assert backpressure.deferrals(batch(3, lane=Lane.BULK), QueueName.BULK) == {}


@pytest.mark.parametrize("lane", [Lane.CRITICAL, Lane.STANDARD])
def test_work_of_other_lanes_that_goes_through_the_lane_for_bulk_waits_for_nobody(lane: Lane) -> None:
    """It is late, and its own lane may be behind for long."""
    world, backpressure = at()
    behind(world, lane)
    arrived = [*batch(3, lane=Lane.STANDARD, via=QueueName.BULK), *batch(5, lane=Lane.BULK)[3:]]
    own = {key for one in arrived[3:] for key in one.wakeup.keys}
    assert backpressure.deferrals(arrived, QueueName.BULK).keys() == own


@pytest.mark.parametrize(("overdue_ms", "waits"), [(MAX_YIELD_MS - 1, True), (MAX_YIELD_MS, False)])
def test_bulk_waits_for_a_quarter_of_an_hour_at_most(overdue_ms: int, waits: bool) -> None:
    world, backpressure = at(DUE_AT + overdue_ms)
    behind(world, Lane.STANDARD)
    assert bool(backpressure.deferrals(batch(1, lane=Lane.BULK), QueueName.BULK)) is waits


POSTPONED_MS = 3_600_000


def postponed(not_before: int, wait: WaitSoFar | None = None, **fields: Any) -> ReceivedMessage:
    """A message of a bulk run, whose due time may be later than the instant of its ID."""
    woken = wakeup(1, lane=Lane.BULK, not_before=not_before, wait=wait, **fields)
    visible_at = woken.not_before
    return ReceivedMessage(
        wakeup=woken,
        visible_at=visible_at,
        receive_count=1,
        wait=wait or WaitSoFar(visible_at=visible_at, received_at=visible_at),
    )


@pytest.mark.parametrize(("overdue_ms", "waits"), [(MAX_YIELD_MS - 1, True), (MAX_YIELD_MS, False)])
@pytest.mark.parametrize("is_deferred", [False, True])
def test_postponed_bulk_run_makes_room_for_as_long_as_any_other_from_its_due_time(
    overdue_ms: int, *, waits: bool, is_deferred: bool
) -> None:
    due_at = DUE_AT + POSTPONED_MS
    world, backpressure = at(due_at + overdue_ms)
    behind(world, Lane.STANDARD)
    message = postponed(due_at)
    if is_deferred:
        first = WaitSoFar(visible_at=due_at, received_at=due_at).deferred(WaitCause.BACKPRESSURE, 60_000)
        message = postponed(due_at + overdue_ms, first, waited=1)
    assert bool(backpressure.deferrals([message], QueueName.BULK)) is waits


@pytest.mark.parametrize(
    ("sent_late_ms", "cause", "fields"),
    [
        (600_000, WaitCause.BACKPRESSURE, {}),
        (POSTPONED_MS, WaitCause.TENANT_CONCURRENCY, {}),
        (POSTPONED_MS, WaitCause.BACKPRESSURE, {"ends_at": DUE_AT + 2 * POSTPONED_MS}),
    ],
    ids=["sent_late", "throttled", "resent"],
)
def test_bulk_run_whose_first_message_was_late_makes_no_room_for_longer(
    sent_late_ms: int, cause: WaitCause, fields: dict[str, Any]
) -> None:
    visible_at = DUE_AT + sent_late_ms
    world, backpressure = at(max(visible_at, DUE_AT + MAX_YIELD_MS))
    behind(world, Lane.STANDARD)
    late = WaitSoFar(visible_at=visible_at, received_at=visible_at).deferred(cause, 1_000)
    message = postponed(world.clock.time_ms, late, waited=1, **fields)
    assert backpressure.deferrals([message], QueueName.BULK) == {}


def test_reports_are_read_once_in_five_seconds_and_where_they_cannot_be_nothing_waits() -> None:
    world, backpressure = at()
    behind(world, Lane.STANDARD)
    world.steps.fail("progress.read")
    assert backpressure.deferrals(batch(1, lane=Lane.BULK), QueueName.BULK) == {}
    for _ in range(5):
        world.clock.time_ms += 1_000
        found = backpressure.deferrals(batch(1, lane=Lane.BULK), QueueName.BULK)
    assert len(found) == 1
    assert world.steps.count("progress.read") == 3


def test_execution_under_backpressure_is_not_claimed_and_its_message_is_delayed() -> None:
    world, _ = at()
    job = world.put(world.one_off(state=State.QUEUED, lane=Lane.BULK))
    behind(world, Lane.CRITICAL)
    gate = world.run_attempts.gate
    object.__setattr__(gate, "queue", QueueName.BULK)
    report = world.attempt(job)
    assert (len(report.deferred), report.attempts, world.standing(job.id)) == (1, [], job)
    (message,) = world.queue.messages
    assert (message.wakeup.queue, message.wakeup.keys) == (QueueName.BULK, (job.id,))
