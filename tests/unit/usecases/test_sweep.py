"""SWEEP: whatever is late, stuck or forgotten in an ended bucket is sent for again, until nothing is unfinished."""

from typing import Any

import pytest

from shared.domain.bucket import ShardRange, bucket_end_ms, bucket_start_ms
from shared.domain.errors import UnavailableError
from shared.domain.execution import Execution, State
from shared.usecases.sweep_buckets import SweepReport
from tests.builders import BUCKET, DUE_AT, in_state, one_off
from tests.fakes.table import Damage
from tests.unit.usecases.steps import Crash
from tests.unit.usecases.world import World

END = bucket_end_ms(BUCKET)
SCAN = bucket_start_ms(BUCKET) - 120_000
FIRST_PASS = END + 10_000
SECOND_PASS = END + 60_000


def scanned() -> World:
    """A watcher has finished the bucket in time; nothing was there yet."""
    world = World(SCAN)
    world.watch(ShardRange(index=0, of=1))
    world.ledger.note_swept_through(BUCKET - 1)
    return world


def unscanned(mark: int = BUCKET - 1) -> World:
    """No watcher ever looked at the bucket."""
    world = World(SCAN)
    world.ledger.note_swept_through(mark)
    return world


def swept(world: World, at: int) -> SweepReport:
    world.clock.time_ms = at
    return world.sweep()


def put(world: World, state: State = State.PENDING, number: int = 1, **fields: Any) -> Execution:
    fields = {"created_at": SCAN - 600_000} | fields
    return world.put(in_state(one_off(number, created_at=fields.pop("created_at")), state, **fields))


def test_the_first_pass_comes_ten_seconds_after_the_end() -> None:
    world = unscanned()
    put(world)
    assert swept(world, FIRST_PASS - 1).resent == 0
    assert swept(world, FIRST_PASS).resent == 1


def test_the_first_pass_leaves_alone_what_the_scan_has_sent() -> None:
    world = scanned()
    put(world)
    swept(world, FIRST_PASS)
    assert world.sent() == []


def test_a_later_pass_sends_for_it_again() -> None:
    world = scanned()
    row = put(world)
    swept(world, FIRST_PASS)
    swept(world, SECOND_PASS)
    assert world.sent() == [row.id]


@pytest.mark.parametrize(
    ("state", "created_at"), [(State.QUEUED, SCAN - 600_000), (State.PENDING, SCAN - 5_000)]
)
def test_the_first_pass_sends_for_what_the_scan_may_not_have_seen(state: State, created_at: int) -> None:
    world = scanned()
    row = put(world, state, created_at=created_at)
    swept(world, FIRST_PASS)
    assert world.sent() == [row.id]


def test_where_no_scan_was_finished_everything_is_sent_for_at_once() -> None:
    world = unscanned()
    world.ledger.take(BUCKET, 0, SCAN)
    rows = [put(world, number=number) for number in range(3)]
    swept(world, FIRST_PASS)
    assert world.sent() == [row.id for row in rows]


def test_messages_of_a_sweep_are_packed_and_due_at_once() -> None:
    world = unscanned()
    for number in range(12):
        put(world, number=number)
    swept(world, FIRST_PASS)
    assert sorted(len(message.wakeup.keys) for message in world.queue.messages) == [2, 10]
    assert {message.visible_at for message in world.queue.messages} == {FIRST_PASS}


@pytest.mark.parametrize(
    ("state", "fields", "is_sent"),
    [
        (State.WAITING, {"next_attempt_at": FIRST_PASS - 5_000}, True),
        (State.WAITING, {"next_attempt_at": FIRST_PASS - 4_999}, False),
        (State.RUNNING, {"lease_until": FIRST_PASS - 1}, True),
        (State.RUNNING, {"lease_until": FIRST_PASS}, False),
        (State.SUCCEEDED, {}, False),
        (State.FAILED, {}, False),
        (State.CANCELLED, {}, False),
        (State.SKIPPED, {}, False),
    ],
)
def test_due_retries_and_dead_leases_are_sent_for_and_nothing_else(
    state: State, fields: dict[str, int], is_sent: bool
) -> None:
    world = scanned()
    put(world, state, **fields)
    swept(world, FIRST_PASS)
    assert bool(world.sent()) is is_sent


def test_a_retry_is_sent_for_at_its_own_time_and_not_at_its_buckets() -> None:
    world = scanned()
    put(world, State.WAITING, next_attempt_at=FIRST_PASS - 6_000)
    swept(world, FIRST_PASS)
    assert world.queue.messages[0].wakeup.not_before == FIRST_PASS - 6_000


def test_every_page_of_a_shard_is_swept() -> None:
    world = unscanned()
    for number in range(501):
        put(world, number=number)
    assert swept(world, FIRST_PASS).resent == 501


def test_an_unreadable_row_is_named_and_blocks_nobody() -> None:
    world = unscanned()
    bad, good = put(world, number=1), put(world, number=2)
    world.table.executions[bad.id].damage = Damage.NEWER
    report = swept(world, FIRST_PASS)
    assert world.sent() == [good.id]
    assert len(report.quarantined) == 1
    assert str(bad.id) in report.quarantined[0]


def test_an_unreadable_row_alone_keeps_its_shard_open() -> None:
    world = unscanned()
    bad = put(world)
    world.table.executions[bad.id].damage = Damage.NEWER
    assert swept(world, FIRST_PASS).closed == 0
    assert (BUCKET, 0) in world.ledger.rows


def test_a_refused_message_is_counted_and_its_row_is_sent_for_at_the_next_pass() -> None:
    world = unscanned()
    row = put(world)
    world.queue.fail_once(row.id)
    report = swept(world, FIRST_PASS)
    assert (report.resent, report.send_failed) == (0, 1)
    swept(world, SECOND_PASS)
    assert world.sent() == [row.id]


def test_a_shard_that_does_not_answer_keeps_nobody_else_from_being_swept() -> None:
    world = unscanned(mark=BUCKET - 2)
    row = put(world)
    world.steps.fail("store.scan")
    report = swept(world, FIRST_PASS)
    assert (report.unavailable, world.sent()) == (1, [row.id])


def test_the_age_of_the_oldest_unclaimed_execution_is_reported() -> None:
    world = scanned()
    put(world)
    put(world, State.RUNNING, number=2, lease_until=END)
    assert swept(world, SECOND_PASS).oldest_unclaimed_ms == SECOND_PASS - DUE_AT


def test_an_unreadable_progress_report_slows_nothing() -> None:
    world = unscanned()
    row = put(world)
    world.steps.fail("progress.read", times=3)
    swept(world, FIRST_PASS)
    assert world.sent() == [row.id]


def test_an_unanswered_ledger_is_no_silent_success() -> None:
    world = unscanned()
    world.steps.fail("ledger.open_before")
    with pytest.raises(UnavailableError):
        swept(world, FIRST_PASS)


STEPS = [
    "ledger.open_before",
    "ledger.reopen",
    "ledger.note_swept_through",
    "store.scan",
    "queue.send",
    "ledger.record_pass",
]


@pytest.mark.parametrize("step", STEPS)
def test_whoever_comes_after_a_sweeper_that_died_misses_no_row(step: str) -> None:
    world = unscanned()
    row = put(world)
    world.steps.crash_after(step)
    with pytest.raises(Crash):
        swept(world, FIRST_PASS)
    swept(world, SECOND_PASS)
    assert set(world.sent()) == {row.id}
    assert (BUCKET, 0) in world.ledger.rows
