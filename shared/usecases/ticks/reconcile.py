"""Compare stored executions with the expected ones, and repair jobs that have no next run.

A comparison of rows with rows cannot find a missing row. So the instants of active jobs are enumerated from
their schedules, and the acknowledged ids come from the API's log, which is independent of the table.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.callback import Reason
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.ids import one_off_execution
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.zone_changes import outdated_from
from shared.ports.dispatch import AcceptedLog, ReconcileMark
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.complete_transition import CompleteTransition
from shared.usecases.chains.recompute_job import OutdatedJob, Recomputation, RecomputeJob
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.filing.scanned_shards import ScannedShards
from shared.usecases.reading.find_head import FindHead
from shared.usecases.ticks.collect_payloads import CollectPayloads
from shared.usecases.ticks.reconcile_job import PAGE, JobFindings, ReconcileJob

SETTLE_MINUTES = 10
"""The age at which a minute is checked: its logs have arrived, and the sweeper has made a first pass."""
LONGEST_MINUTES = 60
"""The most minutes that one run checks; the next run goes on from there."""
FIRST_MINUTES = 15
DAY_MINUTES = 1_440
"""Payloads are collected in the run that checks midnight: a scan of their table is expensive."""


@dataclass(slots=True)
class ReconcileReport:
    """The findings of one run. `missing_executions` must be empty: each is acknowledged but has no record."""

    jobs: int = 0
    accepted: int = 0
    executions: int = 0
    missing_executions: list[str] = field(default_factory=list)
    chains_repaired: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    """Jobs with a change that was left unfinished, and has been completed."""
    double_completed: list[str] = field(default_factory=list)
    outdated: list[OutdatedJob] = field(default_factory=list)
    """Jobs whose chains were computed with older time zone rules."""
    recomputed: int = 0
    """How many of the outdated jobs were recomputed."""
    payloads_collected: int = 0
    """Separately stored requests that no job names, and that have got an expiry."""
    unreadable: int = 0
    unavailable: int = 0
    """Checks that failed because a store did not respond; the next run repeats their minutes."""


@dataclass(frozen=True, slots=True)
class Reconcile:
    """One run; runs may overlap or be missed."""

    store: ExecutionStore
    jobs: JobStore
    accepted: AcceptedLog
    mark: ReconcileMark
    find_head: FindHead
    file: FileExecution
    file_successor: FileSuccessor
    clock: Clock
    scanned: ScannedShards
    settle: CompleteTransition
    collect_payloads: CollectPayloads

    def execute(
        self,
        has_time: Callable[[], bool] = lambda: True,
        on_report: Callable[[ReconcileReport], None] = lambda _: None,
        on_recomputed: Callable[[Recomputation], None] = lambda _: None,
    ) -> ReconcileReport:
        """Check every minute that has settled since the last run, and every active job.

        `on_report` is called before the progress is stored: after a crash in between, the next run finds the
        same. Jobs are recomputed last, in the remaining time; `on_recomputed` is called before each change.
        """
        report = ReconcileReport()
        through = self.clock.now_ms() // MINUTE_MS - SETTLE_MINUTES
        done = self.mark.reconciled_through()
        first = done + 1 if done is not None else through - FIRST_MINUTES + 1
        last = min(through, first + LONGEST_MINUTES - 1)
        if first <= last:
            self._check(first, last, report, has_time)
        on_report(report)
        if first <= last and not report.unavailable and has_time():
            self.mark.note_reconciled_through(last)
        self._recompute(report, has_time, on_recomputed)
        return report

    def _recompute(
        self,
        report: ReconcileReport,
        has_time: Callable[[], bool],
        on_recomputed: Callable[[Recomputation], None],
    ) -> None:
        """In order of the first instant at which old and new zone rules differ."""
        recompute = RecomputeJob(jobs=self.jobs, settle=self.settle, clock=self.clock)
        for outdated in sorted(report.outdated):
            if not has_time():
                return
            with suppress(PunctualError):
                report.recomputed += recompute.execute(outdated, on_recomputed)

    def _check(self, first: int, last: int, report: ReconcileReport, has_time: Callable[[], bool]) -> None:
        self._check_jobs(first * MINUTE_MS, (last + 1) * MINUTE_MS, report, has_time)
        self._check_accepted(first * MINUTE_MS, (last + 1) * MINUTE_MS, report)
        plan = self.scanned.scan_plan()
        for bucket in range(first, last + 1):
            self._check_bucket(bucket, plan.counts_at(bucket).of(bucket), report)
        if any(bucket % DAY_MINUTES == 0 for bucket in range(first, last + 1)):
            self._collect_payloads(report, has_time)

    def _collect_payloads(self, report: ReconcileReport, has_time: Callable[[], bool]) -> None:
        try:
            report.payloads_collected = self.collect_payloads.execute(has_time)
        except UnavailableError:
            report.unavailable += 1

    def _check_jobs(
        self, from_at: int, until_at: int, report: ReconcileReport, has_time: Callable[[], bool]
    ) -> None:
        after: str | None = None
        while has_time():
            jobs, after = self.jobs.active(after=after, limit=PAGE)
            for job in jobs:
                report.jobs += 1
                self._note_rules(job, report)
                try:
                    self._note(job, self._reconcile_job.execute(job, from_at, until_at), report)
                except UnavailableError:
                    report.unavailable += 1
                except PunctualError:
                    report.unreadable += 1
            if after is None:
                return

    def _note_rules(self, job: Job, report: ReconcileReport) -> None:
        parted_at = outdated_from(job.schedule, self.clock.now_ms()) if job.state is JobState.ACTIVE else None
        if parted_at is not None:
            found = OutdatedJob(outdated_from=parted_at, tenant_id=job.tenant_id, job_id=job.id)
            report.outdated.append(found)

    def _note(self, job: Job, findings: JobFindings, report: ReconcileReport) -> None:
        report.missing_executions += findings.missing_executions
        if findings.is_repaired:
            report.chains_repaired.append(job.id)
        if findings.is_completed:
            report.settled.append(job.id)

    @property
    def _reconcile_job(self) -> ReconcileJob:
        return ReconcileJob(
            store=self.store,
            jobs=self.jobs,
            find_head=self.find_head,
            file=self.file,
            file_successor=self.file_successor,
            settle=self.settle,
            clock=self.clock,
        )

    def _check_accepted(self, from_at: int, until_at: int, report: ReconcileReport) -> None:
        """Every acknowledged id has an execution, or a job definition."""
        for accepted in self.accepted.between(from_at, until_at):
            report.accepted += 1
            try:
                execution_id = one_off_execution(accepted.job_id)
                if execution_id is not None:
                    exists = self.store.get(execution_id) is not None
                else:
                    exists = self.jobs.get(accepted.tenant_id, accepted.job_id) is not None
            except UnavailableError:
                report.unavailable += 1
                continue
            except PunctualError:
                report.unreadable += 1
                continue
            if not exists:
                report.missing_executions.append(accepted.job_id)

    def _check_bucket(self, bucket: int, shards: int, report: ReconcileReport) -> None:
        for shard in range(shards):
            after: str | None = None
            while True:
                page = self.store.read_shard(bucket, shard, after=after, limit=PAGE)
                report.executions += len(page.executions)
                report.unreadable += page.unreadable
                report.double_completed += [
                    str(run.id) for run in page.executions if _is_completed_twice(run)
                ]
                after = page.next_after
                if after is None:
                    break


def _is_completed_twice(execution: Execution) -> bool:
    """Whether an attempt followed a recorded success, or was recorded twice."""
    numbers = [outcome.attempt for outcome in execution.progress.outcomes]
    successes = [outcome for outcome in execution.progress.outcomes if outcome.reason is Reason.OK]
    return len(set(numbers)) != len(numbers) or (
        bool(successes) and execution.progress.outcomes[-1] is not successes[0]
    )
