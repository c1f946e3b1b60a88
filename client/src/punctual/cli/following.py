"""Following executions (`punctual tail`): what is read next, and what is shown, without any input or output.

A run is shown once, when it has ended. Lists are ordered by due time, and a run may end long after it was due. So every
round reads the newest part of the list again, and reads older runs that have not ended one by one.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from punctual.cli.run_texts import last_moment
from punctual.models import Execution, ExecutionDetail, ExecutionPage

Run = Execution | ExecutionDetail
ENDED = frozenset({"succeeded", "failed", "cancelled", "skipped"})

LOOKBACK = timedelta(minutes=2)
"""Each round reads the list from this long before the end of the round before: a run that the index shows later than
that is not found."""
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS, GROWTH = 2.0, 10.0, 1.5
"""The waits between two rounds: they grow while there is nothing to show."""
FIRST_TROUBLE_SECONDS, LONGEST_TROUBLE_SECONDS = 5.0, 60.0
"""The waits after failures, which double."""
READS_OF_A_ROUND = 20
"""At most this many older runs are read in a round, those that were due for it first."""
LONGEST_LOOK, LONGEST_LOOK_AWAY = timedelta(minutes=1), timedelta(minutes=10)
"""A run that has not ended is read again after at most this time; the second is for a run that waits for its next
attempt, which may be cancelled meanwhile."""
_AGE_SHARE = 8
_TICK = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class ReadPage:
    """Read a page of the executions that are due in a range. The answer is an ExecutionPage."""

    since: datetime
    until: datetime
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ReadRun:
    """Read one execution. The answer is an ExecutionDetail; None if it does not exist any more."""

    id: str


@dataclass(frozen=True, slots=True)
class Show:
    """Show these executions, in this order. Nothing was shown if the answer is `Failed`."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """Let this time pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer to any step but `Wait` that could not be done now."""

    retry_after: float | None = None
    """Seconds after which it may succeed."""


Step = ReadPage | ReadRun | Show | Wait


class _BrokenOffError(Exception):
    def __init__(self, failed: Failed) -> None:
        self.failed = failed


@dataclass(frozen=True, slots=True)
class _Known:
    """A run that was read."""

    due_at: datetime
    shown: str | None
    """What was shown of it last."""
    look_at: datetime | None
    """When it is to be read again; None after its end."""


@dataclass(slots=True)
class Following:
    """Follows the executions that are due at `start` or later."""

    start: datetime
    now: Callable[[], datetime]
    with_attempts: bool = False
    """Whether a failed attempt that is tried again is shown as well."""
    _read_until: datetime | None = None
    _known: dict[str, _Known] = field(default_factory=dict)

    def steps(self) -> Generator[Step, Any, None]:
        """The steps to do, for ever. Each is sent its answer."""
        wait, trouble = FIRST_WAIT_SECONDS, FIRST_TROUBLE_SECONDS
        while True:
            began = self.now()
            try:
                has_shown = yield from self._round()
            except _BrokenOffError as error:
                yield Wait(max(trouble, error.failed.retry_after or 0))
                trouble = min(trouble * 2, LONGEST_TROUBLE_SECONDS)
                continue
            wait = FIRST_WAIT_SECONDS if has_shown else min(wait * GROWTH, LONGEST_WAIT_SECONDS)
            trouble = FIRST_TROUBLE_SECONDS
            # A round that takes long leaves as much time to others.
            yield Wait(max(wait, (self.now() - began).total_seconds()))

    def _round(self) -> Generator[Step, Any, bool]:
        until = _whole_ms(self.now())
        since = max(self.start, (self._read_until or self.start) - LOOKBACK)
        has_shown = False
        if until - since >= _TICK:
            listed = yield from self._window(since, until)
            has_shown = yield from self._take(listed, until)
            self._read_until = until
            self._forget(until - LOOKBACK)
        for run_id in self._to_look_at(since, until):
            looked = yield from self._look(run_id, until)
            has_shown = (yield from self._take(looked, until)) or has_shown
        return has_shown

    def _window(self, since: datetime, until: datetime) -> Generator[Step, Any, list[Run]]:
        found: list[Run] = []
        cursor = None
        while True:
            page: ExecutionPage = yield from _ask(ReadPage(since, until, cursor))
            found.extend(page.executions)
            if page.next_cursor is None:
                return found
            cursor = page.next_cursor

    def _look(self, run_id: str, until: datetime) -> Generator[Step, Any, list[Run]]:
        run: Run | None = yield from _ask(ReadRun(run_id))
        if run is not None and run.id == run_id:
            return [run]
        # The time of a one-off job was changed: its run has another id. Lists have it once it is due.
        del self._known[run_id]
        return [run] if run is not None and run.due_at < until else []

    def _take(self, runs: Iterable[Run], now: datetime) -> Generator[Step, Any, bool]:
        """Show what is new, and only then remember that it was shown."""
        latest = {run.id: run for run in runs}
        fresh = [run for run in latest.values() if self._is_new(run)]
        if fresh:
            yield from _ask(Show(tuple(sorted(fresh, key=last_moment))))
        for run in latest.values():
            known = self._known.get(run.id)
            shown = self._worth(run) or (known.shown if known else None)
            self._known[run.id] = _Known(
                run.due_at, shown, None if run.state in ENDED else _look_at(run, now)
            )
        return bool(fresh)

    def _is_new(self, run: Run) -> bool:
        known, worth = self._known.get(run.id), self._worth(run)
        return worth is not None and (known is None or known.shown != worth)

    def _worth(self, run: Run) -> str | None:
        """What there is to show of a run: its end, or the attempt after which it waits for another."""
        if run.state in ENDED:
            return "end"
        return f"attempt {run.attempts_begun}" if self.with_attempts and run.state == "waiting" else None

    def _to_look_at(self, since: datetime, now: datetime) -> list[str]:
        """The open runs that the list does not show any more, and that are due to be read."""
        due = sorted(
            (known.look_at, run_id)
            for run_id, known in self._known.items()
            if known.look_at is not None and known.due_at < since and known.look_at <= now
        )
        return [run_id for _, run_id in due[:READS_OF_A_ROUND]]

    def _forget(self, before: datetime) -> None:
        """Drop the ended runs that no list of a later round shows."""
        self._known = {
            run_id: known
            for run_id, known in self._known.items()
            if known.look_at is not None or known.due_at >= before
        }


def _look_at(run: Run, now: datetime) -> datetime:
    """A run that waits is read when its next attempt is due; others the less often the older they are."""
    pause = max(timedelta(seconds=LONGEST_WAIT_SECONDS), min((now - run.due_at) / _AGE_SHARE, LONGEST_LOOK))
    attempt_at = min(run.next_attempt_at or now, now + LONGEST_LOOK_AWAY)
    return max(now + pause, attempt_at)


def _whole_ms(instant: datetime) -> datetime:
    """The instant as requests name it."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def _ask(step: Step) -> Generator[Step, Any, Any]:
    answer = yield step
    if isinstance(answer, Failed):
        raise _BrokenOffError(answer)
    return answer
