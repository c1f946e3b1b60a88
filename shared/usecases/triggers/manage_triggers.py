"""Create, change and delete a tenant's triggers."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError, InvalidValueError, NotFoundError, UnavailableError
from shared.domain.jobs.job import ENDED, Job
from shared.domain.schedules.own_calendar import is_own_name
from shared.domain.triggers.trigger import MAX_TRIGGERS, Trigger
from shared.ports.runtime import Clock
from shared.ports.triggers import TriggerStore
from shared.usecases.reading.find_job import FindJob
from shared.usecases.tenancy.manage_tenants import CONFLICT, TRIES
from shared.usecases.tenancy.preconditions import Precondition, unconditional


@dataclass(frozen=True, slots=True)
class Triggers:
    """A change counts for each event that is sent after it has returned."""

    store: TriggerStore
    find_job: FindJob
    clock: Clock

    def all(self, tenant_id: str) -> list[Trigger]:
        """In the order of their names."""
        return self.store.all(tenant_id)

    def get(self, tenant_id: str, name: str) -> Trigger:
        """NotFoundError for an unknown or deleted trigger."""
        trigger = self.store.get(tenant_id, name) if is_own_name(name) else None
        if trigger is None:
            raise NotFoundError("no such trigger")
        return trigger

    def put(
        self,
        tenant_id: str,
        wanted: Trigger,
        *,
        precondition: Precondition = unconditional,
        is_dry_run: bool = False,
    ) -> tuple[Trigger | None, Trigger]:
        """Create or change a trigger; returns it before and after. With a dry run, `after` is not stored.

        A trigger that has this content keeps its version, under every precondition: an earlier try of the request may
        have stored it. InvalidValueError for an unknown job, InvalidStateError for too many triggers.
        """
        for _ in range(TRIES):
            before = self.store.get(tenant_id, wanted.name)
            if before is not None and before.has_content_of(wanted):
                return before, before
            precondition(before.version if before is not None else None)
            self._check_job(tenant_id, wanted.job_id)
            if before is None and len(self.store.all(tenant_id)) >= MAX_TRIGGERS:
                raise InvalidStateError(f"the tenant has {MAX_TRIGGERS} triggers: delete one first")
            version = 1 if before is None else before.version + 1
            after = replace(wanted, version=version, changed_at=self.clock.now_ms())
            if is_dry_run or self.store.put(tenant_id, after, before):
                return before, after
        raise UnavailableError(CONFLICT)

    def delete(self, tenant_id: str, name: str, precondition: Precondition = unconditional) -> Trigger:
        """Delete a trigger; returns it. Runs that it has started are left alone. NotFoundError."""
        for _ in range(TRIES):
            trigger = self.get(tenant_id, name)
            precondition(trigger.version)
            if self.store.delete(tenant_id, trigger):
                return trigger
        raise UnavailableError(CONFLICT)

    def _check_job(self, tenant_id: str, job_id: str) -> None:
        try:
            job = self.find_job.execute(tenant_id, job_id)
        except NotFoundError:
            raise InvalidValueError("no such job", path=("job_id",)) from None
        if isinstance(job, Job) and job.state in ENDED:
            raise InvalidValueError(f"the job is {job.state}: name one that has not ended", path=("job_id",))
