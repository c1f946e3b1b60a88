"""Compare acknowledged jobs with stored ones, and look for executions that were completed twice.

A comparison of rows with rows cannot find a missing row. So the acknowledged ids come from the API's log, which
is independent of the tables. Above some rate, only a sample of ids and of shards is compared.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.callback import Reason
from shared.domain.dispatch.sampling import MAX_LEVEL, hash_level
from shared.domain.errors import PunctualError, UnavailableError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId, one_off_execution
from shared.ports.dispatch import Accepted, AcceptedLog, MinuteProgress, ReconcileProgressStore
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Spread
from shared.usecases.filing.scanned_shards import ScannedShards
from shared.usecases.ticks.reconcile_report import FIRST_MINUTES, ReconcileReport, settled_through

BATCH = 100
SIDE_BY_SIDE = 16
SLOW_MS = 30_000
"""A minute that takes longer halves the sample of the next one: a run of 580 s checks 19 minutes, and one
begins every 15."""
QUICK_MS = 7_000
"""A minute that takes less doubles the sample of the next one."""
MAX_FAILED = 3
"""Minutes with failures after which a run ends: the next run begins with the first of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileMinutes:
    """One run; runs may overlap or be missed. Every minute is checked in order, and none is left out."""

    store: ExecutionStore
    jobs: JobStore
    accepted: AcceptedLog
    progress: ReconcileProgressStore
    clock: Clock
    scanned: ScannedShards
    spread: Spread

    def execute(
        self,
        has_time: Callable[[], bool] = lambda: True,
        on_report: Callable[[ReconcileReport], None] = lambda _: None,
    ) -> ReconcileReport:
        """Check every minute that has settled since the last run, as far as the time suffices.

        `on_report` is called for each minute, before its progress is stored: after a crash in between, the
        next run finds the same.
        """
        total, failures, progress = ReconcileReport(), 0, self.checked()
        for bucket in range(progress.through + 1, settled_through(self.clock.now_ms()) + 1):
            if failures == MAX_FAILED or not has_time():
                break
            began_at, report = self.clock.now_ms(), ReconcileReport()
            is_whole = self._check(bucket, progress.sample_level, report, has_time)
            on_report(report)
            total.add(report)
            failures += report.unavailable > 0
            if not is_whole:
                # With a smaller sample, the next run completes this minute.
                progress = replace(progress, sample_level=min(progress.sample_level + 1, MAX_LEVEL))
            else:
                level = _adapted(progress.sample_level, self.clock.now_ms() - began_at)
                progress = MinuteProgress(through=bucket, sample_level=level)
            if not failures:
                self.progress.note_minutes(progress)
            if not is_whole:
                break
        return total

    def checked(self) -> MinuteProgress:
        """The last minute that is compared, and the present sample."""
        first = settled_through(self.clock.now_ms()) - FIRST_MINUTES
        return self.progress.minutes() or MinuteProgress(through=first)

    def _check(self, bucket: int, level: int, report: ReconcileReport, has_time: Callable[[], bool]) -> bool:
        """Check the sample of a minute; False if the time ran out."""
        plan = self.scanned.scan_plan()
        shards = range(plan.counts_at(bucket).of(bucket))
        sample = [shard for shard in shards if hash_level(f"{bucket}#{shard}") >= level]
        return self._check_accepted(bucket, level, report, has_time) and all(
            self._check_shard(bucket, shard, report, has_time) for shard in sample
        )

    def _check_accepted(
        self, bucket: int, level: int, report: ReconcileReport, has_time: Callable[[], bool]
    ) -> bool:
        """Every acknowledged id has an execution, or a job definition. A failed page of the log leaves the rest
        of its minute to the next run."""
        log = self._read_log(bucket, level, report)
        while accepted := list(islice(log, SIDE_BY_SIDE * BATCH)):
            if not has_time():
                return False
            report.accepted += len(accepted)
            batches = [accepted[first : first + BATCH] for first in range(0, len(accepted), BATCH)]
            for found in self.spread(self._check_batch, batches):
                report.add(found)
        return True

    def _read_log(self, bucket: int, level: int, report: ReconcileReport) -> Iterator[Accepted]:
        try:
            yield from self.accepted.between(bucket * MINUTE_MS, (bucket + 1) * MINUTE_MS, level)
        except UnavailableError:
            report.unavailable += 1

    def _check_batch(self, batch: list[Accepted]) -> ReconcileReport:
        report = ReconcileReport()
        ids = {each.job_id: one_off_execution(each.job_id) for each in batch}
        one_offs = [execution_id for execution_id in ids.values() if execution_id is not None]
        stored: Collection[ExecutionId] | None
        try:
            stored = self.store.get_many(one_offs) if one_offs else ()
        except UnreadableItemError:
            stored = None
        except UnavailableError:
            return ReconcileReport(unavailable=1)
        for accepted in batch:
            execution_id = ids[accepted.job_id]
            try:
                if execution_id is None:
                    exists = self.jobs.get(accepted.tenant_id, accepted.job_id) is not None
                elif stored is not None:
                    exists = execution_id in stored
                else:
                    exists = self.store.get(execution_id) is not None
            except UnavailableError:
                report.unavailable += 1
            except PunctualError:
                report.unreadable.append(f"{accepted.tenant_id}/{accepted.job_id}")
            else:
                report.missing_executions += [] if exists else [accepted.job_id]
        return report

    def _check_shard(
        self, bucket: int, shard: int, report: ReconcileReport, has_time: Callable[[], bool]
    ) -> bool:
        after: str | None = None
        while has_time():
            try:
                page = self.store.read_shard(bucket, shard, after=after, limit=BATCH)
            except UnavailableError:
                report.unavailable += 1
                return True
            report.executions += len(page.executions)
            report.unreadable += [f"{bucket}#{shard}/{sort_key}" for sort_key in page.unreadable]
            report.double_completed += [str(run.id) for run in page.executions if _is_completed_twice(run)]
            after = page.next_after
            if after is None:
                return True
        return False


def _adapted(level: int, took_ms: int) -> int:
    """The sample level of the next minute, after a minute that took this long."""
    if took_ms > SLOW_MS:
        return min(level + 1, MAX_LEVEL)
    return max(level - 1, 0) if took_ms < QUICK_MS else level


def _is_completed_twice(execution: Execution) -> bool:
    """Whether an attempt followed a recorded success, or was recorded twice."""
    numbers = [outcome.attempt for outcome in execution.progress.outcomes]
    successes = [outcome for outcome in execution.progress.outcomes if outcome.reason is Reason.OK]
    return len(set(numbers)) != len(numbers) or (
        bool(successes) and execution.progress.outcomes[-1] is not successes[0]
    )
