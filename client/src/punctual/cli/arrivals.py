"""The calls that `punctual listen` shows: a line for each, or a JSON object in a line."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from punctual.cli.output import Format, instant_text
from punctual.cli.session import Session
from punctual.cli.texts import escaped, escaped_json
from punctual.cli.verdicts import problems_of
from punctual.hooks.arrival import Arrival, Outcome, Source

MAX_TEXT = 128
"""Longer texts of a call are cut, but not in JSON."""
_VERDICTS = {None: "signature not checked", True: "signature ok", False: "signature WRONG"}
_NAMES = {
    Source.RECEIVER: "the receiver",
    Source.INJECTED: "--fail",
    Source.LISTENER: "punctual listen, as the receiver gave no answer",
}
_BY = {Source.RECEIVER: "", Source.INJECTED: " by --fail", Source.LISTENER: " by punctual listen"}


class Shown:
    """Shows calls, and counts them. `enough` is called after so many, and if they cannot be shown any more."""

    def __init__(self, session: Session, calls: int | None, enough: Callable[[], None]) -> None:
        self._session = session
        self._calls = calls
        self._enough = enough
        self._count: Counter[Source] = Counter()
        self._forged = 0
        self._error: OSError | None = None

    def add(self, arrival: Arrival, outcome: Outcome) -> None:
        """Show a call, once it is answered."""
        self._count[outcome.source] += 1
        self._forged += arrival.is_genuine is False
        try:
            self._write(arrival, outcome)
        except OSError as error:
            self._error = error
        if self._error is not None or self._count.total() == self._calls:
            self._enough()

    def check(self) -> None:
        """Raise the error that standard output had, such as BrokenPipeError."""
        if self._error is not None:
            raise self._error

    @property
    def totals(self) -> str:
        by = ", ".join(f"{count} answered by {_NAMES[source]}" for source, count in self._count.items())
        forged = f"; {self._forged} with a wrong signature" if self._forged else ""
        return f"{self._count.total()} calls{': ' if by else ''}{by}{forged}"

    def _write(self, arrival: Arrival, outcome: Outcome) -> None:
        stream = self._session.around.stdout
        if self._session.format is Format.JSON:
            stream.write(escaped_json(json.dumps(document(arrival, outcome), ensure_ascii=False)) + "\n")
        else:
            zone = self._session.around.zone
            for line in lines_of(arrival, outcome, arrival.arrived_at.astimezone(zone)):
                stream.write(line + "\n")
        stream.flush()


def lines_of(arrival: Arrival, outcome: Outcome, local: datetime) -> Iterator[str]:
    """The call in a line, and in further lines what is wrong with it or its answer."""
    lag = None if arrival.lag_ms is None else f"lag {arrival.lag_ms:.0f} ms"
    attempt = None if arrival.attempt is None else f"attempt {arrival.attempt}"
    parts = [
        f"{local:%H:%M:%S}.{local.microsecond // 1000:03}",
        arrival.call_id,
        arrival.job_id,
        attempt,
        lag,
        _VERDICTS[arrival.is_genuine],
        f"{arrival.method} {arrival.path}",
        f"{outcome.status} in {outcome.seconds * 1000:.0f} ms{_BY[outcome.source]}",
    ]
    yield "  ".join(_cut(part) for part in parts if part)
    for problem in arrival.problems or ():
        yield f"    {escaped(problem.part)}: {escaped(problem.detail)}"
    if outcome.detail:
        yield f"    {escaped(outcome.detail)}"


def document(arrival: Arrival, outcome: Outcome) -> dict[str, Any]:
    """The call for programs."""
    problems = arrival.problems
    return {
        "at": instant_text(arrival.arrived_at),
        "method": arrival.method,
        "path": arrival.path,
        "call_id": arrival.call_id,
        "job_id": arrival.job_id,
        "attempt": arrival.attempt,
        "lag_ms": None if arrival.lag_ms is None else round(arrival.lag_ms, 1),
        "genuine": arrival.is_genuine,
        "problems": None if problems is None else problems_of(problems),
        "status": outcome.status,
        "duration_ms": round(outcome.seconds * 1000, 1),
        "answered_by": outcome.source.value,
        "detail": outcome.detail,
    }


def _cut(text: str) -> str:
    shown = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
    return escaped(shown)
