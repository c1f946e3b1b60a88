"""Count the executions of each recurring job in the files of a day, and store the busiest jobs of each tenant.

A day is counted when each of its hours was passed, and again after one of its files was replaced: then the stored
digest is not that of the files from which the statistics of its hours were computed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.archive.busiest import HOURS_PER_DAY, DayJobs, digest_of, hours_of
from shared.domain.archive.unit import DAY_MS, ArchiveUnit, units_of
from shared.domain.errors import UnreadableItemError
from shared.ports.archive import ArchiveFiles, JobTally, LatePuts, ObjectStore
from shared.ports.history import HistoryStore, PassedMark
from shared.ports.runtime import Clock, Spread
from shared.usecases.archive.read_statistics import kept_mark
from shared.usecases.filing.scanned_shards import ScannedShards

LATEST_DAYS = 14
"""Days that are looked at in each run: their hours are passed again, up to the day on which they are sealed."""
BATCH = 64
"""Tenants whose jobs are stored side by side."""

HasTime = Callable[[], bool]


@dataclass(slots=True)
class CountReport:
    days: int = 0
    """Days that were counted."""
    damaged: list[ArchiveUnit] = field(default_factory=list)
    """Files that cannot be read: their days stay as they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountJobs:
    """Safe to repeat and to run twice concurrently: what a day has is replaced, and that of a later run stays."""

    objects: ObjectStore
    files: ArchiveFiles
    history: HistoryStore
    late_puts: LatePuts
    scanned: ScannedShards
    clock: Clock
    spread: Spread
    archive_days: int
    cell: str

    def execute(self, deleted: Collection[str], has_time: HasTime) -> CountReport:
        """Count the days that have changed, the latest first, without `deleted` tenants. UnavailableError."""
        report = CountReport()
        for day in self._days():
            if not has_time():
                break
            self._refresh(day, deleted, report)
        return report

    def forget(self, day: int, deleted: Collection[str]) -> CountReport:
        """Count a day again that was counted before, if `deleted` tenants have left its files. UnavailableError."""
        report = CountReport()
        if self._stored(day) is not None:
            self._refresh(day, deleted, report)
        return report

    def _refresh(self, day: int, deleted: Collection[str], report: CountReport) -> None:
        # Asked before the files are read: a file that is replaced meanwhile has another digest afterwards.
        files = digest_of(etags) if (etags := self._etags(day)) else None
        if self._is_current(self._stored(day), files, deleted):
            return
        version = self.clock.now_ms()
        expires_at_s = ((day + 1) * DAY_MS + self.archive_days * DAY_MS) // 1000
        with self.files.tally(without=deleted) as tally:
            if all(self._add(unit, tally, report) for unit in self._units(day)):
                self._store(tally.busiest(day), files, version, expires_at_s)
                report.days += 1

    def _etags(self, day: int) -> Mapping[ArchiveUnit, str]:
        hours = hours_of(day)
        return self.history.etags(hours.start, hours.stop)

    def _days(self) -> list[int]:
        """The days whose hours were all passed, and whose files may have changed lately."""
        now_ms = self.clock.now_ms()
        mark, today = kept_mark(self.history, now_ms, self.archive_days), now_ms // DAY_MS
        opened = {hour // HOURS_PER_DAY for hour in self.late_puts.counters()}
        days = {*range(today - LATEST_DAYS, today), *opened}
        return [day for day in sorted(days, reverse=True) if _is_passed(hours_of(day), mark)]

    def _is_current(self, stored: DayJobs | None, files: str | None, deleted: Collection[str]) -> bool:
        if stored is None:
            return files is None
        return stored.files == files and not any(each.tenant_id in deleted for each in stored.jobs)

    def _stored(self, day: int) -> DayJobs | None:
        """None for an item that cannot be read, too: it is replaced."""
        try:
            return self.history.day(None, day)
        except UnreadableItemError:
            return None

    def _units(self, day: int) -> list[ArchiveUnit]:
        plan = self.scanned.known_plan()
        return [unit for hour in hours_of(day) for unit in units_of(hour, plan)]

    def _add(self, unit: ArchiveUnit, tally: JobTally, report: CountReport) -> bool:
        """False for a file that cannot be read."""
        with tally.file() as file:
            etag = self.objects.get(unit.file_key(self.cell), file)
        try:
            if etag is not None:
                tally.add()
        except UnreadableItemError:
            report.damaged.append(unit)
            return False
        return True

    def _store(self, counted: Iterable[DayJobs], files: str | None, version: int, expires_at_s: int) -> None:
        def put(jobs: DayJobs) -> bool:
            return self.history.put_day(jobs, version=version, expires_at_s=expires_at_s)

        of_all = next(found := iter(counted))
        while batch := list(islice(found, BATCH)):
            self.spread(put, batch)
        # Last: it says that the day is counted.
        put(replace(of_all, files=files))


def _is_passed(hours: range, mark: PassedMark) -> bool:
    """Whether the archive has some of the hours, and each of them was passed."""
    return mark.since < hours.stop <= mark.before
