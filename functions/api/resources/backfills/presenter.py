"""Backfills as responses."""

from typing import Any

from functions.api.resources.backfills.models import SHOWN_INSTANTS, BackfillOut, BackfillPlanOut
from shared.domain.executions.execution import Execution
from shared.domain.ids import backfilled_job
from shared.domain.jobs.job import Job
from shared.domain.schedules.backfill import backfilled_instants
from shared.domain.schedules.schedule import Backfill, format_instant


def backfill_out(job: Execution | Job) -> BackfillOut | None:
    """The range of a backfill; None for any other job."""
    of = backfilled_job(job.id) if isinstance(job, Job) else None
    if of is None or isinstance(job, Execution) or not isinstance(job.schedule, Backfill):
        return None
    return BackfillOut(**_range(of, job.schedule))


def plan_out(of: str, plan: Backfill) -> BackfillPlanOut:
    instants = backfilled_instants(plan.of, plan.from_at, plan.to_at, plan.count)
    return BackfillPlanOut(
        **_range(of, plan),
        first_at=format_instant(instants[0]),
        last_at=format_instant(instants[-1]),
        instants=[format_instant(instant) for instant in instants[:SHOWN_INSTANTS]],
    )


def _range(of: str, schedule: Backfill) -> dict[str, Any]:
    return {
        "of": of,
        "from": format_instant(schedule.from_at),
        "to": format_instant(schedule.to_at),
        "every_seconds": schedule.interval_ms // 1000,
        "count": schedule.count,
    }
