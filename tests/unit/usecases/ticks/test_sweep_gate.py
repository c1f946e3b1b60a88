"""SWEEP: while a lane is merely backed up, sending again is slowed; it is never stopped."""

import pytest

from shared.domain.bucket import bucket_end_ms
from shared.domain.dispatch.sweep import AGED_AT_ONCE, AGED_MS, LaneProgress
from shared.domain.executions.states import State
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.scopes import ScopeState
from shared.names import Lane, QueueName
from shared.usecases.ticks.sweep_pass import SweepReport
from tests.support.builders import BUCKET, DUE_AT, in_state, one_off
from tests.support.usecases.world import World

END = bucket_end_ms(BUCKET)
FIRST_PASS = END + 10_000
MINUTE = 60_000


def late(*numbers: int) -> World:
    """Rows that a lane has not come to yet."""
    world = World(DUE_AT)
    world.ledger.note_swept_through(BUCKET - 1)
    for number in numbers:
        world.put(one_off(number, state=State.QUEUED))
    return world


def sweep(world: World, at: int, *, visible_at: int | None, lane: Lane = Lane.STANDARD) -> SweepReport:
    """A sweep, with a fresh report that the lane is claiming messages of that moment."""
    world.clock.time_ms = at
    world.lane_progress.reports.clear()
    if visible_at is not None:
        world.lane_progress.report(lane, LaneProgress(visible_at=visible_at, reported_at=at))
    return world.sweep.execute()


def test_a_row_that_its_lane_has_not_come_to_is_held_back() -> None:
    world = late(1)
    report = sweep(world, FIRST_PASS, visible_at=DUE_AT - 1)
    assert (report.held_back, report.resent) == (1, 0)


def test_a_row_that_its_lane_has_passed_is_sent_for() -> None:
    assert sweep(late(1), FIRST_PASS, visible_at=DUE_AT).resent == 1


def test_a_lane_that_reports_nothing_holds_nothing_back() -> None:
    assert sweep(late(1), FIRST_PASS, visible_at=None).resent == 1


def test_backlog_of_another_lane_holds_no_message_back() -> None:
    assert sweep(late(1), FIRST_PASS, visible_at=DUE_AT - 1, lane=Lane.BULK).resent == 1


def test_resent_execution_is_held_back_until_the_lane_has_reached_its_message() -> None:
    world = late(1)
    sweep(world, FIRST_PASS, visible_at=DUE_AT)
    assert sweep(world, END + MINUTE, visible_at=FIRST_PASS - 1).resent == 0
    assert sweep(world, END + 5 * MINUTE, visible_at=FIRST_PASS).resent == 1


@pytest.mark.parametrize("state", [State.QUEUED, State.WAITING])
def test_however_stuck_the_lane_is_a_row_is_held_back_for_15_minutes_at_most(state: State) -> None:
    """Though the schedule of sweeps alone would come round much later."""
    world = late()
    due_at = DUE_AT if state is State.QUEUED else END + 35 * MINUTE
    world.put(in_state(one_off(1), state, next_attempt_at=due_at if state is State.WAITING else None))
    for minute in range(1, 90):
        sweep(world, END + minute * MINUTE, visible_at=DUE_AT - MINUTE)
    assert due_at + 14 * MINUTE < world.queue.messages[0].sent_at <= due_at + 16 * MINUTE


@pytest.mark.parametrize("refused", [(1,), (1, 2)])
def test_a_refused_message_is_not_taken_for_one_that_waits_in_the_lane(refused: tuple[int, ...]) -> None:
    world = late(1, 2)
    world.put(one_off(2, tenant_id="other", state=State.QUEUED, id=one_off(3).id))
    world.queue.fail_once(*(one_off(number).id for number in refused))
    assert sweep(world, FIRST_PASS, visible_at=DUE_AT).send_failed == 2
    sweep(world, END + MINUTE, visible_at=DUE_AT)
    assert {one_off(1).id, one_off(2).id} <= set(world.sent())


def test_a_row_that_was_filed_late_is_held_back_until_the_lane_has_come_to_its_message() -> None:
    """Its message is as young as the row, however long ago it was due."""
    world = late()
    world.put(one_off(1, state=State.QUEUED, created_at=FIRST_PASS - 2_000))
    assert sweep(world, FIRST_PASS, visible_at=DUE_AT + 1_000).held_back == 1
    assert sweep(world, END + MINUTE, visible_at=FIRST_PASS - 2_000).resent == 1


def test_a_retry_is_gated_by_its_own_time() -> None:
    world = late()
    retry_at = FIRST_PASS - 5_000
    world.put(in_state(one_off(1), State.WAITING, next_attempt_at=retry_at))
    assert sweep(world, FIRST_PASS, visible_at=retry_at - 1).held_back == 1
    assert sweep(world, END + MINUTE, visible_at=retry_at).resent == 1


def test_a_row_that_nobody_can_have_sent_for_is_not_held_back_until_somebody_has() -> None:
    world = late()
    world.put(one_off(1, state=State.PENDING))
    assert sweep(world, FIRST_PASS, visible_at=DUE_AT - 1).resent == 1
    assert sweep(world, END + MINUTE, visible_at=DUE_AT - 1).held_back == 1


def test_lane_that_is_down_with_messages_holds_rows_back_and_is_checked_again_soon() -> None:
    world = late(1, 2)
    world.queue.backlog[QueueName.STANDARD] = 2
    assert (sweep(world, FIRST_PASS, visible_at=None).held_back, world.sent()) == (2, [])
    assert sweep(world, FIRST_PASS + MINUTE, visible_at=None).held_back == 2
    world.queue.backlog.clear()
    assert sweep(world, FIRST_PASS + 2 * MINUTE, visible_at=None).resent == 2


def test_the_messages_of_the_standard_lane_may_wait_in_the_one_for_bulk() -> None:
    world = late(1)
    world.queue.backlog[QueueName.BULK] = 1
    assert sweep(world, FIRST_PASS, visible_at=None).held_back == 1


def test_a_row_that_later_ones_of_its_tenant_have_overtaken_is_sent_for_though_others_wait() -> None:
    world = late(1)
    world.queue.backlog[QueueName.STANDARD] = 5
    world.put(in_state(one_off(2, due_at=DUE_AT + 40_000), State.SUCCEEDED, attempt=1))
    assert sweep(world, FIRST_PASS, visible_at=None).resent == 1


def test_execution_behind_a_breaker_is_resent_every_15_minutes_in_messages_that_expire() -> None:
    world = late()
    world.put(one_off(1, state=State.QUEUED, destination="0123456789"))
    world.limits.hot["d#0123456789"] = END + 200 * MINUTE
    for minute in range(1, 61):
        sweep(world, END + minute * MINUTE, visible_at=None)
    assert 3 <= len(world.queue.messages) <= 4
    for message in world.queue.messages:
        assert message.wakeup.destinations == ("0123456789",)
        assert message.wakeup.ends_at == message.sent_at + 15 * MINUTE


def test_long_waiting_bulk_executions_are_resent_through_the_standard_lane_up_to_a_limit() -> None:
    world = late()
    for number in range(AGED_AT_ONCE + 450):
        world.put(one_off(number, state=State.QUEUED, lane=Lane.BULK))
    sweep(world, DUE_AT + AGED_MS, visible_at=None)
    through = dict.fromkeys(QueueName, 0)
    for message in world.queue.messages:
        through[message.wakeup.queue] += len(message.wakeup.keys)
    assert (through[QueueName.STANDARD], through[QueueName.BULK]) == (AGED_AT_ONCE, 450)


def test_row_is_resent_where_hot_scopes_and_lane_progress_cannot_be_read() -> None:
    world = late(1)
    world.queue.backlog[QueueName.STANDARD] = 5
    world.limits.hot["t#acme"] = END + 200 * MINUTE
    for call in ("limits.hot_scopes", "backlog.visible", "progress.read"):
        world.steps.fail(call, times=9)
    assert sweep(world, FIRST_PASS, visible_at=DUE_AT - 1).resent == 1


def test_the_breakers_that_are_open_are_counted() -> None:
    world = late()
    for number, circuit in enumerate((Circuit(open_until=FIRST_PASS + 1), Circuit(open_until=1), Circuit())):
        world.limits.states[f"d#{number:010d}"] = ScopeState(version=1, circuit=circuit)
        world.limits.hot[f"d#{number:010d}"] = FIRST_PASS + MINUTE
    assert sweep(world, FIRST_PASS, visible_at=None).open_breakers == 2


@pytest.mark.parametrize(("until", "counted"), [(FIRST_PASS + 1, 1), (FIRST_PASS, 0)])
def test_a_breaker_that_nobody_has_called_behind_for_long_is_not_counted_any_more(
    until: int, counted: int
) -> None:
    """No process removes its hot-scope entry before another entry replaces it."""
    world = late()
    world.limits.states["d#0000000000"] = ScopeState(version=1, circuit=Circuit(open_until=1))
    world.limits.hot["d#0000000000"] = until
    assert sweep(world, FIRST_PASS, visible_at=None).open_breakers == counted
