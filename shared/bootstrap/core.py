"""Use cases that other use cases share."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import CallbackSettings, QuotaSettings, ReadingSettings, Settings

if TYPE_CHECKING:
    from shared.bootstrap.ports import Ports
    from shared.bootstrap.workflows import WorkflowUseCases
    from shared.usecases.bulk.cancel_unstarted import CancelUnstarted
    from shared.usecases.bulk.identify_task import IdentifyTask
    from shared.usecases.chains.lifecycle import Lifecycle
    from shared.usecases.filing.file_batch import FileBatch
    from shared.usecases.filing.file_execution import FileExecution
    from shared.usecases.filing.file_limit_alert import FileLimitAlert
    from shared.usecases.filing.file_successor import FileSuccessor
    from shared.usecases.filing.scanned_shards import ScannedShards
    from shared.usecases.jobs.cancel_job import CancelJob
    from shared.usecases.jobs.file_trigger import FileTrigger
    from shared.usecases.outcomes.finalize_execution import FinalizeExecution
    from shared.usecases.outcomes.give_up_lost import GiveUpLost
    from shared.usecases.outcomes.notify_outcome import NotifyOutcome
    from shared.usecases.reading.find_execution import FindExecution
    from shared.usecases.reading.find_head import FindHead
    from shared.usecases.reading.find_job import FindJob
    from shared.usecases.reading.read_calendar import ReadCalendar
    from shared.usecases.reading.shown import KeptExecutions
    from shared.usecases.requests.open_request import OpenRequest
    from shared.usecases.tenancy.limit_requests import LimitRequests
    from shared.usecases.tenancy.read_tenant import ReadTenant
    from shared.usecases.tenancy.spend_budget import SpendBudget


@dataclass(frozen=True)
class CoreUseCases:
    """One instance per process; each use case is made on first access and shared."""

    ports: Ports
    settings: Settings

    @cached_property
    def file(self) -> FileExecution:
        from shared.usecases.filing.file_execution import FileExecution
        from shared.usecases.filing.open_shards import OpenShards

        return FileExecution(
            store=self.ports.executions,
            queue=self.ports.queue,
            scanned=self.scanned_shards,
            open_shards=OpenShards(self.ports.ledger),
            clock=self.ports.clock,
        )

    @cached_property
    def file_batch(self) -> FileBatch:
        from shared.usecases.filing.file_batch import FileBatch

        return FileBatch(file=self.file, batches=self.ports.one_off_batches)

    @cached_property
    def scanned_shards(self) -> ScannedShards:
        """Shared by all writers and scanners of the process."""
        from shared.usecases.filing.scanned_shards import ScannedShards

        return ScannedShards(store=self.ports.shard_counts, plan=self.settings.shard_plan)

    @cached_property
    def file_successor(self) -> FileSuccessor:
        from shared.usecases.filing.file_successor import FileSuccessor

        return FileSuccessor(
            file=self.file,
            store=self.ports.executions,
            jobs=self.ports.jobs,
            read_tenant=self.read_tenant,
            clock=self.ports.clock,
            retention=self.settings.retention,
        )

    @cached_property
    def file_limit_alert(self) -> FileLimitAlert:
        """Needs QuotaSettings. Shared by all that meets limits in the process, which remembers its alerts."""
        from shared.usecases.filing.file_limit_alert import FileLimitAlert

        return FileLimitAlert(
            windows=self.ports.alert_windows,
            file=self.file,
            read_tenant=self.read_tenant,
            clock=self.ports.clock,
            defaults=require(self.settings, QuotaSettings).default_quotas,
            plan=self.settings.shard_plan,
            cell=self.settings.cell,
        )

    @cached_property
    def read_tenant(self) -> ReadTenant:
        from shared.usecases.tenancy.read_tenant import ReadTenant

        return ReadTenant(tenants=self.ports.tenants, clock=self.ports.clock)

    @cached_property
    def read_calendar(self) -> ReadCalendar:
        """Caches calendars of tenants: one instance per process."""
        from shared.usecases.reading.read_calendar import ReadCalendar

        return ReadCalendar(calendars=self.ports.calendars, clock=self.ports.clock)

    @cached_property
    def spend(self) -> SpendBudget:
        """Caches leased tokens of the API's quotas: one instance per process."""
        from shared.usecases.tenancy.spend_budget import SpendBudget

        return SpendBudget(budgets=self.ports.budgets, clock=self.ports.clock)

    @cached_property
    def limit_requests(self) -> LimitRequests:
        from shared.usecases.tenancy.limit_requests import LimitRequests

        return LimitRequests(
            spend=self.spend,
            defaults=require(self.settings, QuotaSettings).default_quotas,
        )

    @cached_property
    def open_request(self) -> OpenRequest:
        """Needs CallbackSettings."""
        from shared.domain.executions.console_links import ConsoleLinks
        from shared.usecases.requests.open_request import OpenRequest

        return OpenRequest(
            jobs=self.ports.jobs,
            vault=self.ports.vault,
            store=self.ports.executions,
            alert_windows=self.ports.alert_windows,
            links=ConsoleLinks(require(self.settings, CallbackSettings).console_origin),
            read_revision=lambda run: self.workflows.read_revision.execute(run),
        )

    @cached_property
    def find_job(self) -> FindJob:
        from shared.usecases.reading.find_job import FindJob

        return FindJob(store=self.ports.executions, jobs=self.ports.jobs)

    @cached_property
    def find_execution(self) -> FindExecution:
        from shared.usecases.reading.find_execution import FindExecution

        return FindExecution(store=self.ports.executions)

    @cached_property
    def kept(self) -> KeptExecutions:
        """With those of the archive, if the stage has one and the function reads it."""
        settings = self.settings
        if not isinstance(settings, ReadingSettings) or settings.archive_reader is None:
            from shared.usecases.reading.shown import HotExecutions

            return HotExecutions(self.ports.executions)
        from shared.usecases.reading.archived_rows import ArchivedRows

        return ArchivedRows(
            store=self.ports.executions,
            history=self.ports.history,
            reader=self.ports.archive_reader,
            clock=self.ports.clock,
            retention=settings.retention,
        )

    @cached_property
    def find_head(self) -> FindHead:
        from shared.usecases.reading.find_head import FindHead

        return FindHead(self.ports.executions)

    @cached_property
    def notify(self) -> NotifyOutcome:
        from shared.usecases.outcomes.file_alert import FileAlert
        from shared.usecases.outcomes.notify_outcome import NotifyOutcome
        from shared.usecases.outcomes.track_recovery import TrackRecovery

        return NotifyOutcome(
            read_tenant=self.read_tenant,
            track_recovery=TrackRecovery(health=self.ports.job_health, clock=self.ports.clock),
            file_alert=FileAlert(
                windows=self.ports.alert_windows,
                file=self.file,
                clock=self.ports.clock,
                plan=self.settings.shard_plan,
                retention=self.settings.retention,
            ),
            file=self.file,
            clock=self.ports.clock,
            plan=self.settings.shard_plan,
            retention=self.settings.retention,
        )

    @cached_property
    def finalize(self) -> FinalizeExecution:
        from shared.usecases.outcomes.finalize_execution import FinalizeExecution

        return FinalizeExecution(
            find_settled=self.lifecycle.find_settled,
            pause=self.lifecycle.pause,
            notify=self.notify,
            advance_run=lambda ended: self.workflows.advance_run.execute(ended),
        )

    @cached_property
    def workflows(self) -> WorkflowUseCases:
        """Imported at the first task: an executor of jobs loads no workflows."""
        from shared.bootstrap.workflows import WorkflowUseCases

        return WorkflowUseCases(self)

    @cached_property
    def give_up(self) -> GiveUpLost:
        from shared.usecases.outcomes.give_up_lost import GiveUpLost

        return GiveUpLost(
            store=self.ports.executions,
            file_successor=self.file_successor,
            finalize=self.finalize,
            notify=self.notify,
            clock=self.ports.clock,
            retention=self.settings.retention,
            follow_run=lambda lost: self.workflows.follow_run.execute(lost),
        )

    @cached_property
    def lifecycle(self) -> Lifecycle:
        from shared.usecases.chains.lifecycle import Lifecycle

        return Lifecycle(
            store=self.ports.executions,
            jobs=self.ports.jobs,
            run_locks=self.ports.run_locks,
            file=self.file,
            clock=self.ports.clock,
            plan=self.settings.shard_plan,
            retention=self.settings.retention,
            archive_days=self.settings.archive_days,
            stop_run=lambda parent: self.workflows.stop_parent.execute(parent),
        )

    @cached_property
    def cancel_unstarted(self) -> CancelUnstarted:
        from shared.usecases.bulk.cancel_unstarted import CancelUnstarted

        return CancelUnstarted(
            store=self.ports.executions,
            finalize=self.finalize,
            clock=self.ports.clock,
            retention=self.settings.retention,
        )

    @cached_property
    def identify_task(self) -> IdentifyTask:
        """Needs CallbackSettings."""
        from shared.usecases.bulk.identify_task import IdentifyTask

        return IdentifyTask(
            idempotency=self.ports.idempotency,
            vault=self.ports.vault,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
        )

    @cached_property
    def file_trigger(self) -> FileTrigger:
        from shared.usecases.jobs.file_trigger import FileTrigger

        return FileTrigger(
            store=self.ports.executions,
            jobs=self.ports.jobs,
            find_settled=self.lifecycle.find_settled,
            file=self.file,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            plan=self.settings.shard_plan,
            retention=self.settings.retention,
        )

    @cached_property
    def cancel_job(self) -> CancelJob:
        from shared.usecases.jobs.cancel_job import CancelJob

        return CancelJob(
            find=self.find_job,
            store=self.ports.executions,
            finalize=self.finalize,
            delete_recurring=self.lifecycle.delete,
            clock=self.ports.clock,
            retention=self.settings.retention,
            stop_run=lambda parent: self.workflows.stop_parent.execute(parent),
        )
