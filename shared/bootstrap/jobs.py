"""Use cases that create and change jobs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import CallbackSettings

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.usecases.jobs.backfill_job import BackfillJob
    from shared.usecases.jobs.create_job import CreateJob
    from shared.usecases.jobs.create_jobs import CreateJobs
    from shared.usecases.jobs.create_recurring import CreateRecurring
    from shared.usecases.jobs.draft_job import DraftJob
    from shared.usecases.jobs.plan_backfill import PlanBackfill
    from shared.usecases.jobs.put_job import PutJob
    from shared.usecases.jobs.revise_job import ReviseJob
    from shared.usecases.jobs.trigger_job import TriggerJob
    from shared.usecases.tenancy.check_quota import CheckQuota


@dataclass(frozen=True)
class JobUseCases:
    """For functions with CallbackSettings. The process shares one `check_quota`, because it caches leases."""

    core: CoreUseCases
    check_quota: CheckQuota

    @cached_property
    def _settings(self) -> CallbackSettings:
        return require(self.core.settings, CallbackSettings)

    @cached_property
    def _draft(self) -> DraftJob:
        from shared.usecases.jobs.draft_job import DraftJob

        ports = self.core.ports
        return DraftJob(
            read_tenant=self.core.read_tenant,
            vault=ports.vault,
            entropy=ports.entropy,
            plan=self._settings.shard_plan,
            policy=self._settings.target_policy,
            cell=self._settings.cell,
            retention=self._settings.retention,
            check_workflow=self._check_workflow,
        )

    def _check_workflow(self, tenant_id: str, workflow_id: str) -> None:
        self.core.workflows.find.check_startable(tenant_id, workflow_id)

    @cached_property
    def _create_recurring(self) -> CreateRecurring:
        from shared.usecases.filing.record_dst_skips import RecordDstSkips
        from shared.usecases.jobs.create_recurring import CreateRecurring

        ports = self.core.ports
        skips = RecordDstSkips(store=ports.executions, clock=ports.clock, retention=self._settings.retention)
        return CreateRecurring(self.core.file, ports.jobs, skips)

    @cached_property
    def create_job(self) -> CreateJob:
        from shared.usecases.jobs.create_job import CreateJob

        return CreateJob(
            draft=self._draft,
            jobs=self.core.ports.jobs,
            file=self.core.file,
            create_recurring=self._create_recurring,
            idempotency=self.core.ports.idempotency,
            check_quota=self.check_quota,
            clock=self.core.ports.clock,
        )

    @cached_property
    def put_job(self) -> PutJob:
        from shared.usecases.jobs.put_job import PutJob

        return PutJob(
            keys=self.core.ports.job_keys,
            jobs=self.core.ports.jobs,
            find_settled=self.core.lifecycle.find_settled,
            draft=self._draft,
            create_recurring=self._create_recurring,
            check_quota=self.check_quota,
            clock=self.core.ports.clock,
        )

    @cached_property
    def create_jobs(self) -> CreateJobs:
        from shared.usecases.jobs.create_jobs import CreateJobs

        return CreateJobs(
            draft=self._draft,
            file_batch=self.core.file_batch,
            create_recurring=self._create_recurring,
            idempotency=self.core.ports.idempotency,
            check_quota=self.check_quota,
            clock=self.core.ports.clock,
        )

    @cached_property
    def revise_job(self) -> ReviseJob:
        from shared.usecases.jobs.revise_job import ReviseJob
        from shared.usecases.jobs.update_one_off import UpdateOneOff

        ports = self.core.ports
        return ReviseJob(
            jobs=ports.jobs,
            check_workflow=self._check_workflow,
            read_tenant=self.core.read_tenant,
            update_job=self.core.lifecycle.update,
            update_one_off=UpdateOneOff(
                one_offs=ports.one_offs,
                jobs=ports.jobs,
                store=ports.executions,
                file=self.core.file,
                clock=ports.clock,
                entropy=ports.entropy,
                plan=self._settings.shard_plan,
                retention=self._settings.retention,
            ),
            vault=ports.vault,
            clock=ports.clock,
            entropy=ports.entropy,
            policy=self._settings.target_policy,
            retention=self._settings.retention,
        )

    @cached_property
    def trigger_job(self) -> TriggerJob:
        from shared.usecases.jobs.trigger_job import TriggerJob

        ports = self.core.ports
        return TriggerJob(
            find_settled=self.core.lifecycle.find_settled,
            file_trigger=self.core.file_trigger,
            idempotency=ports.idempotency,
            vault=ports.vault,
            clock=ports.clock,
        )

    @cached_property
    def backfill_job(self) -> BackfillJob:
        from shared.usecases.jobs.backfill_job import BackfillJob

        ports = self.core.ports
        return BackfillJob(
            jobs=ports.jobs,
            find_settled=self.core.lifecycle.find_settled,
            resend_chain_head=self.core.lifecycle.resend_chain_head,
            idempotency=ports.idempotency,
            check_quota=self.check_quota,
            open_request=self.core.open_request,
            read_calendar=self.core.read_calendar,
            file=self.core.file,
            vault=ports.vault,
            clock=ports.clock,
            entropy=ports.entropy,
            plan=self._settings.shard_plan,
        )

    @cached_property
    def plan_backfill(self) -> PlanBackfill:
        from shared.usecases.jobs.plan_backfill import PlanBackfill

        return PlanBackfill(
            find=self.core.find_job, read_calendar=self.core.read_calendar, clock=self.core.ports.clock
        )
