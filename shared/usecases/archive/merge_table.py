"""Merge the executions of a restored table into the files of their hours, after the archiver was down for too long.

A record expires 14 days after its end. What expired before a pass has read it is in a table that point-in-time recovery
has restored to an instant before that, and nowhere else.

Rows are only added: the executions table and the file win. The hour is counted as one with a late put first, so that
the archiver passes, seals and compares it again, and counts its jobs; until then its manifest is not sealed.
"""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.archive.schedule import UnitState, sealable_from
from shared.domain.archive.unit import SEALED_AFTER_MS, ArchiveUnit, hour_end_ms, units_of
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.ports.archive import ArchiveFiles, ArchiveUnits, LatePuts, ObjectStore
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantDeletions
from shared.usecases.archive.archive_unit import ArchiveUnitPass, PassEnd, PassResult
from shared.usecases.filing.scanned_shards import ScannedShards


class MergeEnd(StrEnum):
    WOULD_MERGE = "would_merge"
    """By a dry run."""
    MERGED = "merged"
    LEFT = "left"
    """Another pass has the unit, or was faster: the command is repeated."""
    DAMAGED = "damaged"
    """The file cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedUnit:
    unit: ArchiveUnit
    end: MergeEnd
    rows: int = 0
    """Of the file afterwards."""
    added: int | None = None
    """Rows that the file would get; known by a dry run alone."""
    restored: int = 0
    """Ended executions of the restored table, whether the file has them or not."""
    unended_when_restored: int = 0
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeTable:
    """Safe to repeat, after a crash anywhere and beside archivers: a second run adds nothing."""

    units: ArchiveUnits
    late_puts: LatePuts
    deletions: TenantDeletions
    scanned: ScannedShards
    objects: ObjectStore
    files: ArchiveFiles
    pass_unit: ArchiveUnitPass
    """Its reads have the restored table."""
    clock: Clock

    def execute(self, hours: range, *, dry_run: bool) -> Iterator[MergedUnit]:
        """Merge the units of these hours, in order.

        UnavailableError. InvalidValueError for hours that the archiver has not listed, or may not seal yet.
        """
        if not hours or self.clock.now_ms() < hour_end_ms(hours[-1]) + SEALED_AFTER_MS:
            raise InvalidValueError(
                "--to is later than --from, and at least twelve days ago: the archiver reads later hours itself"
            )
        mark = self.units.planned()
        if mark is None or mark.hour < hours[-1]:
            raise InvalidValueError(
                "the archiver has not listed these hours: let it run first, and repeat the command"
            )
        self.scanned.record()
        return self._merge_hours(hours, dry_run)

    def _merge_hours(self, hours: range, dry_run: bool) -> Iterator[MergedUnit]:
        for hour in hours:
            units = units_of(hour, self.scanned.known_plan())
            if dry_run:
                yield from map(self._look, units)
                continue
            states = self._open(hour, units)
            for unit in units:
                yield self._merge(unit, states.get(unit))

    def _open(self, hour: int, units: Collection[ArchiveUnit]) -> Mapping[ArchiveUnit, UnitState]:
        """List the units for passes. From here on the archiver does not seal the hour without another pass."""
        now_ms = self.clock.now_ms()
        self.late_puts.count(hour, now_ms)
        for unit in units:
            self.units.open(
                unit, next_pass_at=now_ms, sealable_from=sealable_from(unit, now_ms), is_passed=True
            )
        for state in self._listed(units).values():
            if state.sealed:
                self.units.reopen(state, next_pass_at=now_ms)
        return self._listed(units)

    def _listed(self, units: Collection[ArchiveUnit]) -> Mapping[ArchiveUnit, UnitState]:
        return {state.unit: state for state in self.units.listed() if state.unit in units}

    def _merge(self, unit: ArchiveUnit, state: UnitState | None) -> MergedUnit:
        """The command may stand still for longer than an archiver, and a tenant be gone meanwhile: it passes again."""
        while True:
            without = self._deleted()
            lease = self.units.take(state, self.clock.now_ms()) if state is not None else None
            if lease is None:
                return MergedUnit(unit=unit, end=MergeEnd.LEFT)
            try:
                result = self.pass_unit.execute(lease, without)
            except UnreadableItemError:
                return MergedUnit(unit=unit, end=MergeEnd.DAMAGED)
            if result.end is PassEnd.OVERTAKEN or self._deleted() == without:
                return _merged(result)
            state = self._open(unit.hour, [unit]).get(unit)

    def _deleted(self) -> frozenset[str]:
        """The tenants whose rows are left out."""
        return frozenset(self.deletions.forgetting()).union(self.deletions.forgotten())

    def _look(self, unit: ArchiveUnit) -> MergedUnit:
        """What a merge would add. Nothing is written."""
        key = unit.file_key(self.pass_unit.cell)
        try:
            with self.files.draft(unit) as draft:
                found = self.pass_unit.read.execute(unit, draft, self.clock.now_ms(), self._deleted())
                has_old = self.objects.get(key, draft.old()) is not None
                before = draft.summary_of_old().rows if has_old else 0
                rows = draft.merge(has_old=has_old).summary.rows
        except (InvalidValueError, UnreadableItemError):
            return MergedUnit(unit=unit, end=MergeEnd.DAMAGED)
        return MergedUnit(
            unit=unit,
            end=MergeEnd.WOULD_MERGE,
            rows=rows,
            added=rows - before,
            restored=found.restored,
            unended_when_restored=found.unended_when_restored,
            unreadable=tuple(found.unreadable),
        )


def _merged(result: PassResult) -> MergedUnit:
    return MergedUnit(
        unit=result.unit,
        end=MergeEnd.LEFT if result.end is PassEnd.OVERTAKEN else MergeEnd.MERGED,
        rows=result.rows,
        restored=result.restored,
        unended_when_restored=result.unended_when_restored,
        unreadable=result.unreadable,
    )
