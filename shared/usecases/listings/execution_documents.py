"""Executions as documents of plain JSON values: in responses of the API, and in the results of searches."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from shared.dataclass import dataclass
from shared.domain.archive.row import ArchivedOutcome, ArchivedRange, ArchiveRow, started_run
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import EventRef, Execution
from shared.domain.executions.lateness import first_lag_ms
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId, backfilled_job
from shared.domain.schedules.schedule import format_instant
from shared.domain.schedules.skipped_range import SkippedRange
from shared.usecases.reading.shown import Shown

Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What executions are shown with, though other items have it."""

    notifications: Mapping[ExecutionId, State] = field(default_factory=dict)
    """The states of notifications, by their ids."""
    names: Mapping[str, str | None] = field(default_factory=dict)
    """The names of recurring jobs, by their ids."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """The responses that the archive has sealed, by the ids of the executions."""

    def name(self, shown: Shown) -> str | None:
        """The name of its job; None where that has no name."""
        return shown.name or self.names.get(shown.job_id)

    def notification(self, execution: Execution) -> State | None:
        """The state of its notification; None where it has none, or where that is not stored."""
        notification = execution.progress.notification
        return self.notifications.get(notification) if notification is not None else None


def shown_document(shown: Shown, beside: Beside) -> Document:
    """An execution from the tables, or from the archive."""
    return (
        execution_document(shown, beside)
        if isinstance(shown, Execution)
        else _archived_document(shown, beside)
    )


def execution_document(execution: Execution, beside: Beside) -> Document:
    progress = execution.progress
    next_attempt_at = progress.next_attempt_at if execution.state is State.WAITING else None
    return {
        "id": str(execution.id),
        "job_id": execution.job_id,
        "name": beside.name(execution),
        "state": execution.state.value,
        "backfill_of": backfilled_job(execution.job_id),
        "scheduled_at": format_instant(execution.scheduled_at),
        "due_at": format_instant(execution.due_at),
        "lag_ms": first_lag_ms(execution),
        "attempts_begun": execution.attempt,
        "attempts": [_attempt(outcome, outcome.reason.word) for outcome in progress.outcomes],
        "next_attempt_at": format_instant(next_attempt_at) if next_attempt_at is not None else None,
        "end_reason": progress.end_reason.value if progress.end_reason else None,
        "last_response_body": progress.last_body.decode(errors="replace") or None,
        "missed": _missed_by(execution),
        "redrive_of": str(execution.redrive_of.original) if execution.redrive_of else None,
        "redriven_by": str(progress.redriven_by.execution) if progress.redriven_by else None,
        "notification": _notification(execution, beside.notification(execution)),
        "notification_of": str(execution.notification_of) if execution.notification_of else None,
        "task": _task(execution),
        **_started(started_run(execution)),
        **_event(execution.event),
        "archived": False,
    }


def _started(run_id: str | None) -> Document:
    return {"run": run_id} if run_id is not None else {}


def _event(event: EventRef | None) -> Document:
    if event is None:
        return {}
    return {"event": {"trigger": event.trigger, "source": event.source, "id": event.id}}


def _archived_event(row: ArchiveRow) -> Document:
    if row.trigger_name is None:
        return {}
    return {"event": {"trigger": row.trigger_name, "source": row.event_source, "id": row.event_id}}


def _archived_document(row: ArchiveRow, beside: Beside) -> Document:
    """The archive has no links to notifications and to redrives of an execution: their own rows have them."""
    missed = row.missed
    return {
        "id": row.id,
        "job_id": row.job_id,
        "name": beside.name(row),
        "state": row.state,
        "backfill_of": backfilled_job(row.job_id),
        "scheduled_at": format_instant(row.scheduled_at),
        "due_at": format_instant(row.first_due_at),
        "lag_ms": _lag_ms(row),
        "attempts_begun": row.attempts,
        "attempts": [_attempt(outcome, outcome.reason) for outcome in row.outcomes],
        "next_attempt_at": None,
        "end_reason": row.end_reason,
        "last_response_body": beside.bodies.get(row.id) or None,
        "missed": _missed(missed, missed.first_at, missed.last_at) if missed is not None else None,
        "redrive_of": row.redrive_of,
        "redriven_by": None,
        "notification": None,
        "notification_of": row.notification_of,
        "task": _archived_task(row),
        **_started(row.run_id if row.task is None and row.notification_of is None else None),
        **_archived_event(row),
        "archived": True,
    }


def _lag_ms(row: ArchiveRow) -> int | None:
    first = row.outcomes[0] if row.outcomes else None
    return max(0, first.started_at - row.first_due_at) if first is not None and first.attempt == 1 else None


def _attempt(outcome: AttemptOutcome | ArchivedOutcome, reason: str) -> Document:
    return {
        "number": outcome.attempt,
        "started_at": format_instant(outcome.started_at),
        "duration_ms": outcome.duration_ms,
        "status": outcome.status,
        "reason": reason,
    }


def _task(execution: Execution) -> Document | None:
    task = execution.task
    if task is None:
        return None
    # Imported late: a process that meets no task loads nothing of workflows.
    from shared.domain.workflows.identities import run_id_text

    return _task_document(run_id_text(task.run), task.key, task.epoch, task.item)


def _archived_task(row: ArchiveRow) -> Document | None:
    return _task_document(row.run_id, row.task, row.epoch, row.item) if row.task is not None else None


def _task_document(run_id: str | None, key: str, epoch: int | None, item: int | None) -> Document:
    """Only an item of a map has `item`."""
    return {"run_id": run_id, "key": key, "epoch": epoch} | ({} if item is None else {"item": item})


def _notification(execution: Execution, state: State | None) -> Document | None:
    notification = execution.progress.notification
    if notification is None:
        return None
    return {"id": str(notification), "state": state.value if state else None}


def _missed_by(execution: Execution) -> Document | None:
    missed, rules = execution.progress.missed, execution.recurrence
    if missed is None:
        return None
    first_at, last_at = (
        rules.scheduled_at(instant) if rules else instant for instant in (missed.first_at, missed.last_at)
    )
    return _missed(missed, first_at, last_at)


def _missed(missed: SkippedRange | ArchivedRange, first_at: int, last_at: int) -> Document:
    return {
        "count": missed.count,
        "first_at": format_instant(first_at),
        "last_at": format_instant(last_at),
    }
