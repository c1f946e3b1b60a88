"""Sums over the executions that have ended, which are computed from the rows of a file of the archive."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import groupby
from operator import itemgetter

from shared.dataclass import dataclass
from shared.domain.archive.histogram import Histogram, merged
from shared.domain.archive.row import ArchivedOutcome, ArchiveRow
from shared.domain.archive.summary import ROW_GROUP
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.bucket import bucket_of
from shared.domain.executions.states import State

NO_RESPONSE = "none"
"""The status class of an attempt without a status, such as a timeout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The fields of a row that count. Durations in ms are None where they are unknown."""

    due_at: int
    state: str
    end_reason: str | None
    has_outcome: bool
    """Whether an attempt was recorded."""
    status: int | None
    """The HTTP status of the last recorded attempt."""
    attempts: int
    lag_ms: int | None
    """From the due time to the start of the first attempt."""
    queue_ms: int | None
    wait_ms: int | None
    duration_ms: int | None
    """Of the last recorded attempt."""
    workflow_id: str | None = None
    """The workflow of a task."""


def _lag_ms(row: ArchiveRow, first: ArchivedOutcome) -> int:
    return max(0, first.started_at - row.first_due_at)


def sample_of(row: ArchiveRow) -> Sample:
    first, last = (row.outcomes[0], row.outcomes[-1]) if row.outcomes else (None, None)
    return Sample(
        due_at=row.due_at,
        state=row.state,
        end_reason=row.end_reason,
        has_outcome=last is not None,
        status=row.status,
        attempts=row.attempts,
        lag_ms=_lag_ms(row, first) if first is not None and first.attempt == 1 else None,
        queue_ms=row.queue_ms,
        wait_ms=row.wait_ms,
        duration_ms=last.duration_ms if last is not None else None,
        workflow_id=row.job_id if row.task is not None else None,
    )


@dataclass(slots=True)
class MinuteSums:
    """Executions of one minute that have ended, those of them that failed, and how late first attempts began."""

    ended: int = 0
    failed: int = 0
    lag: Histogram = field(default_factory=Histogram)

    def merge(self, other: "MinuteSums") -> None:
        self.ended += other.ended
        self.failed += other.failed
        self.lag.merge(other.lag)


@dataclass(slots=True)
class Sums:
    """Sums of parts add up to the sums of the whole, exactly."""

    states: Counter[str] = field(default_factory=Counter)
    """Rows by the state in which they ended. Those that were moved are in no other sum: each counts at its new time."""
    end_reasons: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    """By the status class of the last recorded attempt: `2xx` to `5xx`, or `none`."""
    attempts: int = 0
    unended: int = 0
    """Executions that had not ended when they were counted. They are in no other sum."""
    queue: Histogram = field(default_factory=Histogram)
    wait: Histogram = field(default_factory=Histogram)
    duration: Histogram = field(default_factory=Histogram)
    minutes: dict[int, MinuteSums] = field(default_factory=dict)
    """By the number of the minute since the epoch."""

    @property
    def ended(self) -> int:
        """The executions that lists show."""
        return self.rows - self.states[State.MOVED]

    @property
    def rows(self) -> int:
        """All rows of the file."""
        return self.states.total()

    @property
    def lag(self) -> Histogram:
        return merged(minute.lag for minute in self.minutes.values())

    def add(self, sample: Sample) -> None:
        self.states[sample.state] += 1
        if sample.state == State.MOVED:
            return
        if sample.end_reason is not None:
            self.end_reasons[sample.end_reason] += 1
        if sample.has_outcome:
            self.statuses[_status_class(sample.status)] += 1
        self.attempts += sample.attempts
        self.queue.add(sample.queue_ms)
        self.wait.add(sample.wait_ms)
        self.duration.add(sample.duration_ms)
        minute = self.minutes.setdefault(bucket_of(sample.due_at), MinuteSums())
        minute.ended += 1
        minute.failed += sample.state == State.FAILED
        minute.lag.add(sample.lag_ms)

    def merge(self, other: "Sums") -> None:
        self.states.update(other.states)
        self.end_reasons.update(other.end_reasons)
        self.statuses.update(other.statuses)
        self.attempts += other.attempts
        self.unended += other.unended
        self.queue.merge(other.queue)
        self.wait.merge(other.wait)
        self.duration.merge(other.duration)
        for number, minute in other.minutes.items():
            self.minutes.setdefault(number, MinuteSums()).merge(minute)


def _status_class(status: int | None) -> str:
    return NO_RESPONSE if status is None else f"{status // 100}xx"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSums:
    """The sums of one unit of the archive: of one tenant, of one of its workflows, or of all tenants."""

    unit: ArchiveUnit
    tenant_id: str | None
    """None: all tenants."""
    sums: Sums
    row_groups: tuple[int, int] | None = None
    """The first and the last row group of the file with rows of the tenant, counted from 0; None without a row, and for
    a workflow."""
    workflow_id: str | None = None
    """The workflow whose tasks are counted; None: all executions."""


def sums_by_tenant(
    unit: ArchiveUnit,
    samples: Iterable[tuple[str, Sample]],
    unended: Mapping[str, int],
    *,
    unended_tasks: Mapping[tuple[str, str], int] | None = None,
    is_replaced: bool = False,
) -> Iterator[UnitSums]:
    """The sums of each tenant and of its workflows, and those of all tenants at last; nothing for a unit without a row.

    Where the unit `is_replaced`, the sums of all tenants come even if no execution is left.
    `samples` has tenant and sample of each row in the order of the file, in which the rows of a tenant are together.
    `unended` has the number of executions that have not ended, by tenant, and `unended_tasks` those of them that are
    tasks, by tenant and workflow.
    """
    whole, left, left_tasks = Sums(), dict(unended), _by_tenant(unended_tasks or {})
    numbered = ((tenant, number, sample) for number, (tenant, sample) in enumerate(samples))
    for tenant, rows in groupby(numbered, key=itemgetter(0)):
        sums, first, last = Sums(unended=left.pop(tenant, 0)), -1, -1
        workflows = left_tasks.pop(tenant, {})
        for _, number, sample in rows:
            sums.add(sample)
            first, last = (number if first < 0 else first), number
            if sample.workflow_id is not None:
                workflows.setdefault(sample.workflow_id, Sums()).add(sample)
        whole.merge(sums)
        groups = first // ROW_GROUP, last // ROW_GROUP
        yield UnitSums(unit=unit, tenant_id=tenant, sums=sums, row_groups=groups)
        yield from _of_workflows(unit, tenant, workflows)
    for tenant, count in sorted(left.items()):
        whole.unended += count
        yield UnitSums(unit=unit, tenant_id=tenant, sums=Sums(unended=count))
        yield from _of_workflows(unit, tenant, left_tasks.get(tenant, {}))
    if whole.rows or whole.unended or is_replaced:
        yield UnitSums(unit=unit, tenant_id=None, sums=whole)


def _by_tenant(unended: Mapping[tuple[str, str], int]) -> dict[str, dict[str, Sums]]:
    found: dict[str, dict[str, Sums]] = {}
    for (tenant, workflow_id), count in unended.items():
        found.setdefault(tenant, {})[workflow_id] = Sums(unended=count)
    return found


def _of_workflows(unit: ArchiveUnit, tenant: str, workflows: Mapping[str, Sums]) -> Iterator[UnitSums]:
    for workflow_id, sums in sorted(workflows.items()):
        yield UnitSums(unit=unit, tenant_id=tenant, sums=sums, workflow_id=workflow_id)
