"""The statistics of each hour in memory."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from shared.domain.archive.busiest import DayJobs
from shared.domain.archive.statistics import MinuteSums, Sums, UnitSums
from shared.domain.archive.unit import ArchiveUnit
from shared.ports.history import PassedMark


def joined(sums: Sums) -> Sums:
    """The same sums with all minutes in the first one."""
    whole = MinuteSums()
    for minute in sums.minutes.values():
        whole.merge(minute)
    return replace(sums, minutes={min(sums.minutes): whole} if sums.minutes else {})


@dataclass(slots=True)
class StoredSums:
    sums: UnitSums
    version: int
    etag: str | None
    expires_at_s: int


@dataclass(slots=True)
class StoredDay:
    jobs: DayJobs
    version: int
    expires_at_s: int


@dataclass
class FakeHistoryStore:
    """Each call is one step."""

    stored: dict[tuple[str | None, ArchiveUnit], StoredSums] = field(default_factory=dict)
    of_workflows: dict[tuple[str, str], dict[ArchiveUnit, StoredSums]] = field(default_factory=dict)
    """By tenant and workflow."""
    days: dict[tuple[str | None, int], StoredDay] = field(default_factory=dict)
    mark: PassedMark | None = None
    noted_at: int = -1

    def put(self, sums: UnitSums, *, version: int, etag: str | None, expires_at_s: int) -> bool:
        stored = StoredSums(sums, version, etag, expires_at_s)
        if sums.workflow_id is not None:
            of_workflow = self.of_workflows.setdefault((sums.tenant_id or "", sums.workflow_id), {})
            existing = of_workflow.get(sums.unit)
            if existing is not None and existing.version > version:
                return False
            of_workflow[sums.unit] = stored
            return True
        existing = self.stored.get((sums.tenant_id, sums.unit))
        if existing is not None and existing.version > version:
            return False
        self.stored[sums.tenant_id, sums.unit] = stored
        return True

    def hours(
        self,
        tenant_id: str | None,
        first: int,
        until: int,
        *,
        by_minute: bool = True,
        workflow_id: str | None = None,
    ) -> Iterator[UnitSums]:
        own = {unit: stored for (owner, unit), stored in self.stored.items() if owner == tenant_id}
        if workflow_id is not None:
            own = self.of_workflows.get((tenant_id or "", workflow_id), {})
        for unit, stored in sorted(own.items(), key=lambda each: each[0]):
            if first <= unit.hour < until:
                yield stored.sums if by_minute else replace(stored.sums, sums=joined(stored.sums.sums))

    def newest(
        self,
        tenant_id: str,
        first: int,
        until: int,
        *,
        at_once: int = 1,
    ) -> Iterator[UnitSums]:
        return reversed(list(self.hours(tenant_id, first, until)))

    def of_unit(
        self, tenant_id: str | None, unit: ArchiveUnit, workflow_id: str | None = None
    ) -> Sums | None:
        if workflow_id is not None:
            stored = self.of_workflows.get((tenant_id or "", workflow_id), {}).get(unit)
        else:
            stored = self.stored.get((tenant_id, unit))
        return stored.sums.sums if stored is not None else None

    def forget(self, tenant_id: str, *, limit: int) -> int | None:
        days = [key for key in self.days if key[0] == tenant_id][:limit]
        keys = [key for key in self.stored if key[0] == tenant_id][: limit - len(days)]
        tasks = [
            (key, unit) for key, units in self.of_workflows.items() if key[0] == tenant_id for unit in units
        ]
        for day in days:
            del self.days[day]
        gone = [self.stored.pop(key) for key in keys]
        gone_tasks = [
            self.of_workflows[key].pop(unit) for key, unit in tasks[: limit - len(days) - len(keys)]
        ]
        return sum(each.sums.sums.rows for each in gone) if gone or days or gone_tasks else None

    def etags(self, first: int, until: int) -> Mapping[ArchiveUnit, str]:
        return {
            unit: stored.etag
            for (owner, unit), stored in self.stored.items()
            if owner is None and first <= unit.hour < until and stored.etag is not None
        }

    def put_day(self, jobs: DayJobs, *, version: int, expires_at_s: int) -> bool:
        existing = self.days.get((jobs.tenant_id, jobs.day))
        if existing is not None and existing.version > version:
            return False
        self.days[jobs.tenant_id, jobs.day] = StoredDay(jobs, version, expires_at_s)
        return True

    def day(self, tenant_id: str | None, day: int) -> DayJobs | None:
        stored = self.days.get((tenant_id, day))
        return stored.jobs if stored is not None else None

    def passed(self) -> PassedMark | None:
        return self.mark

    def note_passed(self, mark: PassedMark, now_ms: int) -> None:
        if now_ms < self.noted_at:
            return
        self.noted_at = now_ms
        self.mark = replace(mark, since=self.mark.since) if self.mark else mark
