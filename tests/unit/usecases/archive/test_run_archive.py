"""Ticks of the archiver: which units are listed and passed, and how hours are compared and opened again."""

from contextlib import suppress
from functools import partial

import pytest

from shared.domain.archive.unit import ArchiveUnit
from shared.domain.bucket import ShardCounts, ShardRange
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.states import State
from shared.ports.dispatch import ShardRecord
from shared.usecases.archive.verify_hour import CountMismatch
from tests.support.builders import DUE_AT, TENANT, one_off
from tests.support.usecases.archive import (
    DAY_MS,
    END,
    FIRST_PASS,
    HOUR,
    HOUR_MS,
    SEAL,
    UNIT,
    ArchiveWorld,
    ids_of,
)
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

WIDE = ShardCounts(normal=4, quarter=8, midnight=16)


def listed(world: World) -> list[ArchiveUnit]:
    return [state.unit for state in world.archive_units.listed()]


def test_hour_is_listed_when_it_has_been_swept_and_two_hours_after_its_end_at_the_latest() -> None:
    swept = ArchiveWorld(END + 120_000, is_planned=False)
    swept.tick()
    assert listed(swept) == [UNIT]
    behind = ArchiveWorld(END + 2 * HOUR_MS - 1, is_planned=False)
    behind.ledger.mark = None
    behind.tick()
    assert listed(behind) == []
    behind.tick(END + 2 * HOUR_MS)
    assert listed(behind) == [UNIT]


def test_first_pass_waits_for_open_shards_but_for_two_hours_at_most() -> None:
    world = ArchiveWorld(END + 120_000)
    world.ledger.reopen(UNIT.buckets.start, 0, next_pass_at=END, open_until=END)
    world.open_row(1)
    assert world.tick().passes == []
    assert len(world.tick(FIRST_PASS).passes) == 1
    calm = ArchiveWorld(END + 120_000)
    assert len(calm.tick().passes) == 1


def test_hour_is_not_listed_before_anything_was_filed() -> None:
    world = World(FIRST_PASS)
    world.run_archive.execute()
    assert listed(world) == []


def test_archive_that_is_switched_on_later_begins_with_the_oldest_records() -> None:
    world = World(SEAL)
    world.shard_counts.begin(ShardRecord(counts=WIDE, open_from=None))
    world.run_archive.execute(lambda: False)
    hours = {unit.hour for unit in listed(world)}
    assert min(hours) == (SEAL - 14 * DAY_MS) // HOUR_MS
    assert len(hours) == 14 * 24 - 2


def test_groups_of_an_hour_follow_its_largest_shard_count_and_a_growth_lists_the_upper_groups() -> None:
    world = ArchiveWorld(FIRST_PASS, counts=WIDE, is_planned=False)
    world.tick()
    assert [unit.group for unit in listed(world)] == [0, 1]
    grown = ShardCounts(normal=4, quarter=16, midnight=16)
    world.shard_counts.swap(WIDE, grown)
    world.tick()
    assert [unit.group for unit in listed(world)] == [0, 1, 2, 3]


def test_row_of_an_upper_shard_is_in_the_file_of_its_group() -> None:
    world = ArchiveWorld(FIRST_PASS, counts=WIDE)
    quarter = UNIT.start_ms
    low, high = world.ended(1, due_at=quarter), world.ended(2, due_at=quarter, shard=7)
    world.tick()
    assert world.ids() == ids_of(low)
    assert world.ids(ArchiveUnit(hour=HOUR, group=1)) == ids_of(high)


def test_part_takes_its_groups_and_no_others() -> None:
    world = ArchiveWorld(SEAL, counts=WIDE)
    parts = [ShardRange(index=index, of=2) for index in range(2)]
    groups = [
        [each.unit.group for each in world.run_archive.execute(part=part).passes if each.unit.hour == HOUR]
        for part in parts
    ]
    assert groups == [[0], [1]]


def test_run_without_time_begins_no_pass() -> None:
    world = ArchiveWorld(FIRST_PASS)
    assert world.run_archive.execute(lambda: False).passes == []


def test_oldest_unsealed_unit_tells_for_how_long_it_is_overdue() -> None:
    world = ArchiveWorld(FIRST_PASS)
    world.open_row(1)
    assert world.tick().overdue_ms == 0
    assert world.tick(SEAL + DAY_MS).overdue_ms == DAY_MS


def test_unit_that_another_run_passes_is_left_to_it() -> None:
    world = ArchiveWorld(FIRST_PASS)
    inner: list[int] = []
    world.steps.after("archive_units.take", lambda: inner.append(len(world.tick().passes)))
    assert len(world.tick().passes) == 1
    assert inner == [0]


def test_store_that_does_not_respond_leaves_the_unit_to_a_later_run() -> None:
    world = ArchiveWorld(FIRST_PASS)
    ended = world.ended(1)
    world.steps.fail("archive_objects.put")
    assert world.tick().unavailable == 1
    assert world.tick(FIRST_PASS + 1_000_000).unavailable == 0
    assert world.ids() == ids_of(ended)


def test_late_record_opens_a_sealed_hour_again() -> None:
    world = ArchiveWorld(FIRST_PASS)
    ended = world.ended(1)
    world.tick()
    world.tick(SEAL)
    assert listed(world) == []
    world.clock.time_ms = SEAL + 30 * DAY_MS
    world.table.executions.clear()
    late = world.put_late(2)
    world.tick()
    assert UNIT in listed(world)
    report = world.tick(SEAL + 31 * DAY_MS)
    assert world.ids() == ids_of(ended, late)
    assert world.is_sealed()
    assert report.mismatches == []
    world.tick(SEAL + 32 * DAY_MS)
    assert UNIT not in listed(world)


def test_hours_stay_counted_while_a_closed_hour_that_is_open_again_waits_for_its_pass() -> None:
    """Archivers of other parts, a failure of S3, or a run without time put that pass off."""
    world = ArchiveWorld(FIRST_PASS)
    world.ended(1)
    world.tick()
    world.tick(SEAL)
    assert listed(world) == []
    counted = world.history.passed()
    assert counted is not None
    assert counted.before > UNIT.hour
    world.put_late(2)
    world.run_archive.execute(lambda: False)
    assert listed(world) == [UNIT]
    assert world.history.passed() == counted
    assert [each.unit for each in world.tick().passes] == [UNIT]


def test_late_record_opens_a_unit_again_that_is_sealed_and_not_yet_compared() -> None:
    world = ArchiveWorld(SEAL)
    world.ended(1)
    world.steps.fail("index_counts.due_between")
    world.tick()
    late = world.put_late(2)
    world.tick(SEAL + DAY_MS)
    world.tick(SEAL + 2 * DAY_MS)
    assert str(late.id) in world.ids()
    assert world.is_sealed()


@pytest.mark.parametrize(("more", "is_found"), [(1, True), (0, False)])
def test_row_of_the_index_that_no_file_has_is_a_mismatch(more: int, is_found: bool) -> None:
    world = ArchiveWorld(SEAL)
    world.ended(1)
    for number in range(2, 2 + more):
        # In a shard that no plan has.
        world.ended(number, shard=99)
    report = world.tick()
    expected = [CountMismatch(hour=HOUR, tenant_id=TENANT, archived=1, indexed=2)] if is_found else []
    assert report.mismatches == expected
    assert report.mismatched == len(expected)


def test_row_that_the_index_lost_is_a_mismatch_while_it_cannot_have_expired() -> None:
    """A cancelled execution may have ended, and expired, long before it was due."""
    for state, is_found in ((State.SUCCEEDED, True), (State.CANCELLED, False)):
        world = ArchiveWorld(SEAL)
        row = world.ended(1, state, **(_called() if is_found else {}))
        world.steps.before("index_counts.due_between", partial(world.table.executions.pop, row.id))
        assert len(world.tick().mismatches) == is_found


def _called() -> dict[str, object]:
    outcome = AttemptOutcome(attempt=1, started_at=DUE_AT, duration_ms=5, status=200, reason=Reason.OK)
    return {"attempt": 1, "outcomes": (outcome,)}


@pytest.mark.exhaustive
def test_archiver_that_dies_at_any_call_loses_no_row_and_doubles_none() -> None:
    """Its next runs finish the work, whatever the crash left behind."""
    total = len(_played(None))
    assert total > 40
    for moment in range(2 * total):
        _played(moment)


def _played(moment: int | None) -> list[str]:
    """Two passes and a late record; the process dies at one moment. The calls so far."""
    world = ArchiveWorld(FIRST_PASS)
    early, open_row = world.ended(1), world.open_row(2)
    world.steps.taken.clear()
    world.steps.at_each = lambda number, _: die() if number == moment else None
    _run(world, FIRST_PASS)
    world.end(open_row)
    _run(world, FIRST_PASS + DAY_MS)
    _run(world, SEAL)
    del world.table.executions[early.id]
    world.clock.time_ms = SEAL + DAY_MS
    late = one_off(3)
    with suppress(Crash):
        late = world.put_late(3)
    _run(world, SEAL + DAY_MS)
    taken = list(world.steps.taken)
    world.steps.calm()
    for later in range(1, 8):
        world.tick(SEAL + (later + 1) * DAY_MS)
    stored = {str(row.execution.id) for row in world.table.executions.values()}
    assert world.ids() == ids_of(early, open_row) | stored, moment
    assert world.is_sealed(), moment
    assert str(late.id) in stored or moment is not None
    assert UNIT not in listed(world), moment
    return taken


def _run(world: ArchiveWorld, at: int) -> None:
    try:
        world.tick(at)
    except Crash:
        world.tick(at + 1_000_000)
