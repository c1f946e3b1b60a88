"""The statistics of each hour, which the archiver computes from the files of the archive."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from shared.dataclass import dataclass
from shared.domain.archive.busiest import DayJobs
from shared.domain.archive.statistics import Sums, UnitSums
from shared.domain.archive.unit import ArchiveUnit

HOURS_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedMark:
    """Which hours the archive has passed."""

    since: int
    """The first hour that was ever listed."""
    before: int
    """Each unit of the hours before this one has been passed at least once."""


class HistoryStore(Protocol):
    """Sums by tenant, hour and group of shards. UnavailableError."""

    def put(self, sums: UnitSums, *, version: int, etag: str | None, expires_at_s: int) -> bool:
        """Replace the sums of a tenant in a unit; False, and nothing changed, if a later pass has put its sums.

        `version` is that of the unit during the pass. `etag` names the file that `row_groups` refers to.
        """
        ...

    def hours(
        self,
        tenant_id: str | None,
        first: int,
        until: int,
        *,
        by_minute: bool = True,
        workflow_id: str | None = None,
    ) -> Iterator[UnitSums]:
        """The sums of the hours in [first, until), in order; of all tenants for None, and of the tasks of one workflow
        of the tenant with `workflow_id`.

        Without `by_minute`, the first minute with an execution has the sums of all minutes of its unit: longer steps
        need no more, and it takes less time to read.
        """
        ...

    def newest(
        self, tenant_id: str, first: int, until: int, *, at_once: int = HOURS_AT_ONCE
    ) -> Iterator[UnitSums]:
        """The sums of a tenant in the same hours, in reverse order. `at_once` are read as far as the caller goes."""
        ...

    def of_unit(
        self, tenant_id: str | None, unit: ArchiveUnit, workflow_id: str | None = None
    ) -> Sums | None:
        """The sums of a tenant in a unit, of all tenants for None, or of one workflow of the tenant; strongly
        consistent."""
        ...

    def forget(self, tenant_id: str, *, limit: int) -> int | None:
        """Delete at most `limit` of a tenant's sums and days, and of the sums of its workflows; the executions that the
        tenant's own sums counted, None if nothing was left."""
        ...

    def etags(self, first: int, until: int) -> Mapping[ArchiveUnit, str]:
        """The ETags of the files from which the sums of all tenants were computed, of the hours in [first, until)."""
        ...

    def put_day(self, jobs: DayJobs, *, version: int, expires_at_s: int) -> bool:
        """Replace the busiest jobs of a day; False, and nothing changed, if a later version is stored."""
        ...

    def day(self, tenant_id: str | None, day: int) -> DayJobs | None:
        """The busiest jobs of a tenant in a day, or of all tenants for None; strongly consistent."""
        ...

    def passed(self) -> PassedMark | None:
        """None before the first run of the archiver."""
        ...

    def note_passed(self, mark: PassedMark, now_ms: int) -> None:
        """Replace the mark, unless a later run has done so. `since` never changes."""
        ...
