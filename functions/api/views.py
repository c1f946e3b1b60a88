"""Domain values as the API shows them."""

from collections.abc import Mapping

from functions.api.models.executions import (
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
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId, backfilled_job
from shared.domain.schedules.schedule import format_instant

Notified = Mapping[ExecutionId, State]
"""Where notifications stand, by their ids."""


def execution_out(execution: Execution, notified: State | None = None) -> ExecutionOut:
    """One execution with its attempts; `notified` is the state of its notification, where that is known."""
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
    waits = execution.state is State.WAITING
    return ExecutionOut(
        id=str(execution.id),
        job_id=execution.job_id,
        state=execution.state.value,
        backfill_of=backfilled_job(execution.job_id),
        scheduled_at=format_instant(execution.scheduled_at),
        due_at=format_instant(execution.id.dispatch_at),
        attempts_begun=execution.attempt,
        attempts=attempts,
        next_attempt_at=_instant(progress.next_attempt_at if waits else None),
        end_reason=progress.end_reason.value if progress.end_reason else None,
        last_response_body=progress.last_body.decode(errors="replace") or None,
        missed=_missed_out(execution),
        redrive_of=str(execution.redrive_of.original) if execution.redrive_of else None,
        redriven_by=str(progress.redriven_by.execution) if progress.redriven_by else None,
        notification=_notification_out(execution, notified),
        notification_of=str(execution.notification_of) if execution.notification_of else None,
    )


def execution_detail_out(
    execution: Execution, notified: State | None, hint: WaitHint | None
) -> ExecutionDetailOut:
    """One execution that was asked for by itself, with what it waits for."""
    waiting_for = WaitOut(reason=hint.reason.value, until=_instant(hint.until)) if hint else None
    return ExecutionDetailOut(**execution_out(execution, notified).model_dump(), waiting_for=waiting_for)


def page_out(
    executions: tuple[Execution, ...], notified: Notified, next_cursor: str | None
) -> ExecutionPageOut:
    """A page of executions."""
    return ExecutionPageOut(
        executions=[execution_out(execution, state_in(notified, execution)) for execution in executions],
        next_cursor=next_cursor,
    )


def state_in(notified: Notified, execution: Execution) -> State | None:
    """The state of an execution's notification; None where it has none, or none stands."""
    notification = execution.progress.notification
    return notified.get(notification) if notification is not None else None


def _notification_out(execution: Execution, notified: State | None) -> NotificationOut | None:
    notification = execution.progress.notification
    if notification is None:
        return None
    return NotificationOut(id=str(notification), state=notified.value if notified else None)


def _missed_out(execution: Execution) -> MissedOut | None:
    missed = execution.progress.missed
    if missed is None:
        return None
    return MissedOut(
        count=missed.count,
        first_at=format_instant(_told(execution, missed.first_at)),
        last_at=format_instant(_told(execution, missed.last_at)),
    )


def _told(execution: Execution, nominal_at: int) -> int:
    return execution.recurrence.scheduled_at(nominal_at) if execution.recurrence else nominal_at


def _instant(at: int | None) -> str | None:
    return format_instant(at) if at is not None else None
