"""The busiest recurring jobs of a day, and whether they are counted from all executions of the day."""

from shared.dataclass import dataclass
from shared.domain.archive.busiest import DayJobs, digest_of, hours_of
from shared.domain.archive.stat_window import StatWindow
from shared.domain.archive.unit import DAY_MS
from shared.ports.history import HistoryStore
from shared.ports.runtime import Clock
from shared.usecases.archive.read_statistics import kept_mark


@dataclass(frozen=True, slots=True, kw_only=True)
class BusiestJobs:
    window: StatWindow
    found: DayJobs
    is_complete: bool
    """Whether each execution of the day has ended and was counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBusiestJobs:
    """Reads alone."""

    history: HistoryStore
    clock: Clock
    archive_days: int

    def execute(self, tenant_id: str | None, window: StatWindow) -> BusiestJobs:
        """Of one day and one tenant, or of all tenants for None. UnavailableError."""
        day = window.from_at // DAY_MS
        mark, hours = kept_mark(self.history, self.clock.now_ms(), self.archive_days), hours_of(day)
        # Read before the sums: files that change meanwhile make the day incomplete, and never complete.
        found = self.history.day(tenant_id, day)
        if found is None:
            found = DayJobs(day=day, tenant_id=tenant_id, ended=0, job_count=0, jobs=())
        read = self.history.hours(tenant_id, hours.start, hours.stop, by_minute=False)
        sums = [each.sums for each in read]
        is_passed = mark.since <= hours.start and hours.stop <= mark.before
        is_ended = not any(each.unended for each in sums)
        # Rows of a tenant are only added. Those of all tenants may also leave, so that equal numbers prove nothing.
        is_current = sum(each.ended for each in sums) == found.ended
        if tenant_id is None and (etags := self.history.etags(hours.start, hours.stop)):
            is_current &= found.files == digest_of(etags)
        return BusiestJobs(window=window, found=found, is_complete=is_passed and is_ended and is_current)
