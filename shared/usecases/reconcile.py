"""RECONCILE: hold what is stored against what must be there, and mend the chain of a job that has lost its next run.

Rows compared with rows cannot see a missing one. So the instants of active jobs are enumerated, and the ids that
were acknowledged come from the API's log, which knows nothing of the table.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

from shared.domain.bucket import MINUTE_MS, ShardPlan
from shared.domain.delivery import Reason
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.execution import Execution, State
from shared.domain.ids import ExecutionId, one_off_execution
from shared.domain.job import Job
from shared.domain.schedule import instants_before
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.reconciling import AcceptedLog, ReconcileMark
from shared.ports.runtime import Clock
from shared.usecases.file_execution import FileExecution
from shared.usecases.file_successor import FileSuccessor, following_of
from shared.usecases.find_head import FindHead

T = TypeVar("T")
SETTLE_MINUTES = 10
"""A minute is looked at when it is this old: logs have arrived by then, and sweeps have made their first passes."""
LONGEST_MINUTES = 60
"""So many minutes are caught up with in one run; the next run goes on from there."""
FIRST_MINUTES = 15
INSTANTS_AT_MOST = 4_000
PAGE = 100


@dataclass(slots=True)
class ReconcileReport:
    """What one run found. `unaccounted` must be empty: each is something acknowledged that has no record."""

    jobs: int = 0
    accepted: int = 0
    executions: int = 0
    unaccounted: list[str] = field(default_factory=list)
    lost_found: list[str] = field(default_factory=list)
    double_completed: list[str] = field(default_factory=list)
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

    def __call__(
        self,
        has_time: Callable[[], bool] = lambda: True,
        tell: Callable[[ReconcileReport], None] = lambda _: None,
    ) -> ReconcileReport:
        """Look at every minute that has settled since the last run, and at every active job.

        What was found is told before the mark moves: a run that dies in between leaves it to the next to find again.
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
        return report

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
                try:
                    self._check_instants(job, from_at, until_at, report)
                    self._mend_chain(job, report)
                except UnavailableError:
                    report.unavailable += 1
                except PunctualError:
                    report.unreadable += 1
            if after is None:
                return

    def _check_instants(self, job: Job, from_at: int, until_at: int, report: ReconcileReport) -> None:
        """Each nominal instant of the window up to the head has a record, or lies in a recorded gap."""
        head = self.find_head(job, self.clock.now_ms())
        if head is None:
            return
        lowest_at = max(from_at, job.created_at + 1)
        instants = instants_before(
            job.schedule, min(until_at, head.nominal_at + 1), lowest_at, INSTANTS_AT_MOST
        )
        found = self._read(job.id_at(instant) for instant in instants)
        missing = [instant for instant in instants if job.id_at(instant) not in found]
        if missing and not self._is_gap(job, missing[-1], missing[0], found):
            report.unaccounted += [str(job.id_at(instant)) for instant in missing]

    def _is_gap(self, job: Job, first_at: int, last_at: int, found: dict[ExecutionId, Execution]) -> bool:
        """Whether recorded jumps account for what is missing between these two instants."""
        gaps = [execution.missed for execution in found.values() if execution.missed is not None]
        before = instants_before(job.schedule, first_at, job.created_at, INSTANTS_AT_MOST)
        for page in _pages(before):
            records = self.store.get_many([job.id_at(instant) for instant in page])
            gaps += [execution.missed for execution in records.values() if execution.missed is not None]
            if records:
                break
        return any(gap.first_at <= first_at and last_at <= gap.last_at for gap in gaps)

    def _mend_chain(self, job: Job, report: ReconcileReport) -> None:
        """An active job without an open execution gets its next one, computed from its last nominal instant."""
        head = self.find_head(job, self.clock.now_ms())
        if head is None:
            first = replace(
                job.occurrence(job.chain_from, created_at=self.clock.now_ms()), state=State.QUEUED
            )
            self.file.reopen_if_closed(first.id)
            if self.jobs.file_if_active(first):
                self.file.ensure_sent(first)
                report.lost_found.append(job.id)
            return
        if head.state.is_terminal and not head.ends_chain and self._file_next(head):
            report.lost_found.append(job.id)

    def _file_next(self, head: Execution) -> bool:
        """Both ways check in one transaction that the job is active at the head's revision."""
        now_ms = self.clock.now_ms()
        following = following_of(head, now_ms)
        if following is None or following.missed is not None:
            self.file_successor(head)
            return following is not None
        draft = replace(head.occurrence(following.nominal_at, created_at=now_ms), state=State.QUEUED)
        self.file.reopen_if_closed(draft.id)
        if not self.jobs.file_if_active(draft):
            return False
        self.file.ensure_sent(draft)
        return True

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
                report.unaccounted.append(accepted.job_id)

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

    def _read(self, ids: Iterable[ExecutionId]) -> dict[ExecutionId, Execution]:
        found: dict[ExecutionId, Execution] = {}
        for page in _pages(list(ids)):
            found |= self.store.get_many(page)
        return found


def _pages(members: Sequence[T]) -> Iterator[list[T]]:
    rest = iter(members)
    while page := list(islice(rest, PAGE)):
        yield page


def _is_doubled(execution: Execution) -> bool:
    """An attempt after a recorded success, or one attempt recorded twice."""
    numbers = [outcome.attempt for outcome in execution.outcomes]
    successes = [outcome for outcome in execution.outcomes if outcome.reason is Reason.OK]
    return len(set(numbers)) != len(numbers) or (
        bool(successes) and execution.outcomes[-1] is not successes[0]
    )
