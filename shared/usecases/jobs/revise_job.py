"""Give a job of either kind another description, where its owner has seen the present one."""

from dataclasses import dataclass, replace

from shared.domain.delivery.request import Request, check_request, new_payload_id
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidStateError, ScheduleError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ENTROPY_BITS
from shared.domain.jobs.job import ENDED, Definition, Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Backfill, Once, check_fires, without_rules
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Entropy
from shared.usecases.chains.change_job import check_revision
from shared.usecases.chains.update_job import UpdateJob
from shared.usecases.jobs.update_one_off import UpdateOneOff
from shared.usecases.requests.seal_request import SealedRequest, seal_request


@dataclass(frozen=True, slots=True)
class ReviseJob:
    """What the description does not change is not written again."""

    jobs: JobStore
    update_job: UpdateJob
    update_one_off: UpdateOneOff
    vault: Vault
    clock: Clock
    entropy: Entropy
    policy: TargetPolicy

    def execute(
        self, tenant: Tenant, job: Execution | Job, present: Request, new: NewJob, *, revision: int
    ) -> Execution | Job:
        """The job afterwards. `present` is its request as it is stored, `revision` what its owner has seen.

        Of a backfill only name and tags are taken. Domain errors for what cannot be accepted; see the two kinds for
        what they refuse.
        """
        check_revision(job, revision)
        check_request(new.request, self.policy)
        if isinstance(job, Execution):
            return self._revise_one_off(tenant, job, present, new)
        return self._revise_recurring(tenant, job, present, new, revision)

    def _revise_one_off(self, tenant: Tenant, job: Execution, present: Request, new: NewJob) -> Execution:
        now_ms = self.clock.now_ms()
        # A job that is due does not become too old by being edited: only another time is judged.
        is_same = isinstance(new.timing, Once) and new.timing.at == job.nominal_at
        schedule = Once(at=job.nominal_at) if is_same else new.schedule_at(now_ms)
        if not isinstance(schedule, Once):
            raise ScheduleError("a job that runs once cannot be made to recur", field="schedule")
        self.update_one_off.require_not_started(job)  # Before anything of the change is stored.
        sealed = self._seal(tenant, job.job_id, job, present, new.request)
        changed = replace(
            job,
            lane=new.lane,
            request=sealed.inline,
            payload_id=sealed.apart,
            destination=sealed.destination,
            callbacks=sealed.callbacks,
            retry=new.retry,
            timeout_ms=new.timeout_seconds * 1000,
            async_policy=new.async_policy,
            name=new.name,
            tags=new.tags,
            start_deadline_at=new.start_deadline_at(job.id.dispatch_at),
        )
        return self.update_one_off.execute(job, changed, due_at=schedule.at, jitter_ms=new.jitter_ms)

    def _revise_recurring(
        self, tenant: Tenant, job: Job, present: Request, new: NewJob, revision: int
    ) -> Job:
        if isinstance(job.schedule, Backfill):
            renamed = replace(job.definition, name=new.name, tags=new.tags)
            return self.update_job.execute(tenant.id, job.id, renamed, revision=revision)
        if job.state in ENDED:  # Before anything of the change is stored.
            raise InvalidStateError(f"the job is {job.state}")
        schedule = new.schedule_at(self.clock.now_ms())
        if isinstance(schedule, Once):
            raise ScheduleError("a job that recurs cannot be made to run once", field="schedule")
        if schedule != without_rules(job.schedule):
            check_fires(schedule, self.clock.now_ms())
        sealed = self._seal(tenant, job.id, job, present, new.request)
        definition = Definition(
            schedule=schedule,
            lane=new.lane,
            request=sealed.inline,
            payload_id=sealed.apart,
            destination=sealed.destination,
            callbacks=sealed.callbacks,
            retry=new.retry,
            timeout_ms=new.timeout_seconds * 1000,
            async_policy=new.async_policy,
            name=new.name,
            tags=new.tags,
            jitter_ms=new.jitter_ms,
            catch_up=new.recurring.catch_up,
            overlap_policy=new.recurring.overlap_policy,
            max_runs=new.recurring.max_runs,
        )
        return self.update_job.execute(tenant.id, job.id, definition, revision=revision)

    def _seal(
        self, tenant: Tenant, job_id: str, job: Execution | Job, present: Request, wanted: Request
    ) -> SealedRequest:
        """The sealed request; that of the job where it is the same."""
        if wanted == present:
            return SealedRequest(
                inline=job.request,
                apart=job.payload_id,
                destination=job.destination,
                callbacks=job.callbacks,
            )
        name = new_payload_id(job_id, self.entropy.bits(ENTROPY_BITS))
        return seal_request(self.jobs, self.vault, tenant, job_id, wanted, apart=name)
