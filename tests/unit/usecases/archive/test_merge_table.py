"""Merging a restored table: what has expired unread is added to the files, and nothing else changes."""

from contextlib import suppress
from typing import Any

import pytest

from shared.domain.archive.schedule import QUIET_MS
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.bucket import ShardCounts
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.ports.archive import PlanMark
from shared.usecases.archive.merge_table import MergedUnit, MergeEnd, MergeTable
from tests.support.builders import (
    DUE_AT,
    ONE_SHARD,
    TENANT,
    execution_id,
    expiry_for,
    in_state,
    one_off,
    with_changes,
)
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.table import Damage, FakeTable
from tests.support.usecases.archive import (
    CELL,
    DAY_MS,
    END,
    FIRST_PASS,
    HOUR,
    SEAL,
    UNIT,
    ArchiveWorld,
    ids_of,
)
from tests.support.usecases.steps import Crash, die

HOURS = range(HOUR, HOUR + 1)
LATER = END + 20 * DAY_MS
"""The archiver is back: records of the hour have expired."""
LEASE_ENDS = 1_000_000


class Restored(ArchiveWorld):
    """The archiver was down from before the first pass of the hour until now. Another table has what has expired."""

    def __init__(
        self, now_ms: int = LATER, *, counts: ShardCounts = ONE_SHARD, is_listed: bool = True
    ) -> None:
        super().__init__(now_ms, counts=counts, is_planned=is_listed)
        if not is_listed:
            self.archive_units.note_planned(PlanMark(hour=HOUR + 100_000, recorded=counts))
        self.old_table = FakeTable()
        self.old_store = self.tapped("restored", FakeExecutionStore(self.old_table))

    def old(
        self, number: int, state: State = State.SUCCEEDED, *, shard: int = 0, **changes: Any
    ) -> Execution:
        """A record of the restored table alone."""
        row = with_changes(in_state(one_off(number, shard=shard), state), **changes)
        self.old_table.insert(row, expiry_for(row))
        return row

    @property
    def merge(self) -> MergeTable:
        return self.cases.archive.merge_table(self.old_store)

    def merged(self, *, dry_run: bool = False) -> list[MergedUnit]:
        return list(self.merge.execute(HOURS, dry_run=dry_run))

    def settle(self) -> None:
        """Ticks of the archiver, until a writer that was counted has made its put."""
        self.tick()
        self.tick(self.clock.time_ms + 2 * QUIET_MS)
        self.tick(self.clock.time_ms + 2 * QUIET_MS)


def ends(merged: list[MergedUnit]) -> list[MergeEnd]:
    return [each.end for each in merged]


@pytest.mark.parametrize("is_listed", [True, False])
def test_executions_that_expired_unread_are_archived_and_sealed_by_the_next_ticks(is_listed: bool) -> None:
    """An hour that ended more than 14 days ago is listed by no run of an archiver."""
    world = Restored(is_listed=is_listed)
    lost = world.old(1), world.old(2, State.FAILED)
    (merged,) = world.merged()
    assert (merged.end, merged.rows, merged.restored) == (MergeEnd.MERGED, 2, 2)
    assert world.ids() == ids_of(*lost)
    assert not world.is_sealed()
    report = world.tick()
    world.settle()
    assert world.is_sealed()
    assert report.mismatched == 0
    assert UNIT not in world.archive_units.units
    sums = world.history.of_unit(TENANT, UNIT)
    assert sums is not None
    assert sums.rows == 2


def test_hour_that_was_sealed_without_them_is_sealed_again_with_them() -> None:
    world = Restored(SEAL)
    kept = world.ended(1)
    world.tick()
    assert world.is_sealed()
    assert UNIT not in world.archive_units.units
    world.clock.time_ms = LATER
    lost = world.old(2)
    assert ends(world.merged()) == [MergeEnd.MERGED]
    world.settle()
    assert world.is_sealed()
    assert world.ids() == ids_of(kept, lost)
    assert UNIT not in world.archive_units.units


def test_hour_that_is_sealed_and_not_yet_compared_is_passed_again() -> None:
    world = Restored(SEAL)
    kept = world.ended(1)
    world.steps.fail("index_counts.due_between")
    world.tick()
    assert world.archive_units.units[UNIT].state.sealed
    lost = world.old(2)
    assert ends(world.merged()) == [MergeEnd.MERGED]
    world.settle()
    assert world.ids() == ids_of(kept, lost)
    assert world.is_sealed()


def test_jobs_of_a_merged_day_are_counted_again() -> None:
    world = Restored()
    world.old(1)
    world.merged()
    assert world.late_puts.counter(HOUR) is not None


def test_rows_of_the_table_and_of_the_file_win_over_restored_ones() -> None:
    world = Restored(FIRST_PASS)
    archived, hot = world.ended(1, State.MOVED), world.ended(2, State.MOVED)
    world.open_row(3)
    world.tick()
    targets = [execution_id(number, dispatch_at=DUE_AT + DAY_MS) for number in (70, 71, 72)]
    del world.table.executions[archived.id]
    world.table.executions[hot.id].execution = hot.progressed(moved_to=targets[0])
    for number in (1, 2):
        world.old(number, State.MOVED, moved_to=targets[1])
    world.clock.time_ms = LATER
    assert ends(world.merged()) == [MergeEnd.MERGED]
    moved_to = {row["id"]: row["moved_to"] for row in world.rows()}
    assert moved_to[str(archived.id)] != str(targets[1])
    assert moved_to[str(hot.id)] == str(targets[0])
    assert len(moved_to) == 2


def test_repeated_merge_changes_no_byte_of_the_file() -> None:
    world = Restored()
    world.old(1)
    world.old(2)
    world.merged()
    key = UNIT.file_key(CELL)
    content = world.archive_objects.objects[key][1]
    assert ends(world.merged()) == [MergeEnd.MERGED]
    assert world.archive_objects.objects[key][1] == content
    assert [each.added for each in world.merged(dry_run=True)] == [0]


def test_dry_run_counts_what_would_be_added_and_writes_nothing() -> None:
    world = Restored(FIRST_PASS)
    world.ended(1)
    world.open_row(2)
    world.tick()
    world.clock.time_ms = LATER
    world.old(1)
    world.old(3)
    world.old(4, State.WAITING)
    world.steps.taken.clear()
    objects, units = dict(world.archive_objects.objects), world.archive_units.listed()
    (looked,) = world.merged(dry_run=True)
    assert (looked.end, looked.added, looked.rows, looked.restored) == (MergeEnd.WOULD_MERGE, 1, 2, 2)
    assert looked.unended_when_restored == 1
    assert world.steps.count("archive_objects.get") == 1, "the rows before and after are those of one file"
    assert world.archive_objects.objects == objects
    assert world.archive_units.listed() == units
    assert world.late_puts.counters() == {}


def test_execution_that_had_not_ended_at_the_restore_is_counted_and_not_archived() -> None:
    world = Restored()
    world.old(1, State.WAITING)
    (merged,) = world.merged()
    assert (merged.rows, merged.unended_when_restored) == (0, 1)
    assert world.rows() == []


def test_execution_that_has_not_ended_in_the_table_is_not_archived() -> None:
    world = Restored()
    world.open_row(1)
    world.old(1)
    (merged,) = world.merged()
    assert (merged.rows, merged.restored) == (0, 0)


def test_deleted_tenants_stay_out() -> None:
    world = Restored()
    world.old(1)
    kept = world.old(2, tenant_id="globex")
    world.leave(TENANT)
    assert ends(world.merged()) == [MergeEnd.MERGED]
    assert world.ids() == ids_of(kept)


def test_tenant_that_is_deleted_while_a_pass_stands_still_is_removed_by_another_pass() -> None:
    world = Restored()
    world.old(1)
    kept = world.old(2, tenant_id="globex")
    world.steps.before("archive_objects.put", lambda: world.leave(TENANT))
    assert ends(world.merged()) == [MergeEnd.MERGED]
    assert world.ids() == ids_of(kept)
    manifest = world.manifest()
    assert manifest is not None
    assert sum(manifest.file.forgotten.values()) == 1


def test_unit_that_an_archiver_passes_is_left_and_merged_by_a_repetition() -> None:
    world = Restored()
    lost = world.old(1)
    (state,) = world.archive_units.listed()
    assert world.archive_units.take(state, world.clock.now_ms()) is not None
    assert ends(world.merged()) == [MergeEnd.LEFT]
    assert world.rows() == []
    world.clock.time_ms += LEASE_ENDS
    assert ends(world.merged()) == [MergeEnd.MERGED]
    assert world.ids() == ids_of(lost)


def test_file_that_another_pass_has_replaced_meanwhile_is_left() -> None:
    world = Restored()
    world.old(1)
    world.steps.before(
        "archive_objects.put",
        lambda: world.archive_objects.objects.update({UNIT.file_key(CELL): ('"other"', b"")}),
    )
    assert ends(world.merged()) == [MergeEnd.LEFT]
    assert world.archive_objects.objects[UNIT.file_key(CELL)] == ('"other"', b"")


@pytest.mark.parametrize("dry_run", [True, False])
def test_damaged_file_is_named_and_stays(dry_run: bool) -> None:
    world = Restored()
    world.old(1)
    world.archive_objects.objects[UNIT.file_key(CELL)] = ('"1"', b"no file")
    assert ends(world.merged(dry_run=dry_run)) == [MergeEnd.DAMAGED]
    assert world.archive_objects.objects[UNIT.file_key(CELL)] == ('"1"', b"no file")


def test_row_that_cannot_be_read_is_named() -> None:
    world = Restored()
    broken = world.old(1)
    world.old_table.executions[broken.id].damage = Damage.BROKEN
    (merged,) = world.merged()
    assert len(merged.unreadable) == 1


def test_rows_of_each_group_are_added_to_its_file() -> None:
    world = Restored(counts=ShardCounts(normal=8, quarter=8, midnight=16))
    low, high = world.old(1), world.old(2, shard=7)
    assert ends(world.merged()) == [MergeEnd.MERGED] * 2
    assert world.ids() == ids_of(low)
    assert world.ids(ArchiveUnit(hour=HOUR, group=1)) == ids_of(high)


@pytest.mark.parametrize("hours", [range(HOUR, HOUR), range(HOUR + 2, HOUR)])
def test_range_without_hours_is_refused(hours: range) -> None:
    with pytest.raises(InvalidValueError, match="--to"):
        Restored().merge.execute(hours, dry_run=True)


def test_hours_that_the_archiver_reads_itself_are_refused() -> None:
    world = Restored(SEAL - 1)
    with pytest.raises(InvalidValueError, match="twelve days"):
        world.merge.execute(HOURS, dry_run=False)
    world.clock.time_ms = SEAL
    assert ends(world.merged()) == [MergeEnd.MERGED]


def test_hours_that_the_archiver_has_not_listed_are_refused() -> None:
    """It would list them again later, as hours that were never passed."""
    world = Restored()
    world.archive_units.mark = None
    with pytest.raises(InvalidValueError, match="let it run first"):
        world.merge.execute(HOURS, dry_run=False)


@pytest.mark.exhaustive
def test_merge_that_dies_at_any_call_is_finished_by_a_repetition() -> None:
    """No row is lost or doubled, and a second run after that changes nothing."""
    total = len(_played(None))
    assert total > 20
    for moment in range(2 * total):
        _played(moment)


def _played(moment: int | None) -> list[str]:
    world = Restored(FIRST_PASS)
    early = world.ended(1)
    world.tick()
    del world.table.executions[early.id]
    world.clock.time_ms = LATER
    lost, hot = world.old(2), world.ended(3)
    world.steps.taken.clear()
    world.steps.at_each = lambda number, _: die() if number == moment else None
    with suppress(Crash):
        world.merged()
    taken = list(world.steps.taken)
    world.steps.calm()
    world.tick()
    world.clock.time_ms += LEASE_ENDS
    assert ends(world.merged()) == [MergeEnd.MERGED], moment
    content = world.archive_objects.objects[UNIT.file_key(CELL)][1]
    assert ends(world.merged()) == [MergeEnd.MERGED], moment
    assert world.archive_objects.objects[UNIT.file_key(CELL)][1] == content, moment
    world.settle()
    assert world.ids() == ids_of(early, lost, hot), moment
    assert world.is_sealed(), moment
    assert UNIT not in world.archive_units.units, moment
    sums = world.history.of_unit(TENANT, UNIT)
    assert sums is not None
    assert sums.rows == 3, moment
    return taken
