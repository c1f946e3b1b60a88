"""Use cases about dead letters and redrives, and about dead messages."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import DefaultQuotaSettings

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.usecases.dead_letters.cancel_redrive import CancelRedrive
    from shared.usecases.dead_letters.handle_dead_messages import HandleDeadMessages
    from shared.usecases.dead_letters.judge_run_letters import JudgeRunLetters
    from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
    from shared.usecases.dead_letters.process_bulk_redrives import ProcessBulkRedrives
    from shared.usecases.dead_letters.redrive_execution import RedriveExecution
    from shared.usecases.dead_letters.redrive_runs import RedriveRuns
    from shared.usecases.dead_letters.start_redrive import StartRedrive
    from shared.usecases.dead_letters.undo_redrive import UndoRedrive
    from shared.usecases.dead_letters.undo_runs import UndoRuns
    from shared.usecases.outcomes.follow_notifications import FollowNotifications


@dataclass(frozen=True)
class DeadLetterUseCases:
    """For every function; `start_redrive` and `undo_redrive` need CallbackSettings."""

    core: CoreUseCases

    @cached_property
    def list_dead_letters(self) -> ListDeadLetters:
        from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters

        ports = self.core.ports
        return ListDeadLetters(queries=ports.queries, store=ports.executions, jobs=ports.jobs)

    @cached_property
    def follow_notifications(self) -> FollowNotifications:
        from shared.usecases.outcomes.follow_notifications import FollowNotifications

        return FollowNotifications(self.core.ports.executions)

    @cached_property
    def redrive_execution(self) -> RedriveExecution:
        from shared.usecases.dead_letters.redrive_execution import RedriveExecution

        ports, settings = self.core.ports, self.core.settings
        return RedriveExecution(
            find=self.core.find_execution,
            store=ports.executions,
            jobs=ports.jobs,
            file=self.core.file,
            clock=ports.clock,
            plan=settings.shard_plan,
            retention=settings.retention,
        )

    @cached_property
    def start_redrive(self) -> StartRedrive:
        from shared.usecases.dead_letters.start_redrive import StartRedrive

        ports = self.core.ports
        return StartRedrive(
            tasks=ports.redrive_tasks,
            list_dead_letters=self.list_dead_letters,
            judge=lambda: self._judge_run_letters,
            store=ports.executions,
            spread=ports.spread,
            identify=self.core.identify_task,
            clock=ports.clock,
        )

    @cached_property
    def undo_redrive(self) -> UndoRedrive:
        from shared.usecases.dead_letters.undo_redrive import UndoRedrive

        ports = self.core.ports
        return UndoRedrive(tasks=ports.redrive_tasks, start=self.start_redrive, clock=ports.clock)

    @cached_property
    def process_bulk_redrives(self) -> ProcessBulkRedrives:
        from shared.usecases.dead_letters.process_bulk_redrives import ProcessBulkRedrives
        from shared.usecases.dead_letters.redrive_page import RedrivePage
        from shared.usecases.dead_letters.undo_page import UndoPage

        ports = self.core.ports
        return ProcessBulkRedrives(
            tasks=ports.redrive_tasks,
            list_dead_letters=self.list_dead_letters,
            redrive_page=RedrivePage(
                store=ports.executions,
                redrive=self.redrive_execution,
                batches=ports.redrive_batches,
                file_batch=self.core.file_batch,
                spread=ports.spread,
                runs=lambda: self._redrive_runs,
            ),
            undo_page=UndoPage(
                store=ports.executions,
                redrive=self.redrive_execution,
                cancel_unstarted=self.core.cancel_unstarted,
                spread=ports.spread,
                runs=lambda: self._undo_runs,
            ),
            clock=ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def _judge_run_letters(self) -> JudgeRunLetters:
        from shared.usecases.dead_letters.judge_run_letters import JudgeRunLetters

        ports = self.core.ports
        return JudgeRunLetters(
            runs=ports.runs,
            store=ports.executions,
            jobs=ports.jobs,
            may_redrive=self.redrive_execution.may_redrive,
        )

    @cached_property
    def _redrive_runs(self) -> RedriveRuns:
        from shared.usecases.dead_letters.redrive_runs import RedriveRuns

        ports, settings = self.core.ports, self.core.settings
        return RedriveRuns(
            judge=self._judge_run_letters,
            read_revision=self.core.workflows.read_revision,
            redrive=self.core.workflows.redrive_run,
            read_tenant=self.core.read_tenant,
            spend=self.core.spend,
            defaults=require(settings, DefaultQuotaSettings).default_quotas,
            clock=ports.clock,
            spread=ports.spread,
        )

    @cached_property
    def _undo_runs(self) -> UndoRuns:
        from shared.usecases.dead_letters.undo_runs import UndoRuns

        ports, workflows = self.core.ports, self.core.workflows
        return UndoRuns(
            runs=ports.runs,
            maps=ports.maps,
            store=ports.executions,
            read_revision=workflows.read_revision,
            cancel=workflows.cancel_run,
        )

    @cached_property
    def handle_dead_messages(self) -> HandleDeadMessages:
        from shared.usecases.dead_letters.handle_dead_messages import HandleDeadMessages

        ports = self.core.ports
        return HandleDeadMessages(
            store=ports.executions,
            file=self.core.file,
            file_successor=self.core.file_successor,
            parked_messages=ports.parked_messages,
            clock=ports.clock,
            retention=self.core.settings.retention,
            give_up=self.core.give_up,
            finalize=self.core.finalize,
        )

    @cached_property
    def cancel_redrive(self) -> CancelRedrive:
        from shared.usecases.dead_letters.cancel_redrive import CancelRedrive

        return CancelRedrive(find=self.core.find_execution, cancel=self.core.cancel_job)
