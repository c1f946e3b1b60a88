"""Bulk redrives as responses."""

from dataclasses import asdict
from typing import Any

from functions.api.context import Context
from functions.api.models import instant_out
from functions.api.resources.dead_letters.presenter import dead_letter_out
from functions.api.resources.executions.beside import read_names
from functions.api.resources.redrives.models import SAMPLE, RedriveCountsOut, RedriveOut, RedrivePlanOut
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.listings.position import BEGINNING
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.dead_letters.start_redrive import RedrivePlan


def redrive_out(task: RedriveTask) -> RedriveOut:
    criteria = task.criteria
    due: dict[str, Any] = {
        "from": None if criteria.span.after == BEGINNING else format_instant(criteria.span.after.at),
        "to": format_instant(criteria.span.before.at),
    }
    return RedriveOut(
        id=task.id,
        state=task.state,
        job=criteria.job_id,
        tag=criteria.tag,
        reason=criteria.reason,
        status=criteria.status,
        lane=criteria.lane,
        **due,
        rate=task.rate,
        counts=RedriveCountsOut(**asdict(task.counts)),
        progress_at=None if task.is_range_done else format_instant(task.position.at),
        due_until=format_instant(task.next_due_at),
        created_at=format_instant(task.created_at),
        ended_at=instant_out(task.ended_at),
    )


def plan_out(context: Context, tenant: Tenant, plan: RedrivePlan) -> RedrivePlanOut:
    sample = plan.fresh[:SAMPLE]
    beside = read_names(context, tenant, sample)
    return RedrivePlanOut(
        count=len(plan.matching),
        already_redriven=plan.already_redriven,
        redrives=len(plan.fresh),
        complete=plan.is_complete,
        sample=[dead_letter_out(execution, beside) for execution in sample],
    )
