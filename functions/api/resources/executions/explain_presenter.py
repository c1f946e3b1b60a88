"""The explanation of an execution: its stages, the longest of them, and a summary in words."""

from functions.api.models import instant_out
from functions.api.resources.executions import sentences
from functions.api.resources.executions.explain_models import (
    AttemptStagesOut,
    ExplanationOut,
    LongestOut,
    SpanOut,
)
from functions.api.resources.executions.presenter import wait_out
from shared.dataclass import dataclass
from shared.domain.archive.row import ArchivedRange, ArchiveRow, missed_range
from shared.domain.archive.row_lateness import row_lateness
from shared.domain.delivery.call_kind import CallKind
from shared.domain.dispatch.wait_hint import WaitHint, is_due_and_unstarted
from shared.domain.executions.execution import Execution
from shared.domain.executions.lateness import AttemptLateness, TimedStage, lateness
from shared.domain.executions.stages import Stage, WaitCause
from shared.domain.executions.states import State
from shared.domain.schedules.schedule import format_instant

ON_TIME_MS = 1_000
"""A call that began this much after its due time, or less, was not late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What is explained of an execution: of its record, or of its row in the archive."""

    id: str
    job_id: str
    state: State
    end_reason: str | None
    """The word of the API. A row of a later release may have one that this release does not know."""
    due_at: int
    attempts: tuple[AttemptLateness, ...]
    next_attempt_at: int | None = None
    """When the next attempt begins, of an execution that waits for one."""
    overdue_ms: int | None = None
    """For how long an execution has been due, if its call has not begun."""
    is_accepted: bool = False
    """Whether the receiver has accepted the call, and its work goes on."""
    run_outcome: str | None = None
    """What the run has come to, in words."""
    is_postponed: bool = False
    """Whether further events postpone its first attempt."""
    missed: ArchivedRange | None = None
    """The instants of a schedule for which one skipped execution stands."""


def explained_record(execution: Execution, now_ms: int) -> Explained:
    """An execution with a record."""
    is_waiting = execution.state is State.WAITING
    return Explained(
        id=str(execution.id),
        job_id=execution.job_id,
        state=execution.state,
        end_reason=execution.progress.end_reason,
        due_at=execution.due_at,
        attempts=lateness(execution),
        next_attempt_at=execution.not_before if is_waiting else None,
        overdue_ms=now_ms - execution.not_before if is_due_and_unstarted(execution, now_ms) else None,
        is_accepted=execution.progress.async_until is not None,
        missed=missed_range(execution),
        is_postponed=execution.is_postponable,
        run_outcome=_run_outcome(execution),
    )


def _run_outcome(execution: Execution) -> str | None:
    """What an execution that starts a workflow has come to; None for any other, and before its run begins."""
    if execution.call.kind is not CallKind.WORKFLOW:
        return None
    if execution.progress.async_until is not None:
        return sentences.RUN_OPEN
    if execution.state is State.SUCCEEDED:
        return sentences.RUN_SUCCEEDED
    outcomes = execution.progress.outcomes
    return sentences.RUN_OUTCOMES.get(outcomes[-1].reason) if outcomes else None


def explained_row(row: ArchiveRow) -> Explained:
    """An execution that only the archive has."""
    return Explained(
        id=row.id,
        job_id=row.job_id,
        state=State(row.state),
        end_reason=row.end_reason,
        due_at=row.first_due_at,
        attempts=row_lateness(row),
        missed=row.missed,
    )


def explanation_out(
    asked_id: str, explained: Explained, name: str | None, hint: WaitHint | None
) -> ExplanationOut:
    """`asked_id` is the id of the request: a job that was moved has another execution now. `name` is its job's."""
    overdue_ms = explained.overdue_ms
    longest = _so_far_out(overdue_ms, hint) if overdue_ms is not None else _first_longest(explained.attempts)
    return ExplanationOut(
        id=explained.id,
        job_id=explained.job_id,
        name=name,
        state=explained.state.value,
        end_reason=explained.end_reason,
        due_at=format_instant(explained.due_at),
        lag_ms=explained.attempts[0].lag_ms if explained.attempts else None,
        summary=" ".join(_summary(asked_id, explained, longest)),
        longest=longest,
        waiting_for=wait_out(hint),
        attempts=[_attempt_out(attempt) for attempt in explained.attempts],
    )


def _summary(asked_id: str, explained: Explained, longest: LongestOut | None) -> list[str]:
    overdue_ms, next_at = explained.overdue_ms, explained.next_attempt_at
    said = [sentences.MOVED_HERE] if asked_id != explained.id else []
    if overdue_ms is not None and next_at is None:
        said.append(sentences.OVERDUE)
    elif explained.run_outcome is not None:
        said.append(explained.run_outcome)
    elif explained.is_accepted:
        said.append(sentences.ASYNC_ACCEPTED)
    elif explained.is_postponed:
        said.append(sentences.POSTPONED)
    else:
        said.append(sentences.STATES[explained.state])
    reason = sentences.END_REASONS.get(explained.end_reason or "")
    if reason and explained.run_outcome is None:
        said.append(reason)
    if explained.missed is not None:
        said.append(_missed(explained.missed))
    if overdue_ms is not None:
        said.append(f"It has been due for {sentences.duration_text(overdue_ms)}.")
    elif next_at is not None:
        said.append(f"The next attempt begins at {format_instant(next_at)}.")
    if explained.attempts:
        said.append(_first_call(explained.attempts[0]))
    if longest is not None and (overdue_ms is not None or longest.duration_ms > ON_TIME_MS):
        said.append(f"The longest stage: {longest.text}.")
    return said


def _missed(missed: ArchivedRange) -> str:
    first, last = format_instant(missed.first_at), format_instant(missed.last_at)
    if missed.count == 1:
        return f"It stands for the instant {first}."
    return f"It stands for {missed.count} instants, from {first} to {last}."


def _first_call(attempt: AttemptLateness) -> str:
    lag_ms = attempt.lag_ms
    if lag_ms is None:
        return "How late its first call began is not known."
    if lag_ms <= ON_TIME_MS:
        return f"Its first call began in time, {lag_ms} ms after its due time."
    return f"Its first call began {sentences.duration_text(lag_ms)} after its due time."


def _attempt_out(attempt: AttemptLateness) -> AttemptStagesOut:
    return AttemptStagesOut(
        number=attempt.number,
        due_at=instant_out(attempt.due_at),
        started_at=instant_out(attempt.started_at),
        lag_ms=attempt.lag_ms,
        longest=_longest_out(attempt.longest),
        stages=[_span_out(span) for span in attempt.spans],
    )


def _span_out(span: TimedStage) -> SpanOut:
    precision = "exact" if span.is_exact else "about"
    return SpanOut(
        stage=span.stage.value,
        cause=span.cause.word if span.cause else None,
        text=_words(span.stage, span.cause),
        began_at=instant_out(span.began_at),
        ended_at=instant_out(span.ended_at),
        duration_ms=span.duration_ms,
        precision="unknown" if span.duration_ms is None else precision,
    )


def _first_longest(attempts: tuple[AttemptLateness, ...]) -> LongestOut | None:
    return _longest_out(attempts[0].longest) if attempts else None


def _longest_out(span: TimedStage | None) -> LongestOut | None:
    if span is None or span.duration_ms is None:
        return None
    return _named(span.stage, span.cause, span.duration_ms, "")


def _so_far_out(overdue_ms: int, hint: WaitHint | None) -> LongestOut | None:
    """The wait of an execution that is due, up to now; None where its reason is not known."""
    return _named(Stage.WAIT, WaitCause[hint.reason.name], overdue_ms, " so far") if hint else None


def _named(stage: Stage, cause: WaitCause | None, duration_ms: int, until: str) -> LongestOut:
    return LongestOut(
        stage=stage.value,
        cause=cause.word if cause else None,
        duration_ms=duration_ms,
        text=f"{sentences.duration_text(duration_ms)}{until}: {_words(stage, cause)}",
    )


def _words(stage: Stage, cause: WaitCause | None) -> str:
    return sentences.CAUSES[cause] if cause else sentences.STAGES[stage]
