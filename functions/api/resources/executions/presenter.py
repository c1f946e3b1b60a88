"""Executions as responses."""

from functions.api.models import instant_out
from functions.api.resources.executions.archived import archived_out
from functions.api.resources.executions.beside import Beside
from functions.api.resources.executions.models import (
    AttemptOut,
    ExecutionDetailOut,
    ExecutionOut,
    ExecutionPageOut,
    MissedOut,
    NotificationOut,
    WaitOut,
)
from shared.domain.dispatch.wait_hint import WaitHint
from shared.domain.executions.execution import Execution
from shared.domain.executions.lateness import first_lag_ms
from shared.domain.executions.states import State
from shared.domain.ids import backfilled_job
from shared.domain.schedules.schedule import format_instant
from shared.usecases.reading.shown import Shown


def shown_out(shown: Shown, beside: Beside) -> ExecutionOut:
    """An execution from the tables, or from the archive."""
    return execution_out(shown, beside) if isinstance(shown, Execution) else archived_out(shown, beside)


def execution_out(execution: Execution, beside: Beside) -> ExecutionOut:
    progress = execution.progress
    attempts = [
        AttemptOut(
            number=outcome.attempt,
            started_at=format_instant(outcome.started_at),
            duration_ms=outcome.duration_ms,
            status=outcome.status,
            reason=outcome.reason.word,
        )
        for outcome in progress.outcomes
    ]
    is_waiting = execution.state is State.WAITING
    return ExecutionOut(
        id=str(execution.id),
        job_id=execution.job_id,
        name=beside.name(execution),
        state=execution.state.value,
        backfill_of=backfilled_job(execution.job_id),
        scheduled_at=format_instant(execution.scheduled_at),
        due_at=format_instant(execution.id.dispatch_at),
        lag_ms=first_lag_ms(execution),
        attempts_begun=execution.attempt,
        attempts=attempts,
        next_attempt_at=instant_out(progress.next_attempt_at if is_waiting else None),
        end_reason=progress.end_reason.value if progress.end_reason else None,
        last_response_body=progress.last_body.decode(errors="replace") or None,
        missed=_missed_out(execution),
        redrive_of=str(execution.redrive_of.original) if execution.redrive_of else None,
        redriven_by=str(progress.redriven_by.execution) if progress.redriven_by else None,
        notification=_notification_out(execution, beside.notification(execution)),
        notification_of=str(execution.notification_of) if execution.notification_of else None,
        archived=False,
    )


def execution_detail_out(shown: Shown, beside: Beside, hint: WaitHint | None) -> ExecutionDetailOut:
    return ExecutionDetailOut(**shown_out(shown, beside).model_dump(), waiting_for=wait_out(hint))


def wait_out(hint: WaitHint | None) -> WaitOut | None:
    return WaitOut(reason=hint.reason.value, until=instant_out(hint.until)) if hint else None


def page_out(executions: tuple[Shown, ...], beside: Beside, next_cursor: str | None) -> ExecutionPageOut:
    return ExecutionPageOut(
        executions=[shown_out(shown, beside) for shown in executions], next_cursor=next_cursor
    )


def _notification_out(execution: Execution, state: State | None) -> NotificationOut | None:
    notification = execution.progress.notification
    if notification is None:
        return None
    return NotificationOut(id=str(notification), state=state.value if state else None)


def _missed_out(execution: Execution) -> MissedOut | None:
    missed = execution.progress.missed
    if missed is None:
        return None
    return MissedOut(
        count=missed.count,
        first_at=format_instant(_scheduled_at(execution, missed.first_at)),
        last_at=format_instant(_scheduled_at(execution, missed.last_at)),
    )


def _scheduled_at(execution: Execution, nominal_at: int) -> int:
    return execution.recurrence.scheduled_at(nominal_at) if execution.recurrence else nominal_at
