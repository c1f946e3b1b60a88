"""SWEEP tells operators how long a job is overdue that no worker has claimed; apart from those that wait as ordered."""

from typing import Any

import pytest

from shared.domain.bucket import bucket_end_ms
from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.callback import Reason
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import MAX_YIELD_MS, LaneProgress
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import SlotLease
from shared.names import Lane, QueueName
from shared.usecases.ticks.sweep_pass import SweepReport
from tests.support.builders import BUCKET, DUE_AT, TENANT, in_state, one_off, with_changes
from tests.support.usecases.world import World

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
    world.limits.hot |= dict.fromkeys(scopes, world.clock.now_ms() + 60_000)
    return world


def began(at: int, state: State = State.SUCCEEDED, **fields: Any) -> Execution:
    """One whose call was made at an instant, and answered 50 ms later."""
    outcome = AttemptOutcome(attempt=1, started_at=at, duration_ms=50, status=200, reason=Reason.OK)
    return in_state(one_off(2, **fields), state, attempt=1, outcomes=(outcome,))


def slow(world: World, *leases: SlotLease, **circuit: Any) -> World:
    """The destination is reported as slow, and stays a hot scope for ten minutes."""
    world.limits.states[SCOPES[1]] = ScopeState(
        version=1, circuit=Circuit(slow=True, **circuit), leases=leases
    )
    world.limits.hot[SCOPES[1]] = world.clock.now_ms() + 600_000
    return world


def told(report: SweepReport) -> tuple[int, int]:
    return report.oldest_unclaimed_ms, report.oldest_waiting_ms


@pytest.mark.parametrize("scope", SCOPES)
def test_execution_that_waits_for_a_limit_is_measured_apart_from_overdue(scope: str) -> None:
    assert told(waits(due(), scope).sweep.execute()) == (0, OVERDUE)


@pytest.mark.parametrize("scopes", [[], ["t#another"], ["d#9876543210"]])
def test_execution_without_a_hot_scope_counts_as_overdue(scopes: list[str]) -> None:
    assert told(waits(due(), *scopes).sweep.execute()) == (OVERDUE, 0)


def test_an_entry_that_has_ended_excuses_nothing() -> None:
    world = due()
    world.limits.hot[SCOPES[0]] = NOW
    assert told(world.sweep.execute()) == (OVERDUE, 0)


def test_overdue_and_waiting_measurements_are_of_the_oldest_execution() -> None:
    world = waits(due(), SCOPES[1])
    world.put(one_off(2, due_at=DUE_AT + 1_000, state=State.QUEUED, destination=HERE))
    world.put(one_off(3, due_at=DUE_AT + 2_000, state=State.QUEUED))
    world.put(one_off(4, due_at=DUE_AT + 3_000, state=State.QUEUED))
    assert told(world.sweep.execute()) == (OVERDUE - 2_000, OVERDUE)


def test_every_late_execution_is_overdue_where_the_hot_scope_index_cannot_be_read() -> None:
    world = waits(due(), *SCOPES)
    world.steps.fail("limits.hot_scopes", times=10)
    assert told(world.sweep.execute()) == (OVERDUE, 0)


def test_a_destination_that_is_slow_and_nothing_else_orders_nobody_to_wait() -> None:
    """Its calls go on, on the slow path: where they do not, that is dead."""
    world = slow(due(lane=Lane.CRITICAL))
    assert told(world.sweep.execute()) == (OVERDUE, 0)


@pytest.mark.parametrize(
    "circuit",
    [{"open_until": NOW + 1}, {"open_until": NOW - 1}, {"limit": 4}],
    ids=["open", "half open", "limited"],
)
def test_slow_destination_with_other_limits_holds_its_jobs(circuit: dict[str, int]) -> None:
    assert told(slow(due(), **circuit).sweep.execute()) == (0, OVERDUE)


@pytest.mark.parametrize(("left_ms", "is_excused"), [(1, True), (0, False)])
def test_slots_that_are_taken_at_one_that_is_slow_tell_of_a_limit(left_ms: int, is_excused: bool) -> None:
    lease = SlotLease(owner="worker", slots=1, until=NOW + left_ms)
    assert told(slow(due(), lease).sweep.execute()) == ((0, OVERDUE) if is_excused else (OVERDUE, 0))


def test_the_limit_of_its_tenant_keeps_what_goes_to_one_that_is_slow() -> None:
    assert told(waits(slow(due()), SCOPES[0]).sweep.execute()) == (0, OVERDUE)


def test_while_no_state_can_be_read_no_destination_excuses_anything() -> None:
    world = waits(due(), SCOPES[1])
    world.steps.fail("limits.read", times=10)
    assert told(world.sweep.execute()) == (OVERDUE, 0)
    assert world.steps.taken.count("limits.read") == 1


def test_the_states_of_destinations_are_asked_for_once_a_run() -> None:
    world = slow(due())
    world.sweep.execute()
    assert world.steps.taken.count("limits.read") == 1


@pytest.mark.parametrize("lane", Lane)
def test_lane_with_unreceived_messages_is_down_despite_hot_scopes(lane: Lane) -> None:
    """A tenant that waits in one lane cannot hide that another one is down."""
    world = waits(due(lane=lane), *SCOPES)
    world.queue.backlog[QueueName(lane)] = 1
    assert told(world.sweep.execute()) == (OVERDUE, 0)


def test_every_late_execution_is_overdue_where_the_backlog_cannot_be_read() -> None:
    world = waits(due(), *SCOPES)
    world.steps.fail("backlog.visible", times=10)
    assert told(world.sweep.execute()) == (OVERDUE, 0)


def test_messages_in_a_lane_where_work_begins_say_nothing() -> None:
    world = waits(due(), *SCOPES)
    world.queue.backlog[QueueName.STANDARD] = 50
    world.put(began(NOW - 179_999, tenant_id="another", due_at=DUE_AT + 1_000))
    assert told(world.sweep.execute()) == (0, OVERDUE)


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.WAITING, State.RUNNING])
def test_a_lane_is_working_by_when_its_calls_began_however_long_ago_they_were_due(state: State) -> None:
    """All of its work is one tenant's that waits for a limit: each call that begins was due long ago."""
    world = due(lane=Lane.BULK)
    world.clock.time_ms = now = NOW + 600_000
    waits(world, SCOPES[0]).queue.backlog[QueueName.BULK] = 3
    progress: dict[str, Any] = {}
    if state is State.RUNNING:
        progress = {"owner": "0123456789abcdef", "lease_until": now - 1}
    elif state is State.WAITING:
        progress = {"next_attempt_at": now + 1}
    world.put(with_changes(began(now - 60_000, lane=Lane.BULK), state=state, **progress))
    assert told(world.sweep.execute()) == (0, OVERDUE + 600_000)


@pytest.mark.parametrize(("ago_ms", "is_working"), [(179_999, True), (180_000, False)])
def test_a_call_that_its_receiver_works_on_tells_when_it_was_claimed(ago_ms: int, is_working: bool) -> None:
    world = waits(due(), *SCOPES)
    world.queue.backlog[QueueName.STANDARD] = 3
    deadline_at = NOW - ago_ms + 7_200_000
    policy = AsyncPolicy(deadline_seconds=7_200)
    working = one_off(2, async_policy=policy)
    world.put(in_state(working, State.RUNNING, async_until=deadline_at, lease_until=NOW + 60_000))
    assert told(world.sweep.execute()) == ((0, OVERDUE) if is_working else (OVERDUE, 0))


def test_a_worker_with_an_old_job_is_working() -> None:
    world = due()
    world.queue.backlog[QueueName.STANDARD] = 50
    world.clock.time_ms += 3_600_000
    waits(world, *SCOPES)
    world.put(in_state(one_off(2), State.RUNNING, lease_until=world.clock.time_ms + 1))
    assert told(world.sweep.execute()) == (0, OVERDUE + 3_600_000)


@pytest.mark.parametrize(
    "other",
    [
        began(NOW, lane=Lane.CRITICAL),
        in_state(one_off(2), State.CANCELLED),
        began(NOW - 180_000),
        began(NOW - 180_000, State.CANCELLED),
        in_state(one_off(2), State.FAILED, attempt=1),
        in_state(one_off(2, due_at=DUE_AT - 180_000), State.RUNNING, lease_until=NOW - 60_000),
    ],
    ids=[
        "another lane's",
        "never begun",
        "long ago",
        "its retries cancelled",
        "given up by us",
        "its worker may be dead",
    ],
)
def test_old_ended_or_foreign_lane_execution_does_not_prove_a_lane_alive(other: Any) -> None:
    world = waits(due(), *SCOPES)
    world.queue.backlog[QueueName.STANDARD] = 1
    world.ledger.list_shard(BUCKET - 3, 0, 0)
    world.put(other)
    assert told(world.sweep.execute()) == (OVERDUE, 0)


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
    world.lane_progress.report(behind, LaneProgress(visible_at=NOW - 60_000, reported_at=NOW - ago_ms))
    assert told(world.sweep.execute()) == ((0, OVERDUE) if is_excused else (OVERDUE, 0))


def test_bulk_that_makes_no_room_any_more_counts() -> None:
    world = due(lane=Lane.BULK)
    world.clock.time_ms = DUE_AT + MAX_YIELD_MS
    progress = LaneProgress(visible_at=NOW, reported_at=world.clock.time_ms)
    world.lane_progress.report(Lane.STANDARD, progress)
    assert told(world.sweep.execute()) == (MAX_YIELD_MS, 0)


@pytest.mark.parametrize("overdue_ms", [MAX_YIELD_MS - 1, MAX_YIELD_MS])
def test_bulk_run_that_was_postponed_makes_room_from_its_due_time(overdue_ms: int) -> None:
    row = in_state(one_off(lane=Lane.BULK), State.WAITING, next_attempt_at=DUE_AT + MAX_YIELD_MS)
    world = due(state=State.SUCCEEDED)
    world.put(row)
    world.clock.time_ms = DUE_AT + MAX_YIELD_MS + overdue_ms
    progress = LaneProgress(visible_at=NOW, reported_at=world.clock.time_ms)
    world.lane_progress.report(Lane.STANDARD, progress)
    is_excused = overdue_ms < MAX_YIELD_MS
    assert told(world.sweep.execute()) == ((0, overdue_ms) if is_excused else (overdue_ms, 0))


def test_retries_to_come_and_leases_that_last_are_neither_overdue_nor_waiting() -> None:
    world = waits(due(state=State.SUCCEEDED), *SCOPES)
    world.put(in_state(one_off(2, destination=HERE), State.WAITING, next_attempt_at=NOW))
    world.put(in_state(one_off(3, destination=HERE), State.RUNNING, lease_until=NOW))
    assert told(world.sweep.execute()) == (0, 0)


RETRY = {"state": State.WAITING, "next_attempt_at": NOW - 90_000}
LAPSED = NOW - 90_000
LOST = {"state": State.RUNNING, "lease_until": LAPSED - 1}
ASYNC = LOST | {"async_until": LAPSED + 6_600_000}
"""Accepted ten minutes before its heartbeats ended."""
IS_LOST = pytest.mark.parametrize("lost", [LOST, ASYNC], ids=["worker", "heartbeats"])


def ended(execution: Execution, *scopes: str) -> World:
    """A shard with this execution alone; every other one has ended."""
    world = waits(due(state=State.SUCCEEDED), *scopes)
    world.put(execution)
    return world


def retry_or_lost(kind: dict[str, Any]) -> Execution:
    policy = AsyncPolicy(deadline_seconds=7_200)
    return in_state(one_off(2, destination=HERE, async_policy=policy), **kind)


def resent(world: World, minutes: int) -> World:
    """A pass has sent its message, and no worker has taken it for some minutes."""
    world.sweep.execute()
    assert len(world.sent()) == 1
    world.clock.time_ms += minutes * 60_000
    return world


def test_retry_that_no_worker_takes_is_overdue_from_its_instant() -> None:
    """The queue of a lane whose work has all begun may be dead, too."""
    assert told(ended(retry_or_lost(RETRY)).sweep.execute()) == (90_000, 0)


def test_retry_of_a_hot_scope_is_measured_apart_from_overdue() -> None:
    """The circuit breaker of its destination is open: the operator has nothing to do."""
    assert told(ended(retry_or_lost(RETRY), SCOPES[1]).sweep.execute()) == (0, 90_000)


@IS_LOST
@pytest.mark.parametrize("scopes", [[], SCOPES])
def test_lost_execution_is_not_overdue_before_a_pass_has_sent_its_message(
    lost: dict[str, Any], scopes: list[str]
) -> None:
    """A pass over an old bucket may find it an hour late, and every worker is idle."""
    world = ended(retry_or_lost(lost), *scopes)
    world.queue.backlog[QueueName.STANDARD] = 1
    assert told(world.sweep.execute()) == (0, 0)


@IS_LOST
def test_lost_execution_is_overdue_since_its_message_was_sent(lost: dict[str, Any]) -> None:
    assert told(resent(ended(retry_or_lost(lost)), 3).sweep.execute()) == (180_000, 0)


@IS_LOST
def test_lost_execution_of_a_lane_that_stands_still_is_overdue_since_its_lease_ended(
    lost: dict[str, Any],
) -> None:
    """Each pass sends once more, so that the latest message is never older than a pass."""
    world = resent(ended(retry_or_lost(lost)), 1)
    world.queue.backlog[QueueName.STANDARD] = 1
    assert told(world.sweep.execute()) == (150_000, 0)


@IS_LOST
def test_lost_execution_of_a_hot_scope_is_measured_apart_from_overdue(lost: dict[str, Any]) -> None:
    """The receiver of a long call died, and its circuit breaker is open: the operator has nothing to do."""
    world = resent(ended(retry_or_lost(lost)), 1)
    waits(world, SCOPES[1])
    assert told(world.sweep.execute()) == (0, 150_000)


def test_reminder_of_a_retry_is_not_measured_beside_its_target() -> None:
    """The target may have been claimed: its own row is in another bucket, and shows that."""
    world = due(state=State.SUCCEEDED)
    target = one_off(2, due_at=DUE_AT - 3_600_000)
    world.store.put_reminder(
        RetryReminder(
            dispatch_at=DUE_AT,
            target=target.id,
            claims=2,
            tenant_id=TENANT,
            lane=Lane.STANDARD,
            created_at=target.created_at,
        )
    )
    assert told(world.sweep.execute()) == (0, 0)
