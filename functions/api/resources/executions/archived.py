"""Rows of the archive as responses."""

from functions.api.models import instant_out
from functions.api.resources.executions.beside import Beside
from functions.api.resources.executions.models import AttemptOut, ExecutionOut, MissedOut
from shared.domain.archive.row import ArchivedOutcome, ArchivedRange, ArchiveRow
from shared.domain.ids import backfilled_job
from shared.domain.schedules.schedule import format_instant


def archived_out(row: ArchiveRow, beside: Beside) -> ExecutionOut:
    """The archive has no links to notifications and to redrives of an execution: their own rows have them."""
    return ExecutionOut(
        id=row.id,
        job_id=row.job_id,
        name=beside.name(row),
        state=row.state,
        backfill_of=backfilled_job(row.job_id),
        scheduled_at=format_instant(row.scheduled_at),
        due_at=format_instant(row.due_at),
        lag_ms=_lag_ms(row),
        attempts_begun=row.attempts,
        attempts=[_attempt_out(outcome) for outcome in row.outcomes],
        next_attempt_at=instant_out(None),
        end_reason=row.end_reason,
        last_response_body=beside.bodies.get(row.id) or None,
        missed=_missed_out(row.missed) if row.missed is not None else None,
        redrive_of=row.redrive_of,
        redriven_by=None,
        notification=None,
        notification_of=row.notification_of,
        archived=True,
    )


def _lag_ms(row: ArchiveRow) -> int | None:
    first = row.outcomes[0] if row.outcomes else None
    return max(0, first.started_at - row.due_at) if first is not None and first.attempt == 1 else None


def _attempt_out(outcome: ArchivedOutcome) -> AttemptOut:
    return AttemptOut(
        number=outcome.attempt,
        started_at=format_instant(outcome.started_at),
        duration_ms=outcome.duration_ms,
        status=outcome.status,
        reason=outcome.reason,
    )


def _missed_out(missed: ArchivedRange) -> MissedOut:
    return MissedOut(
        count=missed.count,
        first_at=format_instant(missed.first_at),
        last_at=format_instant(missed.last_at),
    )
