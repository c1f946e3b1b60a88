"""Replace the description of a job of either kind, on condition of the revision that the client has seen."""

from collections.abc import Callable
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.request import Request, check_request, new_payload_id
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidStateError, ScheduleError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.ids import ENTROPY_BITS
from shared.domain.jobs.job import ENDED, Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Backfill, Once, check_fires, without_rules
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Entropy
from shared.usecases.chains.change_job import check_revision
from shared.usecases.chains.update_job import UpdateJob
from shared.usecases.jobs.update_one_off import UpdateOneOff
from shared.usecases.requests.seal_request import seal_request
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True, slots=True)
class ReviseJob:
    """Writes only what the new description changes."""

    jobs: JobStore
    check_workflow: Callable[[str, str], None]
    """InvalidValueError unless the tenant has the workflow."""
    read_tenant: ReadTenant
    update_job: UpdateJob
    update_one_off: UpdateOneOff
    vault: Vault
    clock: Clock
    entropy: Entropy
    policy: TargetPolicy
    retention: Retention

    def execute(
        self,
        tenant: Tenant,
        job: Execution | Job,
        present: Request,
        new: NewJob,
        *,
        revision: int,
        keeps_set: bool = True,
    ) -> Execution | Job:
        """The job after the update. `present` is its stored request, `revision` the one that the client has
        seen. `keeps_set`: the job stays in its set, whatever `new` says.

        Of a backfill, only name and tags can change. Domain errors for an invalid description; further errors
        as for `UpdateOneOff` and `UpdateJob`.
        """
        check_revision(job, revision)
        check_request(new.request, self.policy)
        workflow_id = new.request.workflow_id
        if workflow_id is not None and workflow_id != job.call.workflow_id:
            self.check_workflow(tenant.id, workflow_id)
        name = new.signing_secret
        if name is not None and name != job.call.signing_secret:
            self.read_tenant.with_secrets(tenant, (name,)).check_secret_name(name)
        if new.request.needs_role:
            self.read_tenant.check_role(tenant, new.request)
        if isinstance(job, Execution):
            return self._revise_one_off(tenant, job, present, new)
        if keeps_set:
            new = replace(new, set_name=job.definition.set_name)
        return self._revise_recurring(tenant, job, present, new, revision)

    def _revise_one_off(self, tenant: Tenant, job: Execution, present: Request, new: NewJob) -> Execution:
        now_ms = self.clock.now_ms()
        # Only a new time is checked: an edit must not make a job that is due too old.
        is_same = isinstance(new.timing, Once) and new.timing.at == job.nominal_at
        schedule = Once(at=job.nominal_at) if is_same else new.schedule_at(now_ms)
        if not isinstance(schedule, Once):
            raise ScheduleError("a job that runs once cannot be made to recur", field="schedule")
        self.update_one_off.require_not_started(job)  # Before any part of the change is stored.
        # A job that is late starts now, and its record is kept from then on.
        expires_at_s = self.retention.payload_expires_at_s(max(schedule.at, now_ms))
        changed = replace(
            job,
            call=self._call(tenant, job.job_id, job.call, present, new, expires_at_s),
            name=new.name,
            tags=new.tags,
            start_deadline_at=new.start_deadline_at(job.id.dispatch_at),
            runs_when_suspended=new.runs_when_suspended,
        )
        return self.update_one_off.execute(job, changed, due_at=schedule.at, jitter_ms=new.jitter_ms)

    def _revise_recurring(
        self, tenant: Tenant, job: Job, present: Request, new: NewJob, revision: int
    ) -> Job:
        if isinstance(job.schedule, Backfill):
            renamed = replace(job.definition, name=new.name, tags=new.tags)
            return self.update_job.execute(tenant.id, job.id, renamed, revision=revision)
        if job.state in ENDED:  # Before any part of the change is stored.
            raise InvalidStateError(f"the job is {job.state}")
        schedule = new.schedule_at(self.clock.now_ms())
        if isinstance(schedule, Once):
            raise ScheduleError("a job that recurs cannot be made to run once", field="schedule")
        if without_rules(schedule) != without_rules(job.schedule):
            check_fires(schedule, self.clock.now_ms())
        definition = new.definition(schedule, self._call(tenant, job.id, job.call, present, new))
        return self.update_job.execute(tenant.id, job.id, definition, revision=revision)

    def _call(
        self,
        tenant: Tenant,
        job_id: str,
        before: CallSpec,
        present: Request,
        new: NewJob,
        expires_at_s: int | None = None,
    ) -> CallSpec:
        """The call as described now. An unchanged request keeps its sealed form, so no payload is written."""
        call = replace(new.unsealed_call, depth=before.depth, trace=before.trace)
        if new.request == present:
            return replace(
                call,
                request=before.request,
                workflow_id=before.workflow_id,
                has_input=before.has_input,
                payload_id=before.payload_id,
                destination=before.destination,
                target=before.target,
                auth=before.auth,
                callbacks=before.callbacks,
                alerts=before.alerts,
            )
        payload_id = new_payload_id(job_id, self.entropy.bits(ENTROPY_BITS))
        sealed, payload = seal_request(
            self.vault,
            tenant,
            job_id,
            new.request,
            call=call,
            payload_id=payload_id,
            now_ms=self.clock.now_ms(),
            expires_at_s=expires_at_s,
        )
        if payload is not None:
            self.jobs.put_payload(payload)
        return sealed
