"""All changes of recurring jobs, composed over the same ports."""

from collections.abc import Callable
from functools import cached_property

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore, RunLockStore
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import FindSettled
from shared.usecases.chains.complete_transition import CompleteTransition
from shared.usecases.chains.delete_backfills import DeleteBackfills
from shared.usecases.chains.delete_recurring_job import DeleteRecurringJob
from shared.usecases.chains.end_chain import EndChain
from shared.usecases.chains.mark_deleting import MarkDeleting
from shared.usecases.chains.pause_job import PauseJob
from shared.usecases.chains.resume_job import ResumeJob
from shared.usecases.chains.start_chain import StartChain
from shared.usecases.chains.stop_running_executions import StopRunningExecutions
from shared.usecases.chains.update_job import UpdateJob
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.record_skipped_instants import RecordSkippedInstants
from shared.usecases.filing.resend_chain_head import ResendChainHead
from shared.usecases.reading.find_head import FindHead


@dataclass(frozen=True)
class Lifecycle:
    """Each use case is built when it is first needed."""

    store: ExecutionStore
    jobs: JobStore
    run_locks: RunLockStore
    file: FileExecution
    clock: Clock
    plan: ShardPlan
    retention: Retention
    archive_days: int
    """For how long executions of past chains are found; 0 without an archive."""
    stop_run: Callable[[Execution], None]
    """Cancels the run of an execution that started a workflow."""

    @cached_property
    def record_skipped_instants(self) -> RecordSkippedInstants:
        return RecordSkippedInstants(self.store)

    @cached_property
    def start_chain(self) -> StartChain:
        return StartChain(
            file=self.file,
            jobs=self.jobs,
            record_skipped_instants=self.record_skipped_instants,
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
            archive_days=self.archive_days,
        )

    @cached_property
    def settle(self) -> CompleteTransition:
        return CompleteTransition(
            jobs=self.jobs,
            end_chain=EndChain(
                store=self.store, run_locks=self.run_locks, clock=self.clock, retention=self.retention
            ),
            stop_running_executions=StopRunningExecutions(
                store=self.store,
                jobs=self.jobs,
                clock=self.clock,
                retention=self.retention,
                stop_run=self.stop_run,
            ),
            delete_backfills=DeleteBackfills(jobs=self.jobs, mark_deleting=self.mark_deleting),
            start_chain=self.start_chain,
            record_skipped_instants=self.record_skipped_instants,
            clock=self.clock,
            retention=self.retention,
        )

    @cached_property
    def mark_deleting(self) -> MarkDeleting:
        return MarkDeleting(
            jobs=self.jobs,
            record_skipped_instants=self.record_skipped_instants,
            clock=self.clock,
            retention=self.retention,
        )

    @cached_property
    def find_settled(self) -> FindSettled:
        return FindSettled(jobs=self.jobs, settle=self.settle)

    @cached_property
    def pause(self) -> PauseJob:
        return PauseJob(jobs=self.jobs, find_settled=self.find_settled, settle=self.settle, clock=self.clock)

    @cached_property
    def resume(self) -> ResumeJob:
        return ResumeJob(
            find_settled=self.find_settled,
            start_chain=self.start_chain,
            resend_chain_head=self.resend_chain_head,
            clock=self.clock,
        )

    @cached_property
    def resend_chain_head(self) -> ResendChainHead:
        return ResendChainHead(find_head=FindHead(self.store), file=self.file, clock=self.clock)

    @cached_property
    def update(self) -> UpdateJob:
        return UpdateJob(
            jobs=self.jobs,
            find_settled=self.find_settled,
            settle=self.settle,
            record_skipped_instants=self.record_skipped_instants,
            resend_chain_head=self.resend_chain_head,
            clock=self.clock,
            retention=self.retention,
            archive_days=self.archive_days,
        )

    @cached_property
    def delete(self) -> DeleteRecurringJob:
        return DeleteRecurringJob(
            find_settled=self.find_settled, settle=self.settle, mark_deleting=self.mark_deleting
        )
