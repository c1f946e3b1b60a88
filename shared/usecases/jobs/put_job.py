"""Create, change or leave the recurring job with a key, so that the same request may be sent at any time."""

from collections.abc import Callable
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import (
    IdentityConflictError,
    InvalidStateError,
    NotFoundError,
    PreconditionFailedError,
    ScheduleError,
    UnavailableError,
)
from shared.domain.ids import RecurringJobId
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.job_key import KEY_TEXT, KeyedId, is_key
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once, check_fires, without_rules
from shared.domain.tenancy.tenant import Tenant
from shared.ports.jobs import JobKeys, JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import TRIES, FindSettled
from shared.usecases.jobs.create_recurring import CreateRecurring
from shared.usecases.jobs.draft_job import DraftJob, Identity, demand_of
from shared.usecases.tenancy.check_quota import CheckQuota


class Change(StrEnum):
    """The values are those of the API."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class JobPut:
    """What the request did, or would do: the job before and after it. `after` is None for a creation that is not
    made."""

    change: Change
    before: Job | None
    after: Job | None


Wanted = Callable[[Job | None], NewJob]
"""The description that is wanted, given the job that stands: what a request leaves open may depend on that."""
Revise = Callable[[Job, NewJob], Job]
"""Gives a job a description; PreconditionFailedError or InvalidStateError if it has changed since it was read."""
Differs = Callable[[Job, NewJob], bool]
Precondition = Callable[[Job | None], None]
"""Given the job that stands: PreconditionFailedError if the caller has decided on another state of it."""


@dataclass(frozen=True, slots=True)
class PutJob:
    """At most one job of a key has not ended, however many requests run beside each other or crash.

    An id is assigned to the key first, by compare-and-swap. Its job is created afterwards, and a request that finds
    an id without a job completes the creation.
    """

    keys: JobKeys
    jobs: JobStore
    find_settled: FindSettled
    draft: DraftJob
    create_recurring: CreateRecurring
    check_quota: CheckQuota
    clock: Clock

    def execute(
        self,
        tenant: Tenant,
        key: str,
        wanted: Wanted,
        *,
        differs: Differs,
        revise: Revise,
        precondition: Precondition,
        is_dry_run: bool = False,
    ) -> JobPut:
        """Domain errors for an invalid description; UnavailableError if the change may or may not have been made.

        The precondition is checked before a creation or change alone. A job that has the description already may
        have it from an earlier try of this request, whose answer was lost.
        """
        if not is_key(key):
            raise NotFoundError(f"there is no such key: a key is {KEY_TEXT}")
        for _ in range(TRIES):
            assigned = self.keys.find(tenant.id, key)
            standing = self._job(tenant, assigned)
            new = wanted(standing)
            tenant = self.draft.with_secrets(tenant, [new])
            self.draft.check(tenant, new)
            if standing is not None and not differs(standing, new):
                return JobPut(Change.UNCHANGED, standing, standing)
            precondition(standing)
            if standing is None or standing.state is JobState.COMPLETED:
                made = self._create(tenant, key, new, assigned, standing, is_dry_run=is_dry_run)
                if made is not None:
                    return made
                continue
            if is_dry_run:
                self._check_schedule(standing, new)
                return JobPut(Change.UPDATED, standing, standing)
            try:
                return JobPut(Change.UPDATED, standing, revise(standing, new))
            except (PreconditionFailedError, InvalidStateError):
                continue  # It has changed or ended since it was read.
        raise UnavailableError("the job is being changed by others")

    def find(self, tenant_id: str, key: str) -> Job:
        """The job with a key, in any state; NotFoundError."""
        assigned = self.keys.find(tenant_id, key) if is_key(key) else None
        job = self.jobs.get(tenant_id, assigned.job_id) if assigned is not None else None
        if job is None:
            raise NotFoundError("no such job")
        return job

    def _check_schedule(self, standing: Job, new: NewJob) -> None:
        """ScheduleError for another schedule that never fires."""
        now_ms = self.clock.now_ms()
        schedule = new.schedule_at(now_ms)
        if not isinstance(schedule, Once) and without_rules(schedule) != without_rules(standing.schedule):
            check_fires(schedule, now_ms)

    def _job(self, tenant: Tenant, assigned: KeyedId | None) -> Job | None:
        """The job of the key, unless it was deleted or has expired."""
        if assigned is None:
            return None
        try:
            job = self.find_settled.execute(tenant.id, assigned.job_id)
        except NotFoundError:
            return None
        return None if job.state is JobState.DELETED else job

    def _create(
        self,
        tenant: Tenant,
        key: str,
        new: NewJob,
        assigned: KeyedId | None,
        standing: Job | None,
        *,
        is_dry_run: bool,
    ) -> JobPut | None:
        """None if another request was faster."""
        now_ms = self.clock.now_ms()
        chosen = self.draft.choose(new, now_ms)
        if not isinstance(chosen.id, RecurringJobId):
            raise ScheduleError("a job with a key recurs: give it a cron line or a rate", field="schedule")
        if is_dry_run:
            return JobPut(Change.CREATED, standing, None)
        self.check_quota.job(tenant, demand_of(new, chosen))
        fresh = self._assigned(tenant, key, chosen.id, assigned, standing, now_ms)
        if fresh is None:
            return None
        identity = Identity(
            chosen=chosen, created_at=now_ms, fingerprint=self.draft.fingerprint(tenant, new), key=key
        )
        drafted = self.draft.execute(tenant, new, identity.with_id(fresh.job_id))
        if drafted.payload is not None:
            self.jobs.put_payload(drafted.payload)
        assert isinstance(drafted.job, Job)
        try:
            job = self.create_recurring.execute(drafted.job)
        except IdentityConflictError:
            return None  # Another request has completed the creation with another description.
        if job.definition.set_name != drafted.job.definition.set_name:
            return None  # So it has with another set, which is no part of the fingerprint.
        # An equal request may have completed the creation before, and another one may have changed the job since.
        return JobPut(Change.CREATED, standing, job) if job.revision == drafted.job.revision else None

    def _assigned(
        self,
        tenant: Tenant,
        key: str,
        job_id: RecurringJobId,
        assigned: KeyedId | None,
        standing: Job | None,
        now_ms: int,
    ) -> KeyedId | None:
        """The id to create the job with; None if another request has assigned one meanwhile.

        An id whose creation may not have finished is taken as it is: with another id, the job of the slow request
        would run as well.
        """
        if assigned is not None and standing is None:
            job = self.jobs.get(tenant.id, assigned.job_id)
            if job is None and assigned.is_unfinished(now_ms):
                return assigned
            if job is not None and job.state is not JobState.DELETED:
                return None  # Another request has completed the creation since the job was looked for.
        fresh = KeyedId(job_id=job_id, assigned_at=now_ms)
        return fresh if self.keys.assign(tenant.id, key, assigned, fresh) else None
