"""Bulk redrives as the API shows them."""

from dataclasses import asdict
from typing import Any

from functions.api.dead_letter_views import dead_letter_out
from functions.api.models.redrives import SAMPLE, RedriveCountsOut, RedriveOut, RedrivePlanOut
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.listings.position import BEGINNING
from shared.domain.schedules.schedule import format_instant
from shared.usecases.dead_letters.start_redrive import RedrivePlan


def redrive_out(task: RedriveTask) -> RedriveOut:
    """One bulk redrive."""
    criteria = task.criteria
    span: dict[str, Any] = {
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
        **span,
        rate=task.rate,
        counts=RedriveCountsOut(**asdict(task.counts)),
        progress_at=None if task.is_walked else format_instant(task.position.at),
        due_until=format_instant(task.next_due_at),
        created_at=format_instant(task.created_at),
        ended_at=format_instant(task.ended_at) if task.ended_at is not None else None,
    )


def plan_out(plan: RedrivePlan) -> RedrivePlanOut:
    """What would be redriven."""
    fresh = [one for one in plan.matching if one.progress.redriven_by is None]
    return RedrivePlanOut(
        count=len(plan.matching),
        already_redriven=len(plan.matching) - len(fresh),
        complete=plan.is_complete,
        sample=[dead_letter_out(one) for one in fresh[:SAMPLE]],
    )
