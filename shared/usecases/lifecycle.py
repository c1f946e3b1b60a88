"""Every change of a recurring job, put together over the same ports."""

from dataclasses import dataclass
from functools import cached_property

from shared.domain.bucket import ShardPlan
from shared.domain.retention import Retention
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.overlap import TurnStore
from shared.ports.runtime import Clock
from shared.usecases.change_job import FindSettled
from shared.usecases.delete_backfills import DeleteBackfills
from shared.usecases.delete_recurring_job import DeleteRecurringJob
from shared.usecases.end_chain import EndChain
from shared.usecases.file_execution import FileExecution
from shared.usecases.find_head import FindHead
from shared.usecases.mark_deleting import MarkDeleting
from shared.usecases.passed_over import RecordPassedOver
from shared.usecases.pause_job import PauseJob
from shared.usecases.resume_job import ResumeJob
from shared.usecases.send_head import SendHead
from shared.usecases.settle_change import SettleChange
from shared.usecases.start_chain import StartChain
from shared.usecases.stop_started import StopStarted
from shared.usecases.update_job import UpdateJob


@dataclass(frozen=True)
class Lifecycle:
    """Each part is made when it is first asked for."""

    store: ExecutionStore
    jobs: JobStore
    turns: TurnStore
    file: FileExecution
    clock: Clock
    plan: ShardPlan
    retention: Retention

    @cached_property
    def passed_over(self) -> RecordPassedOver:
        """The record of a pause."""
        return RecordPassedOver(self.store)

    @cached_property
    def start_chain(self) -> StartChain:
        """Begin a chain."""
        return StartChain(
            file=self.file,
            jobs=self.jobs,
            passed_over=self.passed_over,
            clock=self.clock,
            plan=self.plan,
            retention=self.retention,
        )

    @cached_property
    def settle(self) -> SettleChange:
        """Finish what was begun."""
        return SettleChange(
            jobs=self.jobs,
            end_chain=EndChain(
                store=self.store, turns=self.turns, clock=self.clock, retention=self.retention
            ),
            stop_started=StopStarted(
                store=self.store, jobs=self.jobs, clock=self.clock, retention=self.retention
            ),
            delete_backfills=DeleteBackfills(jobs=self.jobs, mark_deleting=self.mark_deleting),
            start_chain=self.start_chain,
            clock=self.clock,
            retention=self.retention,
        )

    @cached_property
    def mark_deleting(self) -> MarkDeleting:
        """Begin a deletion."""
        return MarkDeleting(
            jobs=self.jobs, passed_over=self.passed_over, clock=self.clock, retention=self.retention
        )

    @cached_property
    def find_settled(self) -> FindSettled:
        """Definitions, with whatever was begun finished."""
        return FindSettled(jobs=self.jobs, settle=self.settle)

    @cached_property
    def pause(self) -> PauseJob:
        """PAUSE."""
        return PauseJob(jobs=self.jobs, find_settled=self.find_settled, settle=self.settle, clock=self.clock)

    @cached_property
    def resume(self) -> ResumeJob:
        """RESUME."""
        return ResumeJob(
            find_settled=self.find_settled,
            start_chain=self.start_chain,
            send_head=self.send_head,
            clock=self.clock,
        )

    @cached_property
    def send_head(self) -> SendHead:
        """The head of a chain, once more."""
        return SendHead(find_head=FindHead(self.store), file=self.file, clock=self.clock)

    @cached_property
    def update(self) -> UpdateJob:
        """UPDATE."""
        return UpdateJob(
            jobs=self.jobs,
            find_settled=self.find_settled,
            settle=self.settle,
            passed_over=self.passed_over,
            send_head=self.send_head,
            clock=self.clock,
            retention=self.retention,
        )

    @cached_property
    def delete(self) -> DeleteRecurringJob:
        """DELETE."""
        return DeleteRecurringJob(
            find_settled=self.find_settled, settle=self.settle, mark_deleting=self.mark_deleting
        )
