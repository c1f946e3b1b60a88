"""Domain values as the API shows them."""

from typing import Literal

from functions.api.models.executions import AttemptOut, ExecutionOut, ExecutionPageOut, MissedOut
from functions.api.models.jobs import JobOut
from functions.api.models.requests import RetryIn, TargetOut
from shared.domain.execution import Execution, State
from shared.domain.job import Job, JobState
from shared.domain.request import Request
from shared.domain.retry import RetryPolicy
from shared.domain.schedule import Cron, Rate, first_after, format_instant

Kind = Literal["once", "cron", "rate"]


def job_out(job: Execution | Job, request: Request, now_ms: int) -> JobOut:
    """A one-off or a recurring job."""
    if isinstance(job, Execution):
        kind: Kind = "once"
        schedule: dict[str, str | int] = {"at": format_instant(job.nominal_at)}
        next_due_at = None if job.state.is_terminal else job.starts_at
    else:
        kind, schedule = _recurring_schedule(job.schedule)
        next_due_at = first_after(job.schedule, now_ms) if job.state is JobState.ACTIVE else None
    return JobOut(
        id=job.job_id if isinstance(job, Execution) else job.id,
        kind=kind,
        state=job.state.value,
        name=job.name,
        schedule=schedule,
        next_due_at=_instant(next_due_at),
        request=TargetOut(method=request.method, url=request.url),
        lane=job.lane,
        timeout_seconds=job.timeout_ms // 1000,
        retry=_retry_out(job.retry),
        revision=job.revision,
        created_at=format_instant(job.created_at),
    )


def _recurring_schedule(schedule: Rate | Cron) -> tuple[Kind, dict[str, str | int]]:
    if isinstance(schedule, Cron):
        return "cron", {"cron": schedule.line, "timezone": schedule.timezone}
    return "rate", {
        "rate_seconds": schedule.interval_ms // 1000,
        "anchor_at": format_instant(schedule.anchor),
    }


def _retry_out(retry: RetryPolicy) -> RetryIn:
    return RetryIn(
        max_attempts=retry.max_attempts,
        base_seconds=retry.base_seconds,
        factor=retry.factor,
        cap_seconds=retry.cap_seconds,
    )


def execution_out(execution: Execution) -> ExecutionOut:
    """One execution with its attempts."""
    attempts = [
        AttemptOut(
            number=outcome.attempt,
            started_at=format_instant(outcome.started_at),
            duration_ms=outcome.duration_ms,
            status=outcome.status,
            reason=outcome.reason.word,
        )
        for outcome in execution.outcomes
    ]
    waits = execution.state is State.WAITING
    return ExecutionOut(
        id=str(execution.id),
        job_id=execution.job_id,
        state=execution.state.value,
        scheduled_at=format_instant(execution.nominal_at),
        attempts_begun=execution.attempt,
        attempts=attempts,
        next_attempt_at=_instant(execution.next_attempt_at if waits else None),
        end_reason=execution.end_reason.value if execution.end_reason else None,
        last_response_body=execution.last_body.decode(errors="replace") if execution.last_body else None,
        missed=_missed_out(execution),
    )


def page_out(executions: tuple[Execution, ...], next_cursor: str | None) -> ExecutionPageOut:
    """A page of executions."""
    return ExecutionPageOut(
        executions=[execution_out(execution) for execution in executions], next_cursor=next_cursor
    )


def _missed_out(execution: Execution) -> MissedOut | None:
    missed = execution.missed
    if missed is None:
        return None
    return MissedOut(
        count=missed.count,
        first_at=format_instant(missed.first_at),
        last_at=format_instant(missed.last_at),
    )


def _instant(at: int | None) -> str | None:
    return format_instant(at) if at is not None else None
