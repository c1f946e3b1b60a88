"""Why an archived execution began late. A row has the stages of the first attempt alone."""

from shared.domain.archive.row import ArchivedOutcome, ArchiveRow
from shared.domain.executions.lateness import (
    AttemptLateness,
    before_the_call,
    missing_in_first,
    the_call,
)
from shared.domain.executions.stages import UNKNOWN_STAGES, AttemptStages, cause_named, code_of


def row_lateness(row: ArchiveRow) -> tuple[AttemptLateness, ...]:
    """The first attempt and the latest one; nothing before the first attempt. Of a retry, the due time is unknown."""
    numbers = sorted({min(1, row.attempts), row.attempts} - {0})
    outcomes = {outcome.attempt: outcome for outcome in row.outcomes}
    return tuple(
        _first(row, outcomes.get(1)) if number == 1 else _retry(number, outcomes.get(number))
        for number in numbers
    )


def _first(row: ArchiveRow, outcome: ArchivedOutcome | None) -> AttemptLateness:
    if outcome is None:
        return AttemptLateness(number=1, due_at=row.first_due_at, started_at=None, spans=())
    stages = _stages(row)
    instants = (row.first_due_at, row.created_at, outcome.started_at)
    missing = missing_in_first(row.refunded_since, outcome.started_at)
    return AttemptLateness(
        number=1,
        due_at=row.first_due_at,
        started_at=outcome.started_at,
        spans=(
            *before_the_call(stages, instants, missing),
            *the_call(stages, outcome.started_at, outcome.duration_ms),
        ),
    )


def _retry(number: int, outcome: ArchivedOutcome | None) -> AttemptLateness:
    if outcome is None:
        return AttemptLateness(number=number, due_at=None, started_at=None, spans=())
    call = the_call(UNKNOWN_STAGES, outcome.started_at, outcome.duration_ms)
    return AttemptLateness(number=number, due_at=None, started_at=outcome.started_at, spans=tuple(call))


def _stages(row: ArchiveRow) -> AttemptStages:
    durations = (row.queue_ms, row.wait_ms, row.claim_ms, row.ready_ms, row.connect_ms, row.head_ms)
    cause = cause_named(row.wait_cause) if row.wait_cause else None
    return AttemptStages(codes=bytes(map(code_of, durations)), cause=cause)
