"""Draft a job: choose its ID, seal its request, and build the item to file. Shared by every kind of
creation."""

from collections.abc import Callable, Collection
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.request import check_request, new_payload_id
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import IdentityConflictError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.ids import (
    ENTROPY_BITS,
    ExecutionId,
    JobId,
    RecurringJobId,
    new_one_off_id,
    one_off_job_id,
    recurring_job_id,
)
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import NewJob, encode_new_job
from shared.domain.schedules.schedule import Once, check_fires, first_after
from shared.domain.schedules.zone_changes import with_frozen_rules
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.jobs import AssignedId, Payload
from shared.ports.runtime import Entropy
from shared.usecases.requests.seal_request import seal_request
from shared.usecases.tenancy.check_quota import Demand
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The properties that a replay must repeat exactly."""

    chosen: AssignedId
    created_at: int
    fingerprint: bytes
    key: str | None = None
    """The key that the owner gives to a recurring job."""

    def with_id(self, job_id: JobId) -> "Identity":
        return replace(self, chosen=replace(self.chosen, id=job_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A job to be stored. `payload` is its request where that is too large for an item; it has to be stored
    first."""

    job: Execution | Job
    payload: Payload | None


@dataclass(frozen=True, slots=True)
class DraftJob:
    """Builds drafts. It writes nothing."""

    read_tenant: ReadTenant
    vault: Vault
    entropy: Entropy
    plan: ShardPlan
    policy: TargetPolicy
    cell: str
    retention: Retention
    check_workflow: Callable[[str, str], None]
    """InvalidValueError unless the tenant has the workflow."""

    def with_secrets(self, tenant: Tenant, requested: Collection[NewJob | None]) -> Tenant:
        """The tenant with the signing secrets and the roles that these jobs need, if it has them. UnavailableError."""
        names = {
            new.signing_secret for new in requested if new is not None and new.signing_secret is not None
        }
        tenant = self.read_tenant.with_secrets(tenant, names)
        return self.read_tenant.with_roles(tenant, [new.request for new in requested if new is not None])

    def check(self, tenant: Tenant, new: NewJob) -> None:
        """InvalidValueError or CallbackUrlNotAllowedError for a request that must not be sent, or that no
        secret of the tenant could sign. `tenant` comes from `with_secrets`."""
        check_request(new.request, self.policy)
        tenant.check_secret_name(new.signing_secret)
        if new.request.workflow_id is not None:
            self.check_workflow(tenant.id, new.request.workflow_id)
        if new.request.needs_role:
            # Imported late: only targets and requests that are signed for AWS need it.
            from shared.domain.tenancy.target_roles import check_role

            check_role(tenant.target_roles, new.request)

    def fingerprint(self, tenant: Tenant, new: NewJob) -> bytes:
        """Distinguishes this job from a different job with the same ID."""
        return self.vault.fingerprint(tenant, encode_new_job(new))

    def choose(self, new: NewJob, now_ms: int) -> AssignedId:
        """A new ID and due instant; ScheduleError for a schedule that never fires."""
        schedule = new.schedule_at(now_ms)
        entropy = self.entropy.bits(ENTROPY_BITS)
        if not isinstance(schedule, Once):
            due_at = check_fires(schedule, now_ms)
            return AssignedId(id=recurring_job_id(now_ms, entropy, cell=self.cell), due_at=due_at)
        dispatch_at = schedule.at + (entropy % new.jitter_ms if new.jitter_ms else 0)
        counts = self.plan.counts_at(bucket_of(dispatch_at))
        location = new_one_off_id(dispatch_at, counts, entropy, cell=self.cell)
        return AssignedId(id=location, due_at=schedule.at)

    def execute(self, tenant: Tenant, new: NewJob, identity: Identity) -> Draft:
        """A draft of the execution that is the one-off job, or of the definition of the recurring job.

        IdentityConflictError where the identity and the schedule are of different kinds.
        """
        job_id = identity.chosen.id
        if isinstance(job_id, ExecutionId):
            return self._one_off(tenant, new, identity, job_id)
        return self._recurring(tenant, new, identity, job_id)

    def _one_off(self, tenant: Tenant, new: NewJob, identity: Identity, execution_id: ExecutionId) -> Draft:
        job_id = one_off_job_id(execution_id)
        expires_at_s = self.retention.payload_expires_at_s(execution_id.dispatch_at)
        call, payload = self._sealed_call(tenant, new, job_id, job_id, identity.created_at, expires_at_s)
        job = Execution(
            id=execution_id,
            tenant_id=tenant.id,
            job_id=job_id,
            revision=1,
            nominal_at=identity.chosen.due_at,
            created_at=identity.created_at,
            call=call,
            fingerprint=identity.fingerprint,
            index_shard=execution_id.entropy % tenant.index_shards,
            name=new.name,
            tags=new.tags,
            start_deadline_at=new.start_deadline_at(execution_id.dispatch_at),
            runs_when_suspended=new.runs_when_suspended,
        )
        return Draft(job=job, payload=payload)

    def _recurring(self, tenant: Tenant, new: NewJob, identity: Identity, job_id: RecurringJobId) -> Draft:
        schedule = new.schedule_at(identity.created_at)
        if isinstance(schedule, Once):
            raise IdentityConflictError("the idempotency record names a recurring job")
        series = with_frozen_rules(schedule, identity.created_at, identity.created_at)
        # A replay may run with newer zone tables than the request that chose the instant.
        first_at = first_after(series, identity.created_at) or identity.chosen.due_at
        # Two requests may create the job of one key with different bodies, and a stored body never changes.
        payload_id = (
            job_id if identity.key is None else new_payload_id(job_id, self.entropy.bits(ENTROPY_BITS))
        )
        call, payload = self._sealed_call(tenant, new, job_id, payload_id, identity.created_at)
        job = Job(
            id=job_id,
            tenant_id=tenant.id,
            revision=1,
            state=JobState.ACTIVE,
            definition=new.definition(series, call),
            counts=self.plan.counts_at(bucket_of(identity.created_at)),
            fingerprint=identity.fingerprint,
            created_at=identity.created_at,
            key=identity.key,
            chain_from=first_at,
            index_shard=int.from_bytes(identity.fingerprint[:4]) % tenant.index_shards,
        )
        return Draft(job=job, payload=payload)

    def _sealed_call(
        self,
        tenant: Tenant,
        new: NewJob,
        job_id: str,
        payload_id: str,
        now_ms: int,
        expires_at_s: int | None = None,
    ) -> tuple[CallSpec, Payload | None]:
        """Seal the call. Without a key, the job's ID names a large request, so that a replay stores it only once."""
        return seal_request(
            self.vault,
            tenant,
            job_id,
            new.request,
            call=new.unsealed_call,
            payload_id=payload_id,
            now_ms=now_ms,
            expires_at_s=expires_at_s,
        )


def demand_of(new: NewJob, chosen: AssignedId) -> Demand:
    return Demand(
        due_at=chosen.due_at,
        payload_bytes=len(new.request.body),
        tags=len(new.tags),
        is_recurring=isinstance(chosen.id, RecurringJobId),
    )
