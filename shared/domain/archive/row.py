"""The archived form of an execution that has ended: one row of a Parquet file.

The columns are a public schema. Columns are only added, each of them nullable, and read by name. Words of the API
stand for states and reasons.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from shared.dataclass import dataclass
from shared.domain.delivery.call_kind import CallKind
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.stages import UNKNOWN_STAGES, Stage
from shared.domain.executions.states import EndReason, State

_CALLED = frozenset({State.SUCCEEDED, State.FAILED})
_END_UNKNOWN = frozenset({EndReason.WORKER_LOST, EndReason.UNREADABLE})
"""No outcome was recorded for the last attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRange:
    """Instants that were skipped together, in UTC ms."""

    count: int
    first_at: int
    last_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedOutcome:
    """One recorded attempt."""

    attempt: int
    started_at: int
    duration_ms: int
    status: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRow:
    """The fields are the columns, in their order. Instants are UTC in ms."""

    tenant: str
    id: str
    job_id: str
    due_at: int
    scheduled_at: int
    created_at: int
    started_at: int | None
    """The start of the first recorded attempt."""
    ended_at: int | None
    """The end of the last attempt; None where the execution did not end with a recorded attempt."""
    state: str
    end_reason: str | None
    lane: str
    revision: int
    run: int
    attempts: int
    """Attempts that have begun."""
    status: int | None
    """The HTTP status of the last recorded attempt."""
    reason: str | None
    """The outcome of the last recorded attempt."""
    destination: str | None
    name: str | None
    tags: tuple[str, ...]
    redrive_of: str | None
    notification_of: str | None
    moved_to: str | None
    missed: ArchivedRange | None
    outcomes: tuple[ArchivedOutcome, ...]
    body: bytes | None
    """The stored part of the last failed response, sealed for the tenant with the id as its context."""
    queue_ms: int | None = None
    """How long the message of the first attempt was in its queue; at most 3.2 % off."""
    wait_ms: int | None = None
    """How long limits and backpressure held the first attempt; at most 3.2 % off."""
    wait_cause: str | None = None
    """What held the first attempt, as the API names it."""
    claim_ms: int | None = None
    """Of the first attempt, as are the following durations; each is at most 3.2 % off."""
    ready_ms: int | None = None
    connect_ms: int | None = None
    head_ms: int | None = None
    refunded_since: int | None = None
    """The first claim that made no call."""
    run_id: str | None = None
    """The run of a workflow: that of a task, the one that an execution started, or the one whose end a notification
    tells."""
    task: str | None = None
    """The key of the task that it is in the run."""
    epoch: int | None = None
    """The epoch of the run in which the task was chosen."""
    trigger_name: str | None = None
    """The trigger whose event has started it, as are the source and the ID of that event."""
    event_source: str | None = None
    event_id: str | None = None
    postponed_to: int | None = None
    """When the first attempt was due, if events have postponed it. `due_at` stays the instant of the ID."""
    item: int | None = None
    """Of an item of a map: the position of its element in the array, from 0."""

    @property
    def first_due_at(self) -> int:
        """When the first attempt was due, after the events that have postponed it."""
        return max(self.due_at, self.postponed_to or 0)


_COLUMNS = tuple(column.name for column in fields(ArchiveRow))


def read_row(plain: Mapping[str, Any]) -> ArchiveRow:
    """A row from the values of its columns; a column that an earlier release did not know is None."""
    missed, outcomes = plain.get("missed"), plain.get("outcomes") or ()
    known: dict[str, Any] = {name: plain.get(name) for name in _COLUMNS}
    known["tags"] = tuple(plain.get("tags") or ())
    known["missed"] = ArchivedRange(**missed) if missed is not None else None
    known["outcomes"] = tuple(ArchivedOutcome(**outcome) for outcome in outcomes)
    return ArchiveRow(**known)


def row_of(execution: Execution, body: bytes | None = None) -> ArchiveRow:
    """The row of an execution that has ended."""
    progress = execution.progress
    last = progress.outcomes[-1] if progress.outcomes else None
    first = progress.stages.first if progress.stages else UNKNOWN_STAGES
    return ArchiveRow(
        tenant=execution.tenant_id,
        id=str(execution.id),
        job_id=execution.job_id,
        due_at=execution.id.dispatch_at,
        scheduled_at=execution.scheduled_at,
        created_at=execution.created_at,
        started_at=progress.outcomes[0].started_at if progress.outcomes else None,
        ended_at=_ended_at(execution, last),
        state=execution.state.value,
        end_reason=progress.end_reason.value if progress.end_reason else None,
        lane=execution.lane.value,
        revision=execution.revision,
        run=execution.run,
        attempts=execution.attempt,
        status=last.status if last else None,
        reason=last.reason.word if last else None,
        destination=execution.call.destination or None,
        name=execution.name,
        tags=execution.tags,
        redrive_of=str(execution.redrive_of.original) if execution.redrive_of else None,
        notification_of=str(execution.notification_of) if execution.notification_of else None,
        moved_to=str(progress.moved_to) if progress.moved_to else None,
        missed=missed_range(execution),
        outcomes=tuple(map(_outcome, progress.outcomes)),
        body=body,
        queue_ms=first.duration_ms(Stage.QUEUE),
        wait_ms=first.duration_ms(Stage.WAIT),
        wait_cause=first.cause.word if first.cause else None,
        claim_ms=first.duration_ms(Stage.CLAIM),
        ready_ms=first.duration_ms(Stage.READY),
        connect_ms=first.duration_ms(Stage.CONNECT),
        head_ms=first.duration_ms(Stage.HEAD),
        refunded_since=progress.refunded_since,
        run_id=_run_id(execution),
        task=execution.task.key if execution.task else None,
        epoch=execution.task.epoch if execution.task else None,
        trigger_name=execution.event.trigger if execution.event else None,
        event_source=execution.event.source if execution.event else None,
        event_id=execution.event.id if execution.event else None,
        postponed_to=execution.event.due_at if execution.event else None,
        item=execution.task.item if execution.task else None,
    )


def started_run(execution: Execution) -> str | None:
    """The ID of the run that an execution of a job has started, once it may stand; None for any other execution."""
    if execution.call.kind is not CallKind.WORKFLOW or execution.progress.claims == 0:
        return None
    outcomes = execution.progress.outcomes
    if outcomes and outcomes[-1].reason is Reason.WORKFLOW_GONE:
        return None
    # Imported late: most executions start no workflow.
    from shared.domain.workflows.identities import run_id_text, run_of

    return run_id_text(run_of(execution.id))


def _run_id(execution: Execution) -> str | None:
    if execution.task is not None:
        run = execution.task.run
    elif execution.ended_run is not None:
        run = execution.ended_run.id
    else:
        return started_run(execution)
    from shared.domain.workflows.identities import run_id_text

    return run_id_text(run)


def _ended_at(execution: Execution, last: AttemptOutcome | None) -> int | None:
    if last is None or execution.state not in _CALLED or execution.progress.end_reason in _END_UNKNOWN:
        return None
    return last.started_at + last.duration_ms


def missed_range(execution: Execution) -> ArchivedRange | None:
    """The instants that it stands for, as the API shows them: a run of a backfill covers past instants."""
    missed, rules = execution.progress.missed, execution.recurrence
    if missed is None:
        return None
    first_at, last_at = (
        rules.scheduled_at(instant) if rules else instant for instant in (missed.first_at, missed.last_at)
    )
    return ArchivedRange(count=missed.count, first_at=first_at, last_at=last_at)


def _outcome(outcome: AttemptOutcome) -> ArchivedOutcome:
    return ArchivedOutcome(
        attempt=outcome.attempt,
        started_at=outcome.started_at,
        duration_ms=outcome.duration_ms,
        status=outcome.status,
        reason=outcome.reason.word,
    )
