"""Bulk operations on jobs as responses."""

from collections.abc import Iterator, Mapping
from typing import Any

from functions.api.alert_models import AlertsOut, alerts_out
from functions.api.context import Context
from functions.api.models import instant_out
from functions.api.resources.bulk_tasks.models import (
    BulkCountsOut,
    BulkFilterOut,
    BulkPlanOut,
    BulkTaskOut,
)
from functions.api.resources.bulk_tasks.patch_models import IN_MS, BulkPatchOut
from functions.api.resources.jobs.presenter import job_summary, retry_out
from shared.domain.bulk.actions import BulkAction
from shared.domain.bulk.job_task import HOUR_MS, JobTask, NewJobTask
from shared.domain.bulk.members import CALLBACKS, Member
from shared.domain.bulk.patch import JobPatch
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.listings.filters import JobFilter, Kind
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.bulk.sign_plan import PLAN_MS
from shared.usecases.bulk.start_job_task import Extent, Plan
from shared.usecases.requests.seal_request import open_alerts, open_callback_target

_LONG_SECONDS = 60
_EVERY_JOB = JobFilter(recurs=True, is_live=True)
Opened = Mapping[Member, str | AlertsOut | None]


def plan_out(new: NewJobTask, plan: Plan, now_ms: int) -> BulkPlanOut:
    extent = plan.extent
    return BulkPlanOut(
        count=extent.count,
        complete=extent.is_complete,
        unchanged=extent.unchanged,
        refused=dict(extent.refused),
        examples=[job_summary(job, now_ms) for job in extent.examples],
        warnings=list(_warnings(new, extent)),
        plan=plan.token,
        plan_expires_at=format_instant(now_ms + PLAN_MS),
    )


def _warnings(new: NewJobTask, extent: Extent) -> Iterator[str]:
    if new.criteria == _EVERY_JOB:
        yield "the filter selects every recurring job of the tenant"
    if new.criteria.kind is None and new.criteria.set_name is None:
        yield "one-off jobs are not selected: send the kind once for them"
    if new.action is BulkAction.DELETE and new.criteria.kind is not Kind.ONCE:
        yield "the backfills of a deleted job are deleted with it"
    if new.action is BulkAction.DELETE and not new.grace_ms:
        yield "without grace_hours the operation cannot be undone"
    if new.action is BulkAction.TRIGGER and extent.paused:
        yield f"{extent.paused} of the jobs are paused, and run as well"
    if extent.count > new.rate * _LONG_SECONDS:
        yield f"at {new.rate} a second the operation takes {extent.count // (new.rate * 60)} minutes or more"


def task_out(task: JobTask, now_ms: int, opened: Opened) -> BulkTaskOut:
    """`opened` has the URLs of the patch in plain."""
    counts = task.counts
    return BulkTaskOut(
        id=task.id,
        action=task.action,
        state=task.state,
        filter=_filter_out(task.criteria, task.created_at),
        reason=task.reason,
        patch=_patch_out(task.patch, opened) if task.patch is not None else None,
        grace_hours=task.grace_ms // HOUR_MS if task.action is BulkAction.DELETE else None,
        rate=task.rate,
        total=task.total,
        total_is_exact=task.is_total,
        counts=BulkCountsOut(
            done=counts.done,
            unchanged=counts.unchanged,
            refused=dict(counts.refused),
            deleted=counts.deleted,
            undone=counts.undone,
            changed_since=counts.changed_since,
            gone=counts.gone,
        ),
        left=task.left,
        ends_at=instant_out(task.ends_at(now_ms)),
        deletes_at=instant_out(task.deletes_at),
        created_at=format_instant(task.created_at),
        ended_at=instant_out(task.ended_at),
    )


def opened_urls(context: Context, tenant: Tenant, task: JobTask) -> Opened:
    """UnavailableError."""
    values, vault = task.patch.values if task.patch is not None else {}, context.ports.vault
    opened: dict[Member, str | AlertsOut | None] = {
        member: open_callback_target(vault, tenant, values.get(member)) for member in CALLBACKS
    }
    return opened | {Member.ALERTS: alerts_out(open_alerts(vault, tenant, values.get(Member.ALERTS)))}


def _patch_out(patch: JobPatch, opened: Opened) -> BulkPatchOut:
    shown = {member.value: _shown(member, value, opened) for member, value in patch.values.items()}
    return BulkPatchOut(
        **shown,
        removed=[member for member, value in patch.values.items() if value is None],
        add_tags=list(patch.add_tags),
        remove_tags=list(patch.remove_tags),
    )


def _shown(member: Member, value: Any, opened: Opened) -> Any:
    if member in opened:
        return opened[member]
    if isinstance(value, RetryPolicy):
        return retry_out(value)
    return value // 1000 if member in IN_MS else value


def _filter_out(criteria: JobFilter, created_at: int) -> BulkFilterOut:
    before = criteria.created_before
    return BulkFilterOut(
        state=criteria.state,
        tag=criteria.tag,
        set=criteria.set_name,
        q=criteria.name_prefix,
        kind=criteria.kind,
        created_from=instant_out(criteria.created_from),
        created_to=format_instant(created_at if before is None else before),
    )
