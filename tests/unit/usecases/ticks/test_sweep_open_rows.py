"""SWEEP: what is still open in a swept shard is remembered, so that ended rows are not read again."""

from collections.abc import Callable

import pytest

from shared.domain.bucket import FIRST_SWEEP_MS, KEPT_OPEN_MS, WRITER_LIFE_MS, bucket_end_ms
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.usecases.ticks.sweep_pass import MAX_OPEN_ROWS
from shared.usecases.ticks.sweep_shard import PAGE_ROWS
from tests.support.builders import BUCKET, in_state, one_off
from tests.support.fakes.table import Damage
from tests.support.usecases.sweeps import FIRST_PASS, put, scanned, swept
from tests.support.usecases.world import World

END = bucket_end_ms(BUCKET)
SHARD = (BUCKET, 0)
COMPLETE_AT = END + FIRST_SWEEP_MS + WRITER_LIFE_MS
"""A scan that begins from now on sees what every writer has put without reopening the shard."""
HOUR_MS = 3_600_000


def shard_alone() -> World:
    """A watcher has scanned the shard in time; no other shard is on the list."""
    world = scanned()
    world.ledger.rows = {SHARD: world.ledger.rows[SHARD]}
    world.ledger.note_swept_through(BUCKET + 100_000)
    return world


def running(world: World, number: int = 1, until: int = END + 12 * HOUR_MS) -> Execution:
    """A run that goes on for hours."""
    return put(world, State.RUNNING, number, attempt=1, lease_until=until)


def reads_of(world: World, at: int) -> dict[str, int]:
    """How often the sweep at this instant scans the shard, and reads single rows."""
    before = {step: world.steps.count(step) for step in ("store.scan", "store.read_rows")}
    swept(world, at)
    return {step: world.steps.count(step) - count for step, count in before.items()}


def end(world: World, execution: Execution) -> None:
    row = world.table.executions[execution.id]
    row.execution = in_state(execution, State.SUCCEEDED, attempt=1, owner=None, lease_until=None)


def test_run_of_hours_costs_its_own_row_and_not_a_scan_of_its_shard() -> None:
    world = shard_alone()
    for number in range(2, 40):
        put(world, State.SUCCEEDED, number)
    running(world)
    for at in (FIRST_PASS, COMPLETE_AT):
        assert reads_of(world, at)["store.scan"] == 1
    later = [reads_of(world, END + hour * HOUR_MS + 1_800_000) for hour in range(1, 12)]
    assert later == [{"store.scan": 0, "store.read_rows": 1}] * 11


def test_shard_is_closed_when_the_last_open_row_of_a_complete_list_has_ended() -> None:
    world = shard_alone()
    run = running(world)
    swept(world, COMPLETE_AT)
    end(world, run)
    assert swept(world, END + HOUR_MS).closed == 1
    assert SHARD not in world.ledger.rows


def test_overdue_row_of_the_list_is_sent_again() -> None:
    world = shard_alone()
    row = put(world, State.QUEUED)
    swept(world, COMPLETE_AT)
    world.queue.messages.clear()
    assert reads_of(world, END + HOUR_MS) == {"store.scan": 0, "store.read_rows": 1}
    assert world.sent() == [row.id]


def late_put(world: World, number: int = 9) -> Execution:
    """A row of a writer that looked at the ledger before the shard could be closed, and died after its put."""
    return put(world, State.QUEUED, number)


def test_list_of_an_early_scan_closes_nothing_and_the_next_full_scan_finds_a_late_put() -> None:
    world = shard_alone()
    run = running(world, until=END + 40_000)
    swept(world, FIRST_PASS)
    late = late_put(world)
    end(world, run)
    report = swept(world, END + 40_001)
    assert (report.shards_swept, report.closed, world.sent()) == (1, 0, [])
    swept(world, END + 60_000)
    assert world.sent() == [late.id]


@pytest.mark.parametrize("early_ms", [1, WRITER_LIFE_MS])
def test_list_is_complete_only_if_its_scan_began_after_the_life_of_every_writer(early_ms: int) -> None:
    world = shard_alone()
    running(world)
    swept(world, COMPLETE_AT - early_ms)
    late = late_put(world)
    for minutes in (5, 30, 90):
        swept(world, max(world.clock.time_ms, END + minutes * 60_000))
    assert late.id in world.sent()


def test_reopened_shard_is_scanned_again() -> None:
    world = shard_alone()
    running(world)
    swept(world, COMPLETE_AT)
    world.clock.time_ms = END + HOUR_MS
    late = world.file.execute(one_off(9, created_at=END + HOUR_MS))
    world.queue.messages.clear()
    assert reads_of(world, END + 2 * HOUR_MS)["store.scan"] == 1
    assert world.sent() == [late.id]


def test_row_that_was_reopened_during_the_scan_keeps_no_list() -> None:
    world = shard_alone()
    running(world)
    world.steps.after("store.scan", lambda: reopen(world, COMPLETE_AT))
    swept(world, COMPLETE_AT)
    assert world.ledger.rows[SHARD].open_rows is None


def reopen(world: World, now_ms: int) -> None:
    world.ledger.reopen(*SHARD, next_pass_at=now_ms + 1, open_until=now_ms + KEPT_OPEN_MS)


def test_scan_that_began_while_writers_relied_on_the_shard_does_not_close_it() -> None:
    """A writer that read `open_until` puts its row behind the cursor of a scan, and does not reopen."""
    world = shard_alone()
    reopen(world, FIRST_PASS)
    world.ledger.rows[SHARD].next_pass_at = FIRST_PASS
    late: list[Execution] = []
    world.steps.after("store.scan", lambda: late.append(late_put(world)))
    assert swept(world, FIRST_PASS).closed == 0
    swept(world, FIRST_PASS + KEPT_OPEN_MS)
    assert world.sent() == [late[0].id]


def test_shard_with_more_open_rows_than_the_list_holds_is_scanned_and_not_early() -> None:
    world = shard_alone()
    for number in range(MAX_OPEN_ROWS + 1):
        put(world, State.WAITING, number, attempt=1, next_attempt_at=COMPLETE_AT + 60_000)
    swept(world, COMPLETE_AT)
    assert world.ledger.rows[SHARD].open_rows is None
    assert reads_of(world, COMPLETE_AT + 66_000) == {"store.scan": 0, "store.read_rows": 0}
    assert reads_of(world, END + 1_800_000)["store.scan"] >= 1


def test_list_holds_unreadable_rows_and_rows_without_their_notification() -> None:
    world = shard_alone()
    broken = put(world, State.QUEUED)
    world.table.executions[broken.id].damage = Damage.BROKEN
    swept(world, COMPLETE_AT)
    (sort_key,) = world.ledger.rows[SHARD].open_rows or ()
    assert str(broken.id) in sort_key
    assert swept(world, END + HOUR_MS).closed == 0


def has_time_for(rows: int) -> Callable[[], bool]:
    """True while fewer rows were looked at; the sweeper also asks before the shard and before each page."""
    left = [rows + 2 + rows // PAGE_ROWS]

    def has_time() -> bool:
        left[0] -= 1
        return left[0] >= 0

    return has_time


def test_pass_that_is_cut_goes_on_behind_its_last_whole_page() -> None:
    world = shard_alone()
    rows = 3 * PAGE_ROWS + 7
    for number in range(rows):
        put(world, State.RUNNING, number, attempt=1, lease_until=END + HOUR_MS)
    world.clock.time_ms = FIRST_PASS
    first = world.sweep.execute(has_time_for(2 * PAGE_ROWS + 100))
    assert (first.suspended, first.shards_swept) == (1, 0)
    scans = world.steps.count("store.scan")
    second = swept(world, FIRST_PASS + 1_000)
    assert (second.suspended, second.shards_swept) == (0, 1)
    assert world.steps.count("store.scan") - scans == 2
    assert world.ledger.rows[SHARD].passes == 1


def test_cut_pass_does_not_close_a_shard_that_was_reopened_between_its_parts() -> None:
    world = shard_alone()
    for number in range(PAGE_ROWS + 1):
        put(world, State.SUCCEEDED, number)
    pending = put(world, State.QUEUED, PAGE_ROWS + 2)
    world.clock.time_ms = FIRST_PASS
    assert world.sweep.execute(has_time_for(0)).suspended == 1
    end(world, pending)
    late = world.put(one_off(0, due_at=pending.id.dispatch_at - 1, state=State.QUEUED, created_at=0))
    reopen(world, FIRST_PASS)
    assert swept(world, FIRST_PASS + 1_000).closed == 0
    swept(world, FIRST_PASS + 2 * KEPT_OPEN_MS)
    assert late.id in world.sent()
