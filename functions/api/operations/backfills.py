"""Backfills: made, and planned."""

from dataclasses import dataclass

from functions.api.backfill_views import plan_out
from functions.api.bodies import read_body
from functions.api.faults import in_body
from functions.api.idempotency import check_key
from functions.api.job_views import job_out
from functions.api.models.backfills import BackfillIn, BackfillPlanOut
from functions.api.models.jobs import JobOut
from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidStateError, ScheduleError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.new_backfill import NewBackfill
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Clock
from shared.usecases.jobs.backfill_job import BackfillJob
from shared.usecases.jobs.plan_backfill import PlanBackfill
from shared.usecases.reading.find_job import FindJob
from shared.usecases.requests.open_request import OpenRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeBackfill:
    """The backfill, a job of its own. `replayed`: it was made before, under the same key."""

    job: JobOut
    replayed: bool


@dataclass(frozen=True, slots=True)
class BackfillOperations:
    """One method an operation."""

    find_job: FindJob
    backfill_job: BackfillJob
    plan_backfill: PlanBackfill
    open_request: OpenRequest
    clock: Clock

    def create(
        self, tenant: Tenant, job_id: str, body: bytes, key: str | None
    ) -> MadeBackfill | BackfillPlanOut:
        """The backfill of a job; where the body asks for a dry run, what it would run."""
        asked = read_body(body, BackfillIn)
        check_key(key)
        try:
            new = asked.new_backfill()
            if asked.dry_run:
                return plan_out(job_id, self.plan_backfill.execute(tenant.id, job_id, new))
            return self._make(tenant, job_id, new, key)
        except ScheduleError as fault:
            raise in_body(fault) from fault

    def _make(self, tenant: Tenant, job_id: str, new: NewBackfill, key: str | None) -> MadeBackfill:
        if isinstance(self.find_job.execute(tenant.id, job_id), Execution):
            raise InvalidStateError("a job that runs once cannot be backfilled")
        made = self.backfill_job.execute(tenant, job_id, new, key)
        shown = job_out(made.job, self.open_request.execute(tenant, made.job), self.clock.now_ms())
        return MadeBackfill(job=shown, replayed=made.replayed)


def backfill_operations(cases: UseCases) -> BackfillOperations:
    """The operations of a deployment."""
    return BackfillOperations(
        find_job=cases.core.find_job,
        backfill_job=cases.jobs.backfill_job,
        plan_backfill=cases.jobs.plan_backfill,
        open_request=cases.core.open_request,
        clock=cases.core.ports.clock,
    )
