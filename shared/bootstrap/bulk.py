"""Use cases about bulk operations on jobs, and the worker of all tasks that are done page by page."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import CallbackSettings

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.bootstrap.dead_letters import DeadLetterUseCases
    from shared.bootstrap.searches import SearchUseCases
    from shared.usecases.bulk.change_job_task import ChangeJobTask
    from shared.usecases.bulk.process_bulk_tasks import ProcessBulkTasks
    from shared.usecases.bulk.process_job_tasks import ProcessJobTasks
    from shared.usecases.bulk.process_tenant_deletions import ProcessTenantDeletions
    from shared.usecases.bulk.start_job_task import StartJobTask
    from shared.usecases.listings.list_jobs import ListJobs


@dataclass(frozen=True)
class BulkUseCases:
    """For every function; `start_job_task` and `change_job_task` need CallbackSettings, the worker ReadingSettings."""

    core: CoreUseCases
    dead_letters: DeadLetterUseCases
    searches: SearchUseCases

    @cached_property
    def _list_jobs(self) -> ListJobs:
        from shared.usecases.listings.list_jobs import ListJobs

        return ListJobs(queries=self.core.ports.queries, store=self.core.ports.executions)

    @cached_property
    def start_job_task(self) -> StartJobTask:
        from shared.usecases.bulk.sign_plan import SignPlan
        from shared.usecases.bulk.start_job_task import StartJobTask

        ports = self.core.ports
        return StartJobTask(
            tasks=ports.job_tasks,
            list_jobs=self._list_jobs,
            identify=self.core.identify_task,
            sign_plan=SignPlan(vault=ports.vault, clock=ports.clock),
            read_tenant=self.core.read_tenant,
            vault=ports.vault,
            policy=require(self.core.settings, CallbackSettings).target_policy,
            clock=ports.clock,
        )

    @cached_property
    def change_job_task(self) -> ChangeJobTask:
        from shared.usecases.bulk.change_job_task import ChangeJobTask

        return ChangeJobTask(
            tasks=self.core.ports.job_tasks,
            start=self.start_job_task,
            clock=self.core.ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def process_job_tasks(self) -> ProcessJobTasks:
        from shared.usecases.bulk.act_on_job import ActOnJob
        from shared.usecases.bulk.process_job_tasks import ProcessJobTasks
        from shared.usecases.bulk.take_back_job import TakeBackJob

        ports, lifecycle = self.core.ports, self.core.lifecycle
        return ProcessJobTasks(
            tasks=ports.job_tasks,
            pages=ports.bulk_pages,
            read_tenant=self.core.read_tenant,
            list_jobs=self._list_jobs,
            act=ActOnJob(
                find=self.core.find_job,
                pause=lifecycle.pause,
                resume=lifecycle.resume,
                update=lifecycle.update,
                find_settled=lifecycle.find_settled,
                cancel=self.core.cancel_job,
                trigger=self.core.file_trigger,
            ),
            take_back=TakeBackJob(
                jobs=ports.jobs,
                find_settled=lifecycle.find_settled,
                pause=lifecycle.pause,
                resume=lifecycle.resume,
                update=lifecycle.update,
                delete_recurring=lifecycle.delete,
                cancel_unstarted=self.core.cancel_unstarted,
            ),
            clock=ports.clock,
            spread=ports.spread,
            retention=self.core.settings.retention,
        )

    @cached_property
    def _process_tenant_deletions(self) -> ProcessTenantDeletions:
        from shared.usecases.bulk.process_tenant_deletions import ProcessTenantDeletions

        ports = self.core.ports
        return ProcessTenantDeletions(
            deletions=ports.tenant_deletions,
            records=ports.tenant_records,
            tenants=ports.tenants,
            search_files=self.searches.files,
            clock=ports.clock,
        )

    @cached_property
    def process_bulk_tasks(self) -> ProcessBulkTasks:
        from shared.usecases.bulk.process_bulk_tasks import ProcessBulkTasks

        return ProcessBulkTasks(
            workers=(
                self.dead_letters.process_bulk_redrives,
                self.process_job_tasks,
                self._process_tenant_deletions,
                *((self.searches.process,) if self.searches.files is not None else ()),
            ),
            clock=self.core.ports.clock,
            pause=self.core.ports.pause,
        )
