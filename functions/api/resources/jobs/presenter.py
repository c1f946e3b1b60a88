"""Jobs as responses, and as the documents that a merge patch applies to."""

from typing import Any

from functions.api.alert_models import alerts_out, alerts_request
from functions.api.models import document_of, instant_out
from functions.api.resources.backfills.presenter import backfill_out
from functions.api.resources.jobs.auth_models import auth_out
from functions.api.resources.jobs.call_models import RetryOut, request_out
from functions.api.resources.jobs.member_rules import RECURRING_ONLY
from functions.api.resources.jobs.models import JobOut
from functions.api.resources.jobs.page_models import JobSummaryOut
from functions.api.resources.jobs.run_models import NOT_READ, WhenSuspended
from functions.api.resources.jobs.run_notes import last_run_out, no_next_run, own_run
from functions.api.resources.jobs.target_views import listed_target, target_document, target_out
from functions.api.resources.schedules.models import ScheduleOut
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.filters import created_at, kind_of
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.cron import Gap, Overlap
from shared.domain.schedules.cron_line import is_expression
from shared.domain.schedules.schedule import Backfill, Cron, Rate, first_after, format_instant


def job_out(job: Execution | Job, request: Request, now_ms: int) -> JobOut:
    """A one-off job, which is its execution, or a recurring one."""
    next_at = next_due_at(job, now_ms)
    shown = JobOut(
        id=_id(job),
        **_labels(job),
        kind=kind_of(job),
        state=job.state.value,
        name=job.name,
        tags=list(job.tags),
        schedule=schedule_out(job),
        next_due_at=instant_out(next_at),
        no_next_run=no_next_run(job, next_at, now_ms),
        last_run=last_run_out(own_run(job)) if isinstance(job, Execution) else NOT_READ,
        **call_out(request),
        lane=job.call.lane,
        timeout_seconds=job.call.timeout_ms // 1000,
        retry=retry_out(job.call.retry),
        async_deadline_seconds=job.call.async_policy.deadline_seconds,
        heartbeat_seconds=job.call.async_policy.heartbeat_seconds,
        start_deadline_seconds=_start_deadline_seconds(job),
        when_suspended=_when_suspended(job),
        on_success=request.on_success,
        on_failure=request.on_failure,
        alerts=alerts_out(request.alerts),
        signing_secret=job.call.signing_secret,
        pause_reason=job.pause_reason if isinstance(job, Job) else None,
        backfill=backfill_out(job),
        revision=job.revision,
        created_at=format_instant(created_at(job)),
        **_recurring_policies(job),
    )
    shown._stored_request = request
    return shown


def job_summary(job: Execution | Job, now_ms: int, last_run: Execution | None = None) -> JobSummaryOut:
    """`last_run` is that of a recurring job, where it was read; a one-off job is its own run."""
    next_at = next_due_at(job, now_ms)
    return JobSummaryOut(
        id=_id(job),
        **_labels(job),
        kind=kind_of(job),
        state=job.state.value,
        name=job.name,
        tags=list(job.tags),
        schedule=schedule_out(job),
        next_due_at=instant_out(next_at),
        no_next_run=no_next_run(job, next_at, now_ms),
        last_run=last_run_out(last_run or own_run(job)),
        target=listed_target(job.call.target),
        lane=job.call.lane,
        revision=job.revision,
        created_at=format_instant(created_at(job)),
    )


def call_out(request: Request) -> dict[str, Any]:
    """The members that show what is called, sent to or started."""
    if request.target is not None:
        return {"request": None, "target": target_out(request.target)}
    if request.workflow_id is not None:
        return {"request": None, "workflow": request.workflow_id}
    return {"request": request_out(request)}


def _labels(job: Execution | Job) -> dict[str, str | None]:
    if isinstance(job, Execution):
        return {}
    return {"key": job.key, "set_": job.definition.set_name}


def job_document(job: Execution | Job, request: Request) -> dict[str, Any]:
    """The body that would create the job as it is now: the target of a merge patch."""
    document: dict[str, Any] = {
        "schedule": schedule_out(job).model_dump(mode="json"),
        **_called(job, request),
        "name": job.name,
        "tags": list(job.tags),
        "lane": job.call.lane.value,
    }
    if isinstance(job, Job):
        document |= _recurring_policies(job)
    optional = {
        "start_deadline_seconds": _start_deadline_seconds(job),
        "when_suspended": _when_suspended(job),
        "on_success": request.on_success,
        "on_failure": request.on_failure,
        "alerts": alerts_request(request.alerts),
        "signing_secret": job.call.signing_secret,
    }
    return document | {name: value for name, value in optional.items() if value is not None}


def _called(job: Execution | Job, request: Request) -> dict[str, Any]:
    """What the job calls, sends to or starts, with the members that only calls have."""
    if request.workflow_id is not None:
        return {"workflow": request.workflow_id}
    return {
        **call_document(request),
        "timeout_seconds": job.call.timeout_ms // 1000,
        "retry": retry_out(job.call.retry).model_dump(mode="json"),
        "async_deadline_seconds": job.call.async_policy.deadline_seconds,
        "heartbeat_seconds": job.call.async_policy.heartbeat_seconds,
    }


def call_document(request: Request) -> dict[str, Any]:
    """The member that would make the same call or send the same message."""
    if request.target is not None:
        return {"target": target_document(request)}
    auth = auth_out(request.auth)
    return {
        "request": {
            "url": request.url,
            "method": request.method,
            "headers": dict(request.headers),
            "body": request.body.decode(),
            **({} if auth is None else {"auth": document_of(auth)}),
        }
    }


def next_due_at(job: Execution | Job, now_ms: int) -> int | None:
    """The next due time, jitter included; None where there is none."""
    if isinstance(job, Execution):
        return None if job.state.is_terminal else job.not_before
    nominal_at = first_after(job.schedule, now_ms) if job.state is JobState.ACTIVE else None
    return job.id_at(nominal_at).dispatch_at if nominal_at is not None else None


def schedule_out(job: Execution | Job) -> ScheduleOut:
    """The stored schedule; of a backfill, the schedule of the job that it belongs to."""
    if isinstance(job, Execution):
        return ScheduleOut(at=format_instant(job.nominal_at))
    bounds = {"max_runs": job.definition.max_runs, "jitter_seconds": job.definition.jitter_ms // 1000 or None}
    schedule = job.schedule.of if isinstance(job.schedule, Backfill) else job.schedule
    if isinstance(schedule, Rate):
        return ScheduleOut(
            rate_seconds=schedule.interval_ms // 1000,
            start_at=format_instant(schedule.anchor),
            end_at=instant_out(schedule.end_at),
            **bounds,
        )
    return _cron_out(schedule, bounds)


def _cron_out(schedule: Cron, bounds: dict[str, int | None]) -> ScheduleOut:
    dialect = "expression" if is_expression(schedule.line) else "cron"
    return ScheduleOut(
        **{dialect: schedule.line},
        timezone=schedule.timezone,
        dst_gap=schedule.gap if dialect == "expression" or schedule.gap is not Gap.SHIFT else None,
        dst_overlap=schedule.overlap if schedule.overlap is not Overlap.FIRST else None,
        **_calendar_out(schedule.calendar),
        start_at=instant_out(schedule.start_at),
        end_at=instant_out(schedule.end_at),
        **bounds,
    )


def _calendar_out(rule: CalendarRule | None) -> dict[str, Any]:
    if rule is None:
        return {}
    moves = rule.when_excluded is not WhenExcluded.SKIP
    return {
        "calendar": rule.name,
        "when_excluded": rule.when_excluded if moves else None,
        "business_day": rule.business_day,
    }


def _id(job: Execution | Job) -> str:
    return job.job_id if isinstance(job, Execution) else job.id


def _start_deadline_seconds(job: Execution | Job) -> int | None:
    if isinstance(job, Job) or job.start_deadline_at is None:
        return None
    return (job.start_deadline_at - job.id.dispatch_at) // 1000


def _when_suspended(job: Execution | Job) -> WhenSuspended | None:
    if isinstance(job, Job):
        return None
    return WhenSuspended.RUN if job.runs_when_suspended else WhenSuspended.SKIP


def _recurring_policies(job: Execution | Job) -> dict[str, Any]:
    if isinstance(job, Execution):
        return dict.fromkeys(RECURRING_ONLY)
    return {
        "catch_up": job.definition.catch_up.mode.value,
        "catch_up_limit": job.definition.catch_up.limit,
        "catch_up_window_seconds": job.definition.catch_up.window_ms // 1000,
        "late_tolerance_seconds": job.definition.catch_up.late_tolerance_ms // 1000,
        "overlap_policy": job.definition.overlap_policy.value,
    }


def retry_out(retry: RetryPolicy) -> RetryOut:
    age = retry.give_up_after_seconds
    if retry.delays_seconds:
        return RetryOut(
            max_attempts=retry.max_attempts,
            delays_seconds=list(retry.delays_seconds),
            give_up_after_seconds=age,
        )
    return RetryOut(
        max_attempts=retry.max_attempts,
        base_seconds=retry.base_seconds,
        factor=retry.factor,
        cap_seconds=retry.cap_seconds,
        give_up_after_seconds=age,
    )
