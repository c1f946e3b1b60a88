"""The busiest recurring jobs of a day, which are counted from all its files of the archive.

A one-off job runs once: its executions count in the sums of the day alone.
"""

from collections.abc import Mapping
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.archive.stat_window import StatWindow, Step
from shared.domain.archive.unit import DAY_MS, HOUR_MS, ArchiveUnit
from shared.domain.errors import InvalidValueError

MOST_JOBS = 500
HOURS_PER_DAY = DAY_MS // HOUR_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCount:
    """The executions of a recurring job, or of a backfill, that have ended."""

    tenant_id: str
    job_id: str
    ended: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayJobs:
    """What the files of a day have of a tenant, or of all tenants."""

    day: int
    """The number of the day since the epoch."""
    tenant_id: str | None
    """None: all tenants."""
    ended: int
    """Executions of all jobs, one-off jobs included."""
    job_count: int
    """Recurring jobs with executions."""
    jobs: tuple[JobCount, ...]
    """At most MOST_JOBS of them, those with the most executions first, and equal ones by tenant and id."""
    files: str | None = None
    """The digest of the files that were counted; None but for all tenants."""


def digest_of(etags: Mapping[ArchiveUnit, str]) -> str:
    """Another one for other files. `etags` has the ETag of the file of each unit of a day."""
    lines = (f"{unit.hour}#{unit.group} {etag}" for unit, etag in sorted(etags.items()))
    return sha256("\n".join(lines).encode()).hexdigest()[:32]


def hours_of(day: int) -> range:
    """The numbers of the hours of a day."""
    return range(day * HOURS_PER_DAY, (day + 1) * HOURS_PER_DAY)


def day_window(from_at: int | None, now_ms: int) -> StatWindow:
    """The day of an instant; by default the latest day that is over. InvalidValueError for a day that is not."""
    start = (now_ms - DAY_MS if from_at is None else from_at) // DAY_MS * DAY_MS
    if start < 0 or start + DAY_MS > now_ms:
        raise InvalidValueError("the jobs of a day are counted when it is over: choose an earlier day")
    return StatWindow(from_at=start, until_at=start + DAY_MS, step=Step.DAY)
