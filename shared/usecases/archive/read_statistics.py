"""Statistics of a range of time: the sums of archived hours, and for later hours the executions themselves.

Where later hours have too many executions to read them, they have counts in the index alone.
"""

from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.archive.stat_window import StatWindow, Step
from shared.domain.archive.statistics import Sample, Sums
from shared.domain.archive.unit import DAY_MS, HOUR_MS, hour_of
from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import InvalidValueError
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.domain.tenancy.tenant import Tenant
from shared.names import FAILURE_PARTITIONS
from shared.ports.history import HistoryStore, PassedMark
from shared.ports.listings import IndexInstants, Queries, TenantIndex
from shared.ports.runtime import Clock
from shared.usecases.archive.count_ended import CountEnded

MOST_UNCOUNTED = 20_000
"""Index entries that a request reads at most, about 300 read units."""
MOST_READ = 500
"""Executions of later hours that a request reads at most, about as many read units."""
MOST_OF_WORKFLOW = 2_000
"""The same for the tasks of one workflow, which no index tells from the tenant's other executions."""


@dataclass(slots=True)
class Uncounted:
    """Executions that were due in hours without a pass of the archive, and that no sum has.

    None where they are too many to count.
    """

    due: int | None = 0
    failed: int | None = 0


@dataclass(slots=True)
class StatBucket:
    """One step of a range."""

    from_at: int
    until_at: int
    sums: Sums = field(default_factory=Sums)
    uncounted: Uncounted = field(default_factory=Uncounted)
    is_complete: bool = False
    """Whether `sums` has each execution that was due in the step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatReport:
    window: StatWindow
    buckets: tuple[StatBucket, ...]
    complete_until: int | None
    """The end of the complete steps from the start of the range on; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStatistics:
    """Reads alone. The counts of a complete hour are those of the rows of its files."""

    history: HistoryStore
    queries: Queries
    count_ended: CountEnded
    clock: Clock
    archive_days: int

    def execute(
        self, tenant: Tenant | None, window: StatWindow, workflow_id: str | None = None
    ) -> StatReport:
        """Of one tenant, or of all tenants for None, whose later hours have no counts. UnavailableError.

        With `workflow_id`, the executions of the tasks of that workflow of the tenant.
        """
        # One look decides from which hour on the index is asked, so that no execution counts twice.
        mark = kept_mark(self.history, self.clock.now_ms(), self.archive_days)
        buckets = [StatBucket(start, start + window.step.ms) for start in window.starts()]
        open_hours = self._add_hours(tenant, window, buckets, mark, workflow_id)
        self._add_uncounted(tenant, window, buckets, mark, workflow_id)
        for bucket in buckets:
            bucket.is_complete = _is_complete(bucket, mark, open_hours)
        return StatReport(window=window, buckets=tuple(buckets), complete_until=complete_until(buckets))

    def _add_hours(
        self,
        tenant: Tenant | None,
        window: StatWindow,
        buckets: list[StatBucket],
        mark: PassedMark,
        workflow_id: str | None,
    ) -> set[int]:
        """Add the sums of the hours that were passed; those hours in which executions had not ended."""
        open_hours: set[int] = set()
        first, until = hour_of(window.from_at), min(hour_of(window.until_at - 1) + 1, mark.before)
        if first >= until:
            return open_hours
        tenant_id, by_minute = tenant.id if tenant else None, window.step is Step.MINUTE
        found_hours = self.history.hours(
            tenant_id, first, until, by_minute=by_minute, workflow_id=workflow_id
        )
        for found in found_hours:
            if found.sums.unended:
                open_hours.add(found.unit.hour)
            if not by_minute:
                buckets[(found.unit.start_ms - window.from_at) // window.step.ms].sums.merge(found.sums)
                continue
            for number, minute in found.sums.minutes.items():
                index = number - window.from_at // MINUTE_MS
                if 0 <= index < len(buckets):
                    buckets[index].sums.merge(Sums(minutes={number: minute}))
        return open_hours

    def _add_uncounted(
        self,
        tenant: Tenant | None,
        window: StatWindow,
        buckets: list[StatBucket],
        mark: PassedMark,
        workflow_id: str | None,
    ) -> None:
        from_at = max(window.from_at, mark.before * HOUR_MS)
        until_at = min(window.until_at, self.clock.now_ms() + 1)
        later = [bucket for bucket in buckets if bucket.until_at > from_at]
        if tenant is None:
            for bucket in later:
                bucket.uncounted = Uncounted(None, None)
        elif from_at < until_at:
            span = PositionRange(after=IndexPosition(at=max(0, from_at)), before=IndexPosition(at=until_at))
            at_most = MOST_UNCOUNTED if workflow_id is None else MOST_OF_WORKFLOW
            due = self._entries(TenantIndex.DUE, tenant, tenant.index_shards, span, at_most)
            few = _few(due, MOST_READ if workflow_id is None else MOST_OF_WORKFLOW)
            if workflow_id is not None:
                self._add_tasks(tenant, workflow_id, window, buckets, later, few)
                return
            failed = (
                self._entries(TenantIndex.FAILED, tenant, FAILURE_PARTITIONS, span, MOST_UNCOUNTED)
                if few is None
                else ()
            )
            due_counts, failed_counts = (_counts(each, until_at, later) for each in (due, failed))
            for bucket, due_count, failed_count in zip(later, due_counts, failed_counts, strict=True):
                bucket.uncounted = Uncounted(due_count, failed_count)
            if few is not None:
                self._add_ended(tenant, window, buckets, few)

    def _entries(
        self, index: TenantIndex, tenant: Tenant, shards: int, span: PositionRange, at_most: int
    ) -> Sequence[IndexInstants]:
        return self.queries.instants(index, tenant.id, shards, span, at_most=max(1, at_most // shards))

    def _add_ended(
        self, tenant: Tenant, window: StatWindow, buckets: list[StatBucket], ids: Sequence[ExecutionId]
    ) -> None:
        """Add the executions that have ended to the sums; the others stay uncounted."""
        for sample in self.count_ended.execute(tenant.id, ids):
            bucket = buckets[(sample.due_at - window.from_at) // window.step.ms]
            bucket.sums.add(sample)
            assert bucket.uncounted.due is not None
            bucket.uncounted.due -= 1

    def _add_tasks(
        self,
        tenant: Tenant,
        workflow_id: str,
        window: StatWindow,
        buckets: list[StatBucket],
        later: list[StatBucket],
        few: Sequence[ExecutionId] | None,
    ) -> None:
        """The index does not tell which executions are tasks of the workflow: they are read, or not counted."""
        if few is None:
            for bucket in later:
                bucket.uncounted = Uncounted(None, None)
            return
        for found in self.count_ended.tasks(tenant.id, workflow_id, few):
            due_at = found.due_at if isinstance(found, Sample) else found.dispatch_at
            bucket = buckets[(due_at - window.from_at) // window.step.ms]
            if isinstance(found, Sample):
                bucket.sums.add(found)
            else:
                assert bucket.uncounted.due is not None
                bucket.uncounted.due += 1


def _few(entries: Sequence[IndexInstants], at_most: int) -> list[ExecutionId] | None:
    """The executions of these entries; None where they are too many to read. Ids of a newer form are left out."""
    if not all(each.is_whole for each in entries) or sum(len(each.instants) for each in entries) > at_most:
        return None
    found = []
    for each in entries:
        for text in each.id_texts:
            with suppress(InvalidValueError):
                found.append(parse_execution_id(text))
    return found


def _counts(entries: Sequence[IndexInstants], until_at: int, buckets: list[StatBucket]) -> list[int | None]:
    """The entries in each bucket; None for a bucket that was not read to its end."""
    read_until = min((each.instants[-1] for each in entries if not each.is_whole), default=until_at)
    return [
        sum(_between(each.instants, bucket.from_at, bucket.until_at) for each in entries)
        if min(bucket.until_at, until_at) <= read_until
        else None
        for bucket in buckets
    ]


def _between(instants: Sequence[int], from_at: int, until_at: int) -> int:
    """How many of these instants, which are in order, are in a range."""
    return bisect_left(instants, until_at) - bisect_left(instants, from_at)


def kept_mark(history: HistoryStore, now_ms: int, archive_days: int) -> PassedMark:
    """The hours that were passed. Sums that have expired are like hours before the first one."""
    mark = history.passed() or PassedMark(since=0, before=0)
    kept = hour_of(now_ms - archive_days * DAY_MS) + 1
    return PassedMark(since=max(mark.since, kept), before=mark.before)


def _is_complete(bucket: StatBucket, mark: PassedMark, open_hours: set[int]) -> bool:
    first, last = hour_of(bucket.from_at), hour_of(bucket.until_at - 1)
    is_passed = mark.since <= first and last < mark.before
    return is_passed and open_hours.isdisjoint(range(first, last + 1))


def complete_until(buckets: list[StatBucket]) -> int | None:
    """The end of the complete steps from the first one on; None without one."""
    until = None
    for bucket in buckets:
        if not bucket.is_complete:
            break
        until = bucket.until_at
    return until
