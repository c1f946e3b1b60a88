"""RECONCILE: hold what is stored against what must be there, and mend the chain of a job that has lost its next run.

Rows compared with rows cannot see a missing one. So the instants of active jobs are enumerated, and the ids that
were acknowledged come from the API's log, which knows nothing of the table.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from shared.domain.bucket import MINUTE_MS, ShardPlan
from shared.domain.delivery.callback import Reason
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.ids import one_off_execution
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.zone_changes import parts_at
from shared.ports.dispatch import AcceptedLog, ReconcileMark
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.complete_transition import CompleteTransition
from shared.usecases.chains.recompute_job import Outdated, Recomputed, RecomputeJob
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.reading.find_head import FindHead
from shared.usecases.ticks.reconcile_job import PAGE, JobFindings, ReconcileJob

SETTLE_MINUTES = 10
"""A minute is looked at when it is this old: logs have arrived by then, and sweeps have made their first passes."""
LONGEST_MINUTES = 60
"""So many minutes are caught up with in one run; the next run goes on from there."""
FIRST_MINUTES = 15


@dataclass(slots=True)
class ReconcileReport:
    """What one run found. `unaccounted` must be empty: each is something acknowledged that has no record."""

    jobs: int = 0
    accepted: int = 0
    executions: int = 0
    missing_executions: list[str] = field(default_factory=list)
    chains_repaired: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    """Jobs whose maker of a change had died."""
    double_completed: list[str] = field(default_factory=list)
    outdated: list[Outdated] = field(default_factory=list)
    """Jobs whose chains go by other rules of their time zones than the present ones."""
    recomputed: int = 0
    """So many of them have got a chain that goes by the present ones."""
    unreadable: int = 0
    unavailable: int = 0
    """Checks that a store did not answer for; their minutes are looked at again by the next run."""


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
    plan: ShardPlan
    settle: CompleteTransition

    def execute(
        self,
        has_time: Callable[[], bool] = lambda: True,
        tell: Callable[[ReconcileReport], None] = lambda _: None,
        tell_recomputed: Callable[[Recomputed], None] = lambda _: None,
    ) -> ReconcileReport:
        """Look at every minute that has settled since the last run, and at every active job.

        What was found is told before the mark moves: a run that dies in between leaves it to the next to find again.
        Jobs are recomputed last, in the time that is left; each is told of before it is touched.
        """
        report = ReconcileReport()
        through = self.clock.now_ms() // MINUTE_MS - SETTLE_MINUTES
        known = self.mark.reconciled_through()
        first = known + 1 if known is not None else through - FIRST_MINUTES + 1
        last = min(through, first + LONGEST_MINUTES - 1)
        if first <= last:
            self._check(first, last, report, has_time)
        tell(report)
        if first <= last and not report.unavailable and has_time():
            self.mark.note_reconciled_through(last)
        self._recompute(report, has_time, tell_recomputed)
        return report

    def _recompute(
        self, report: ReconcileReport, has_time: Callable[[], bool], tell: Callable[[Recomputed], None]
    ) -> None:
        """Those whose rules part first, first."""
        recompute = RecomputeJob(jobs=self.jobs, settle=self.settle, clock=self.clock)
        for outdated in sorted(report.outdated):
            if not has_time():
                return
            with suppress(PunctualError):
                report.recomputed += recompute.execute(outdated, tell)

    def _check(self, first: int, last: int, report: ReconcileReport, has_time: Callable[[], bool]) -> None:
        self._check_jobs(first * MINUTE_MS, (last + 1) * MINUTE_MS, report, has_time)
        self._check_accepted(first * MINUTE_MS, (last + 1) * MINUTE_MS, report)
        for bucket in range(first, last + 1):
            self._check_bucket(bucket, report)

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
        parted_at = parts_at(job.schedule, self.clock.now_ms()) if job.state is JobState.ACTIVE else None
        if parted_at is not None:
            found = Outdated(parts_at=parted_at, tenant_id=job.tenant_id, job_id=job.id)
            report.outdated.append(found)

    def _note(self, job: Job, findings: JobFindings, report: ReconcileReport) -> None:
        report.missing_executions += findings.missing_executions
        if findings.is_mended:
            report.chains_repaired.append(job.id)
        if findings.is_settled:
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
        """Every acknowledged id has its row, or its definition."""
        for accepted in self.accepted.between(from_at, until_at):
            report.accepted += 1
            try:
                execution_id = one_off_execution(accepted.job_id)
                if execution_id is not None:
                    stands = self.store.get(execution_id) is not None
                else:
                    stands = self.jobs.get(accepted.tenant_id, accepted.job_id) is not None
            except UnavailableError:
                report.unavailable += 1
                continue
            except PunctualError:
                report.unreadable += 1
                continue
            if not stands:
                report.missing_executions.append(accepted.job_id)

    def _check_bucket(self, bucket: int, report: ReconcileReport) -> None:
        """No execution of a closed bucket was completed twice."""
        for shard in range(self.plan.counts_at(bucket).of(bucket)):
            after: str | None = None
            while True:
                page = self.store.read_shard(bucket, shard, after=after, limit=PAGE)
                report.executions += len(page.executions)
                report.unreadable += page.unreadable
                report.double_completed += [str(one.id) for one in page.executions if _is_doubled(one)]
                after = page.next_after
                if after is None:
                    break


def _is_doubled(execution: Execution) -> bool:
    """An attempt after a recorded success, or one attempt recorded twice."""
    numbers = [outcome.attempt for outcome in execution.progress.outcomes]
    successes = [outcome for outcome in execution.progress.outcomes if outcome.reason is Reason.OK]
    return len(set(numbers)) != len(numbers) or (
        bool(successes) and execution.progress.outcomes[-1] is not successes[0]
    )
