"""The parts of functions that handle requests and secrets, and the use cases that accept jobs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from shared.adapters.clients import client
from shared.adapters.dynamodb.executions.one_off_batches import BatchStatementBatches
from shared.adapters.dynamodb.executions.one_off_store import DynamoOneOffStore
from shared.adapters.dynamodb.jobs.idempotency_store import DynamoIdempotencyStore
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.adapters.kms.vault import KmsVault
from shared.bootstrap.core import Core
from shared.settings import CallbackSettings
from shared.usecases.filing.file_batch import FileBatch
from shared.usecases.jobs.backfill_job import BackfillJob
from shared.usecases.jobs.cancel_job import CancelJob
from shared.usecases.jobs.create_job import CreateJob
from shared.usecases.jobs.create_jobs import CreateJobs
from shared.usecases.jobs.create_recurring import CreateRecurring
from shared.usecases.jobs.draft_job import DraftJob
from shared.usecases.jobs.plan_backfill import PlanBackfill
from shared.usecases.jobs.revise_job import ReviseJob
from shared.usecases.jobs.trigger_job import TriggerJob
from shared.usecases.jobs.update_one_off import UpdateOneOff
from shared.usecases.reading.find_job import FindJob
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.tenancy.authenticate import Authenticate
from shared.usecases.tenancy.check_quota import CheckQuota
from shared.usecases.tenancy.create_tenant import CreateTenant
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True)
class CallbackParts:
    """The core, and what handles requests and secrets."""

    settings: CallbackSettings

    @cached_property
    def core(self) -> Core:
        """What every function has."""
        return Core(self.settings)

    @cached_property
    def tenants(self) -> DynamoTenantStore:
        """Tenants and keys."""
        return self.core.tenants

    @cached_property
    def read_tenant(self) -> ReadTenant:
        """Tenants, remembered."""
        return self.core.read_tenant

    @cached_property
    def vault(self) -> KmsVault:
        """Envelope encryption."""
        return KmsVault(client("kms", self.settings.region), self.settings.kms_key_id, self.core.entropy)

    @cached_property
    def open_request(self) -> OpenRequest:
        """Requests, unsealed."""
        return OpenRequest(jobs=self.core.jobs, vault=self.vault, store=self.core.store)

    @cached_property
    def find_job(self) -> FindJob:
        """Jobs by id."""
        return FindJob(store=self.core.store, jobs=self.core.jobs)


def parts_from(environment: Mapping[str, str]) -> CallbackParts:
    """The parts of a function that accepts or makes callbacks."""
    return CallbackParts(CallbackSettings.from_env(environment))


def draft_job(parts: CallbackParts) -> DraftJob:
    """What every creation begins with."""
    return DraftJob(
        jobs=parts.core.jobs,
        vault=parts.vault,
        entropy=parts.core.entropy,
        plan=parts.settings.shard_plan,
        policy=parts.settings.target_policy,
    )


def create_job(parts: CallbackParts, check_quota: CheckQuota) -> CreateJob:
    """POST /v1/jobs."""
    core = parts.core
    return CreateJob(
        draft=draft_job(parts),
        file=core.file,
        create_recurring=CreateRecurring(core.file, core.jobs, core.record_dst_skips),
        idempotency=DynamoIdempotencyStore(core.dynamodb, parts.settings.jobs_table),
        check_quota=check_quota,
        clock=core.clock,
    )


def create_jobs(parts: CallbackParts, check_quota: CheckQuota) -> CreateJobs:
    """POST /v1/jobs/batch."""
    core, settings = parts.core, parts.settings
    batches = BatchStatementBatches(core.dynamodb, settings.executions_table, settings.region)
    return CreateJobs(
        draft=draft_job(parts),
        file_batch=FileBatch(file=core.file, batches=batches),
        create_recurring=CreateRecurring(core.file, core.jobs, core.record_dst_skips),
        idempotency=DynamoIdempotencyStore(core.dynamodb, settings.jobs_table),
        check_quota=check_quota,
        clock=core.clock,
    )


def cancel_job(parts: CallbackParts) -> CancelJob:
    """DELETE /v1/jobs/{id}."""
    core = parts.core
    return CancelJob(
        find=parts.find_job,
        store=core.store,
        finalize=core.finalize,
        delete_recurring=core.lifecycle.delete,
        clock=core.clock,
        retention=parts.settings.retention,
    )


def authenticate(parts: CallbackParts) -> Authenticate:
    """API keys."""
    return Authenticate(tenants=parts.tenants, read_tenant=parts.read_tenant, clock=parts.core.clock)


def create_tenant(parts: CallbackParts) -> CreateTenant:
    """The operator's command."""
    return CreateTenant(
        tenants=parts.tenants, vault=parts.vault, clock=parts.core.clock, entropy=parts.core.entropy
    )


def revise_job(parts: CallbackParts) -> ReviseJob:
    """PATCH /v1/jobs/{id}."""
    core = parts.core
    return ReviseJob(
        jobs=core.jobs,
        update_job=core.lifecycle.update,
        update_one_off=UpdateOneOff(
            one_offs=DynamoOneOffStore(core.dynamodb, parts.settings.executions_table, parts.settings.region),
            store=core.store,
            file=core.file,
            clock=core.clock,
            entropy=core.entropy,
            plan=parts.settings.shard_plan,
            retention=parts.settings.retention,
        ),
        vault=parts.vault,
        clock=core.clock,
        entropy=core.entropy,
        policy=parts.settings.target_policy,
    )


def trigger_job(parts: CallbackParts) -> TriggerJob:
    """POST /v1/jobs/{id}/trigger."""
    core = parts.core
    return TriggerJob(
        store=core.store,
        jobs=core.jobs,
        find_settled=core.lifecycle.find_settled,
        idempotency=DynamoIdempotencyStore(core.dynamodb, parts.settings.jobs_table),
        file=core.file,
        vault=parts.vault,
        clock=core.clock,
        entropy=core.entropy,
        plan=parts.settings.shard_plan,
        retention=parts.settings.retention,
    )


def backfill_job(parts: CallbackParts, check_quota: CheckQuota) -> BackfillJob:
    """POST /v1/jobs/{id}/backfill."""
    core = parts.core
    return BackfillJob(
        jobs=core.jobs,
        find_settled=core.lifecycle.find_settled,
        resend_chain_head=core.lifecycle.resend_chain_head,
        idempotency=DynamoIdempotencyStore(core.dynamodb, parts.settings.jobs_table),
        check_quota=check_quota,
        open_request=parts.open_request,
        file=core.file,
        vault=parts.vault,
        clock=core.clock,
        entropy=core.entropy,
        plan=parts.settings.shard_plan,
        retention=parts.settings.retention,
    )


def plan_backfill(parts: CallbackParts) -> PlanBackfill:
    """The same with `dry_run`."""
    return PlanBackfill(find=parts.find_job, clock=parts.core.clock)
