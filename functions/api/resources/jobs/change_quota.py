"""The quotas of a change of a job."""

from dataclasses import replace

from functions.api.context import Context
from shared.domain.delivery.request import Request
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.tenancy.check_quota import Demand


def check_change_quota(
    context: Context, tenant: Tenant, job: Execution | Job, stored: Request, new: NewJob
) -> None:
    """A change has the quotas of a new job. Only a one-off job that moves counts in its minute."""
    due_at = None
    is_moved = isinstance(job, Execution) and not (
        isinstance(new.timing, Once) and new.timing.at == job.nominal_at
    )
    if is_moved:
        schedule = new.schedule_at(context.now_ms())
        due_at = schedule.at if isinstance(schedule, Once) else None
    is_recurring = isinstance(job, Job)
    stands = Demand(due_at=0, payload_bytes=len(stored.body), tags=len(job.tags), is_recurring=is_recurring)
    demand = replace(stands, due_at=due_at or 0, payload_bytes=len(new.request.body), tags=len(new.tags))
    context.cases.tenancy.check_quota.change(tenant, stands, demand, is_moved=due_at is not None)
