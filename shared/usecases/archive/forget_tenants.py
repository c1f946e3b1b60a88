"""Remove deleted tenants from the archive: their statistics, and their rows in sealed files.

All tenants that have come to the same hour go on together, so that a file is read and replaced once for all of them.
Those that are farthest go first. Tenants that were deleted later begin, together, when these have nothing left to do.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.archive.busiest import HOURS_PER_DAY
from shared.domain.archive.unit import ArchiveUnit, units_of
from shared.domain.errors import InvalidValueError, ServiceError, UnreadableItemError
from shared.domain.tenancy.deletion import TenantDeletion
from shared.ports.history import HistoryStore
from shared.ports.runtime import Clock, Spread
from shared.ports.tenancy import TenantDeletions
from shared.usecases.archive.count_jobs import CountJobs
from shared.usecases.archive.manifests import Manifests, StoredManifest
from shared.usecases.archive.rewrite_file import RewriteFile, counts_any
from shared.usecases.filing.scanned_shards import ScannedShards

MOST_TENANTS = 100
"""Tenants of one run; the others wait until these are forgotten."""
HOURS_AT_ONCE = 8
"""Hours whose manifests are in memory together, and after which the progress is recorded. A manifest with 10,000
tenants takes some 1.5 MB."""
SUMS_AT_ONCE = 100

HasTime = Callable[[], bool]


@dataclass(slots=True)
class ForgetReport:
    rewritten: int = 0
    """Files that were replaced."""
    forgotten: int = 0
    """Tenants of which nothing is left."""
    overtaken: int = 0
    """Files and records that another run has changed meanwhile."""
    damaged: list[ArchiveUnit] = field(default_factory=list)
    unavailable: int = 0


@dataclass(slots=True)
class _Walk:
    """How far a run came through some hours."""

    seen_at: int
    hour: int
    """The first hour that is not done."""
    looked_at: int = 0
    rewritten: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetTenants:
    """Runs may overlap and crash anywhere: files, manifests and records are replaced on condition."""

    deletions: TenantDeletions
    history: HistoryStore
    manifests: Manifests
    rewrite: RewriteFile
    count_jobs: CountJobs
    scanned: ScannedShards
    clock: Clock
    spread: Spread

    def execute(
        self, names: Sequence[str], frontier: int, has_time: HasTime, *, seen_at: int
    ) -> ForgetReport:
        """Go on as long as `has_time`. `names` are the tenants that wait.

        At the instant `seen_at` each earlier hour than `frontier` was sealed, and no pass was to follow.
        """
        report = ForgetReport()
        try:
            mark = self.history.passed() if names else None
            if mark is not None:
                self._forget(names, range(mark.since, frontier), seen_at, has_time, report)
        except ServiceError:
            report.unavailable += 1
        return report

    def _forget(
        self, names: Sequence[str], sealed: range, seen_at: int, has_time: HasTime, report: ForgetReport
    ) -> None:
        tenants = self._without_statistics(names[:MOST_TENANTS], has_time)
        while has_time():
            group, hours = next_hours([*tenants.values()], sealed.start, sealed.stop)
            if not hours:
                break
            walk = _Walk(seen_at, hours.start)
            self._walk(walk, hours, sorted(tenants), has_time, report)
            ends = {each.archived_hours(sealed.start).stop for each in group}
            self._count_days(walk, hours, ends, names, has_time, report)
            has_progress = walk.hour > hours.start or walk.rewritten > 0
            if has_progress and not self._record(group, walk, tenants, report):
                break
            if walk.hour < hours.stop:
                break
        for deletion in tenants.values():
            if not deletion.archived_hours(sealed.start):
                ended = deletion.after_forgetting(ended_at=self.clock.now_ms())
                report.forgotten += self.deletions.end_forgetting(deletion, ended)

    def _without_statistics(self, names: Sequence[str], has_time: HasTime) -> dict[str, TenantDeletion]:
        """The records of the tenants that no pass can put any more, and whose sums are deleted."""
        now_ms = self.clock.now_ms()
        found = [each for each in self.spread(self.deletions.get, names) if each is not None]
        ready = [each for each in found if each.is_forgettable(now_ms)]
        cleared = (self._clear(deletion, has_time) for deletion in ready)
        return {each.tenant_id: each for each in cleared if each is not None}

    def _clear(self, deletion: TenantDeletion, has_time: HasTime) -> TenantDeletion | None:
        """Delete the sums of a tenant; None if some are left."""
        while deletion.forgetting is not None and deletion.forgetting.has_statistics:
            if not has_time():
                return None
            rows = self.history.forget(deletion.tenant_id, limit=SUMS_AT_ONCE)
            after = deletion.after_forgetting(
                rows=deletion.forgetting.rows + (rows or 0), has_statistics=rows is not None
            )
            if not self.deletions.replace(deletion, after):
                return None
            deletion = after
        return deletion

    def _walk(
        self, walk: _Walk, hours: range, names: Sequence[str], has_time: HasTime, report: ForgetReport
    ) -> None:
        """Rewrite the files that have rows of the tenants, hour by hour, up to the first that cannot be."""
        plan = self.scanned.known_plan()
        by_hour = {hour: units_of(hour, plan) for hour in hours}
        units = [unit for listed in by_hour.values() for unit in listed]
        found = dict(zip(units, self.spread(self._look, units), strict=True))
        for hour, listed in by_hour.items():
            for unit in listed:
                if not self._forget_in(unit, found[unit], names, has_time, walk, report):
                    return
            walk.looked_at += sum(found[unit] is not None for unit in listed)
            walk.hour = hour + 1

    def _count_days(
        self,
        walk: _Walk,
        hours: range,
        ends: Collection[int],
        names: Sequence[str],
        has_time: HasTime,
        report: ForgetReport,
    ) -> None:
        """Count the jobs of each day again whose last hour was walked, or the last hour of a tenant.

        The walk goes back to an hour whose day was not counted.
        """
        for hour in range(hours.start, walk.hour):
            if (hour + 1) % HOURS_PER_DAY and hour + 1 not in ends:
                continue
            if not has_time():
                walk.hour = hour
                return
            try:
                counted = self.count_jobs.forget(hour // HOURS_PER_DAY, names)
            except ServiceError:
                report.unavailable += 1
                walk.hour = hour
                return
            if counted.damaged:
                report.damaged += counted.damaged
                walk.hour = hour
                return

    def _look(self, unit: ArchiveUnit) -> StoredManifest | UnreadableItemError | None:
        """None for a unit that nothing was ever archived of; statistics and manifest expire at about the same time."""
        try:
            stored = self.manifests.read(unit)
            whole = self.history.of_unit(None, unit) if stored is None else None
        except UnreadableItemError as error:
            return error
        if whole is not None and whole.rows:
            return UnreadableItemError(
                f"the manifest of {unit} is missing, and its statistics count executions"
            )
        return stored

    def _forget_in(
        self,
        unit: ArchiveUnit,
        stored: StoredManifest | UnreadableItemError | None,
        names: Sequence[str],
        has_time: HasTime,
        walk: _Walk,
        report: ForgetReport,
    ) -> bool:
        """Whether the file has no row of the tenants now."""
        try:
            if isinstance(stored, UnreadableItemError):
                raise stored
            if stored is None or not counts_any(stored.manifest, names):
                return True
            if not has_time():
                return False
            if not self.rewrite.execute(unit, stored, names, seen_at=walk.seen_at):
                report.overtaken += 1
                return False
        except ServiceError:
            report.unavailable += 1
            return False
        except (UnreadableItemError, InvalidValueError):
            report.damaged.append(unit)
            return False
        walk.rewritten += 1
        report.rewritten += 1
        return True

    def _record(
        self,
        group: Sequence[TenantDeletion],
        walk: _Walk,
        tenants: dict[str, TenantDeletion],
        report: ForgetReport,
    ) -> bool:
        """False if another run has recorded its own progress."""

        def record(deletion: TenantDeletion) -> TenantDeletion | None:
            before = deletion.forgetting
            after = deletion.after_forgetting(
                hour=walk.hour,
                looked_at=walk.looked_at + (before.looked_at if before else 0),
                rewritten=walk.rewritten + (before.rewritten if before else 0),
            )
            return after if self.deletions.replace(deletion, after) else None

        recorded = [each for each in self.spread(record, group) if each is not None]
        tenants |= {each.tenant_id: each for each in recorded}
        report.overtaken += len(group) - len(recorded)
        return len(recorded) == len(group)


def next_hours(
    deletions: Sequence[TenantDeletion], since: int, frontier: int
) -> tuple[list[TenantDeletion], range]:
    """The hours that are walked next, and the tenants that they are walked for."""
    left = {each.tenant_id: each.archived_hours(since) for each in deletions}
    open_hours = {name: range(hours.start, min(hours.stop, frontier)) for name, hours in left.items()}
    first = max((hours.start for hours in open_hours.values() if hours), default=None)
    if first is None:
        return [], range(0)
    group = [each for each in deletions if open_hours[each.tenant_id] and left[each.tenant_id].start == first]
    last = max(open_hours[each.tenant_id].stop for each in group)
    return group, range(first, min(last, first + HOURS_AT_ONCE))
