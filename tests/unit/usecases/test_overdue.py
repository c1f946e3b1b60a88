"""SWEEP tells operators how long a job is overdue that no worker has claimed; apart from those that wait as ordered."""

from typing import Any

import pytest

from shared.domain.bucket import bucket_end_ms
from shared.domain.execution import State
from shared.domain.limits import destination_scope, tenant_scope
from shared.domain.sweep import YIELDS_AT_MOST_MS, LaneProgress
from shared.names import Lane, QueueName
from shared.usecases.sweep_buckets import SweepReport
from tests.builders import BUCKET, DUE_AT, TENANT, in_state, one_off
from tests.unit.usecases.world import World

HERE = "0123456789"
NOW = bucket_end_ms(BUCKET) + 60_000
OVERDUE = NOW - DUE_AT
SCOPES = [tenant_scope(TENANT), destination_scope(HERE)]


def due(**fields: Any) -> World:
    """One job that is overdue, to a destination."""
    world = World(NOW)
    world.ledger.note_swept_through(BUCKET - 1)
    world.put(one_off(1, **{"state": State.QUEUED, "destination": HERE} | fields))
    return world


def waits(world: World, *scopes: str) -> World:
    """Something waits in these scopes."""
    world.limits.board |= dict.fromkeys(scopes, world.clock.now_ms() + 60_000)
    return world


def told(report: SweepReport) -> tuple[int, int]:
    return report.oldest_unclaimed_ms, report.oldest_waiting_ms


@pytest.mark.parametrize("scope", SCOPES)
def test_what_waits_for_a_limit_or_a_destination_is_told_apart(scope: str) -> None:
    assert told(waits(due(), scope).sweep()) == (0, OVERDUE)


@pytest.mark.parametrize("scopes", [[], ["t#another"], ["d#9876543210"]])
def test_what_nothing_is_known_to_keep_counts(scopes: list[str]) -> None:
    assert told(waits(due(), *scopes).sweep()) == (OVERDUE, 0)


def test_an_entry_that_has_ended_excuses_nothing() -> None:
    world = due()
    world.limits.board[SCOPES[0]] = NOW
    assert told(world.sweep()) == (OVERDUE, 0)


def test_each_is_the_oldest_of_its_kind() -> None:
    world = waits(due(), SCOPES[1])
    world.put(one_off(2, due_at=DUE_AT + 1_000, state=State.QUEUED, destination=HERE))
    world.put(one_off(3, due_at=DUE_AT + 2_000, state=State.QUEUED))
    world.put(one_off(4, due_at=DUE_AT + 3_000, state=State.QUEUED))
    assert told(world.sweep()) == (OVERDUE - 2_000, OVERDUE)


def test_while_the_board_cannot_be_read_everything_counts() -> None:
    world = waits(due(), *SCOPES)
    world.steps.fail("limits.waiting", times=10)
    assert told(world.sweep()) == (OVERDUE, 0)


@pytest.mark.parametrize("lane", Lane)
def test_whatever_the_board_says_a_lane_with_messages_that_nobody_takes_is_down(lane: Lane) -> None:
    """A tenant that waits in one lane cannot hide that another one is down."""
    world = waits(due(lane=lane), *SCOPES)
    world.queue.backlog[QueueName(lane)] = 1
    assert told(world.sweep()) == (OVERDUE, 0)


def test_where_it_cannot_be_told_whether_a_lane_is_down_everything_counts() -> None:
    world = waits(due(), *SCOPES)
    world.steps.fail("backlog.visible", times=10)
    assert told(world.sweep()) == (OVERDUE, 0)


def test_messages_in_a_lane_where_work_begins_say_nothing() -> None:
    world = waits(due(), *SCOPES)
    world.queue.backlog[QueueName.STANDARD] = 50
    world.put(in_state(one_off(2, tenant_id="another", due_at=DUE_AT + 1_000), State.SUCCEEDED, attempt=1))
    assert told(world.sweep()) == (0, OVERDUE)


def test_a_worker_with_an_old_job_is_at_work() -> None:
    world = due()
    world.queue.backlog[QueueName.STANDARD] = 50
    world.clock.time_ms += 3_600_000
    waits(world, *SCOPES)
    world.put(in_state(one_off(2), State.RUNNING, lease_until=world.clock.time_ms + 1))
    assert told(world.sweep()) == (0, OVERDUE + 3_600_000)


@pytest.mark.parametrize(
    "other",
    [
        in_state(one_off(2, lane=Lane.CRITICAL), State.SUCCEEDED, attempt=1),
        in_state(one_off(2), State.CANCELLED),
        in_state(one_off(2, due_at=DUE_AT - 180_000), State.SUCCEEDED, attempt=1),
        in_state(one_off(2, due_at=DUE_AT - 180_000), State.RUNNING, lease_until=NOW - 60_000),
    ],
    ids=["another lane's", "never begun", "long ago", "its worker may be dead"],
)
def test_what_says_nothing_of_a_lane_now_does_not_excuse_it(other: Any) -> None:
    world = waits(due(), *SCOPES)
    world.queue.backlog[QueueName.STANDARD] = 1
    world.ledger.reopen(BUCKET - 3, 0, 0)
    world.put(other)
    assert told(world.sweep()) == (OVERDUE, 0)


@pytest.mark.parametrize(
    ("lane", "behind", "ago_ms", "is_excused"),
    [
        (Lane.BULK, Lane.STANDARD, 0, True),
        (Lane.BULK, Lane.CRITICAL, 119_999, True),
        (Lane.BULK, Lane.STANDARD, 120_001, False),
        (Lane.BULK, Lane.BULK, 0, False),
        (Lane.STANDARD, Lane.CRITICAL, 0, False),
    ],
)
def test_bulk_that_makes_room_is_told_apart(lane: Lane, behind: Lane, ago_ms: int, is_excused: bool) -> None:
    world = due(lane=lane)
    world.board.report(behind, LaneProgress(visible_at=NOW - 60_000, reported_at=NOW - ago_ms))
    assert told(world.sweep()) == ((0, OVERDUE) if is_excused else (OVERDUE, 0))


def test_bulk_that_makes_no_room_any_more_counts() -> None:
    world = due(lane=Lane.BULK)
    world.clock.time_ms = DUE_AT + YIELDS_AT_MOST_MS
    progress = LaneProgress(visible_at=NOW, reported_at=world.clock.time_ms)
    world.board.report(Lane.STANDARD, progress)
    assert told(world.sweep()) == (YIELDS_AT_MOST_MS, 0)


def test_retries_and_what_runs_are_neither() -> None:
    world = waits(due(state=State.SUCCEEDED), *SCOPES)
    world.put(in_state(one_off(2, destination=HERE), State.WAITING))
    world.put(in_state(one_off(3, destination=HERE), State.RUNNING))
    assert told(world.sweep()) == (0, 0)
