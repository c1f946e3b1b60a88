"""Executions as columns and lines of text. The texts can have control characters: the output escapes them."""

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Protocol

from punctual.cli.durations import duration
from punctual.cli.output import Column
from punctual.cli.texts import local

if TYPE_CHECKING:
    from punctual.models import Attempt, AttemptStages, ExecutionDetail, Explanation, Span

BAR_WIDTH = 20
"""The bar of the longest stage of an attempt, in characters."""
_STATE_WIDTH = len("succeeded")


class Run(Protocol):
    """What all objects of the API that show an execution have."""

    @property
    def id(self) -> str: ...
    @property
    def job_id(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def state(self) -> str: ...
    @property
    def due_at(self) -> datetime: ...
    @property
    def lag_ms(self) -> int | None: ...
    @property
    def end_reason(self) -> str | None: ...
    @property
    def attempts(self) -> "tuple[Attempt, ...]": ...
    @property
    def attempts_begun(self) -> int: ...


def job_of(run: Run) -> str:
    """The name of the job, or else its id."""
    return run.name or run.job_id


def outcome(run: Run) -> str:
    """Why a run ended, and how its last attempt ended, such as `attempts_used_up: http_status 503`."""
    return outcome_of(run.end_reason, run.attempts)


def outcome_of(end_reason: str | None, attempts: "tuple[Attempt, ...]") -> str:
    last = attempt_outcome(attempts[-1]) if attempts else ""
    return ": ".join(filter(None, (end_reason, last)))


def attempt_outcome(attempt: "Attempt") -> str:
    """Such as `200`, `http_status 503` or `timeout`."""
    reason = "" if attempt.reason == "ok" else attempt.reason
    return " ".join(filter(None, (reason, str(attempt.status or ""))))


def last_moment(run: Run) -> datetime:
    """When the last recorded attempt ended; for a run without one, when it was due."""
    if not run.attempts:
        return run.due_at
    last = run.attempts[-1]
    return last.started_at + timedelta(milliseconds=last.duration_ms)


RUN_COLUMNS = (
    Column("run", lambda run: run.id),
    Column("job", job_of),
    Column("state", lambda run: run.state),
    Column("due", lambda run: run.due_at),
    Column("lag ms", lambda run: run.lag_ms),
    Column("attempts", lambda run: run.attempts_begun),
    Column("outcome", outcome, folds=True),
)


def line_of(run: Run, zone: tzinfo | None) -> str:
    """One line of a log: when the run ended, how, and which it is."""
    parts = (
        local(last_moment(run), zone),
        f"{run.state:<{_STATE_WIDTH}}",
        job_of(run),
        run.id,
        "" if run.lag_ms is None else f"lag {duration(run.lag_ms)}",
        outcome(run),
    )
    return "  ".join(filter(None, parts))


def timeline(run: "ExecutionDetail", explanation: "Explanation", zone: tzinfo | None) -> Iterator[str]:
    """A run as lines: what it is, its attempts, and the stages of its first and its latest attempt."""
    yield from _facts(run, zone)
    yield ""
    yield explanation.summary
    for attempt in run.attempts:
        yield ""
        yield _attempt_line(attempt, zone)
        for stages in explanation.attempts:
            if stages.number == attempt.number:
                yield from _stage_lines(stages)
    for stages in explanation.attempts:
        if all(stages.number != attempt.number for attempt in run.attempts):
            yield ""
            yield f"attempt {stages.number}"
            yield from _stage_lines(stages)
    if run.last_response_body:
        yield ""
        yield f"last response: {run.last_response_body}"


def _facts(run: "ExecutionDetail", zone: tzinfo | None) -> Iterator[str]:
    notification = run.notification
    missed = run.missed
    event = getattr(run, "event", None)
    facts = (
        ("run", run.id),
        ("job", f"{run.job_id}  {run.name}" if run.name else run.job_id),
        ("state", run.state),
        ("reason", run.end_reason),
        ("scheduled", local(run.scheduled_at, zone)),
        ("due", local(run.due_at, zone)),
        ("lag", duration(run.lag_ms)),
        ("next attempt", local(run.next_attempt_at, zone) if run.next_attempt_at else None),
        ("backfill of", run.backfill_of),
        ("redrive of", run.redrive_of),
        ("redriven by", run.redriven_by),
        ("notification", notification.id if notification else None),
        ("notifies of", run.notification_of),
        ("trigger", event.trigger if event else None),
        ("event", f"{event.id} of {event.source}" if event else None),
        ("missed", _missed(missed.count, missed.first_at, missed.last_at, zone) if missed else None),
        ("archived", "yes" if run.archived else None),
    )
    for name, value in facts:
        if value:
            yield f"{name:<12}  {value}"


def _missed(count: int, first: datetime, last: datetime, zone: tzinfo | None) -> str:
    return f"{count} instants, {local(first, zone)} to {local(last, zone)}"


def _attempt_line(attempt: "Attempt", zone: tzinfo | None) -> str:
    took, how = duration(attempt.duration_ms), attempt_outcome(attempt)
    return f"attempt {attempt.number}  {local(attempt.started_at, zone)}  {took}  {how}".rstrip()


def _stage_lines(attempt: "AttemptStages") -> Iterator[str]:
    """A line for each stage: its begin, counted from the due time, its duration, and a bar for it."""
    longest = max((span.duration_ms or 0 for span in attempt.stages), default=0)
    for span in attempt.stages:
        begin = _begin(span, attempt.due_at)
        took = f"{'~' if span.precision == 'about' else ''}{duration(span.duration_ms) or 'unknown'}"
        bar = _bar(span.duration_ms or 0, longest)
        yield f"  {span.stage:<8}  {begin:>9}  {took:>9}  {bar:<{BAR_WIDTH}}  {span.cause or ''}".rstrip()


def _begin(span: "Span", due_at: datetime | None) -> str:
    if span.began_at is None or due_at is None:
        return ""
    ms = round((span.began_at - due_at) / timedelta(milliseconds=1))
    return duration(ms) if ms < 0 else f"+{duration(ms)}"


def _bar(ms: int, longest: int) -> str:
    if ms <= 0:
        return ""
    return "█" * max(1, round(BAR_WIDTH * ms / longest))
