"""Jobs as the API shows them, and as the documents that PATCH merges into."""

from typing import Any, Literal

from functions.api.backfill_views import backfill_out
from functions.api.models.jobs import JobOut
from functions.api.models.requests import RetryOut, TargetOut
from functions.api.models.schedules import ScheduleOut
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.cron import Gap, Overlap
from shared.domain.schedules.eventbridge import is_expression
from shared.domain.schedules.schedule import Backfill, Cron, Rate, first_after, format_instant

Kind = Literal["once", "cron", "rate", "backfill"]


def job_out(job: Execution | Job, request: Request, now_ms: int) -> JobOut:
    """A one-off or a recurring job."""
    return JobOut(
        id=job.job_id if isinstance(job, Execution) else job.id,
        kind=_kind(job),
        state=job.state.value,
        name=job.name,
        tags=list(job.tags),
        schedule=schedule_out(job),
        next_due_at=_instant(next_due_at(job, now_ms)),
        request=TargetOut(method=request.method, url=request.url),
        lane=job.call.lane,
        timeout_seconds=job.call.timeout_ms // 1000,
        retry=_retry_out(job.call.retry),
        async_deadline_seconds=job.call.async_policy.deadline_seconds,
        heartbeat_seconds=job.call.async_policy.heartbeat_seconds,
        start_deadline_seconds=_start_deadline_seconds(job),
        on_success=request.on_success,
        on_failure=request.on_failure,
        pause_reason=job.pause_reason if isinstance(job, Job) else None,
        backfill=backfill_out(job),
        revision=job.revision,
        created_at=format_instant(created_at_of(job)),
        **_policies(job),
    )


def job_document(job: Execution | Job, request: Request) -> dict[str, Any]:
    """The job as a client would have asked for it: what a merge patch is applied to."""
    document: dict[str, Any] = {
        "schedule": schedule_out(job).model_dump(mode="json"),
        "request": {
            "url": request.url,
            "method": request.method,
            "headers": dict(request.headers),
            "body": request.body.decode(),
        },
        "name": job.name,
        "tags": list(job.tags),
        "lane": job.call.lane.value,
        "timeout_seconds": job.call.timeout_ms // 1000,
        "retry": _retry_out(job.call.retry).model_dump(mode="json"),
        "async_deadline_seconds": job.call.async_policy.deadline_seconds,
        "heartbeat_seconds": job.call.async_policy.heartbeat_seconds,
    }
    if isinstance(job, Job):
        document |= _policies(job)
    given = {
        "start_deadline_seconds": _start_deadline_seconds(job),
        "on_success": request.on_success,
        "on_failure": request.on_failure,
    }
    return document | {name: value for name, value in given.items() if value is not None}


def _start_deadline_seconds(job: Execution | Job) -> int | None:
    if isinstance(job, Job) or job.start_deadline_at is None:
        return None
    return (job.start_deadline_at - job.id.dispatch_at) // 1000


def created_at_of(job: Execution | Job) -> int:
    """When a job was created, wherever a one-off stands now."""
    if isinstance(job, Execution) and job.job_created_at is not None:
        return job.job_created_at
    return job.created_at


def _kind(job: Execution | Job) -> Kind:
    if isinstance(job, Execution):
        return "once"
    if isinstance(job.schedule, Backfill):
        return "backfill"
    return "cron" if isinstance(job.schedule, Cron) else "rate"


def next_due_at(job: Execution | Job, now_ms: int) -> int | None:
    """When a job will next be due, jitter included; None where it will not."""
    if isinstance(job, Execution):
        return None if job.state.is_terminal else job.not_before
    nominal_at = first_after(job.schedule, now_ms) if job.state is JobState.ACTIVE else None
    return job.id_at(nominal_at).dispatch_at if nominal_at is not None else None


def schedule_out(job: Execution | Job) -> ScheduleOut:
    """When a job runs, as it is kept; of a backfill, when its job did."""
    if isinstance(job, Execution):
        return ScheduleOut(at=format_instant(job.nominal_at))
    bounds = {"max_runs": job.definition.max_runs, "jitter_seconds": job.definition.jitter_ms // 1000 or None}
    schedule = job.schedule.of if isinstance(job.schedule, Backfill) else job.schedule
    if isinstance(schedule, Rate):
        return ScheduleOut(
            rate_seconds=schedule.interval_ms // 1000,
            start_at=format_instant(schedule.anchor),
            end_at=_instant(schedule.end_at),
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
        start_at=_instant(schedule.start_at),
        end_at=_instant(schedule.end_at),
        **bounds,
    )


def _policies(job: Execution | Job) -> dict[str, Any]:
    if isinstance(job, Execution):
        return dict.fromkeys(
            (
                "catch_up",
                "catch_up_limit",
                "catch_up_window_seconds",
                "late_tolerance_seconds",
                "overlap_policy",
            )
        )
    return {
        "catch_up": job.definition.catch_up.mode.value,
        "catch_up_limit": job.definition.catch_up.limit,
        "catch_up_window_seconds": job.definition.catch_up.window_ms // 1000,
        "late_tolerance_seconds": job.definition.catch_up.late_tolerance_ms // 1000,
        "overlap_policy": job.definition.overlap_policy.value,
    }


def _retry_out(retry: RetryPolicy) -> RetryOut:
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


def _instant(at: int | None) -> str | None:
    return format_instant(at) if at is not None else None
