"""The small model: what the API has promised of each job, computed from its documents and not by the product."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

MINUTE_MS = 60_000
KOLKATA_MS = 330 * MINUTE_MS
"""Asia/Kolkata is so far ahead of UTC, all year round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """How the receiver answers the attempts of an execution: HTTP statuses, the last one for all that follow."""

    statuses: tuple[int, ...]
    retry_after_seconds: int | None = None

    def to(self, attempt: int) -> int:
        """The answer to an attempt; 0 stands for no answer at all."""
        return self.statuses[min(attempt, len(self.statuses)) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that the receiver got."""

    execution_id: str
    attempt: int
    scheduled_at: int
    began_at: int
    status: int


@dataclass(slots=True, kw_only=True)
class PromisedJob:
    """A job that was acknowledged, and everything that the receiver has seen of it."""

    id: str
    tenant: str
    document: dict[str, Any]
    key: str | None
    behaviour: Behaviour
    created_at: int
    calls: list[Call] = field(default_factory=list)
    ended_at: int | None = None
    """When its cancellation or deletion was acknowledged."""
    stopped_at: int | None = None
    """When it was acknowledged that the running attempt is the last."""

    @property
    def url(self) -> str:
        """What it calls; no two jobs call the same."""
        return str(self.document["request"]["url"])

    @property
    def schedule(self) -> dict[str, Any]:
        """As it was asked for."""
        return dict(self.document["schedule"])

    @property
    def is_recurring(self) -> bool:
        """Whether it runs again and again."""
        return "cron" in self.schedule or "rate_seconds" in self.schedule

    @property
    def max_attempts(self) -> int:
        """Of each execution."""
        return int(self.document["retry"]["max_attempts"])

    @property
    def due_at(self) -> int:
        """When a one-off job is due."""
        if "delay_seconds" in self.schedule:
            return self.created_at + self.schedule["delay_seconds"] * 1000
        return milliseconds(self.schedule["at"])

    def instants(self, until_ms: int) -> list[int]:
        """The instants up to a moment, counted out one by one."""
        if not self.is_recurring:
            return [self.due_at]
        found = []
        for instant in self._every():
            if instant > until_ms:
                break
            found.append(instant)
        return found

    def next_after(self, now_ms: int) -> int:
        """The next instant of a recurring job."""
        return next(instant for instant in self._every() if instant > now_ms)

    def _every(self) -> Iterator[int]:
        if "rate_seconds" in self.schedule:
            step_ms = self.schedule["rate_seconds"] * 1000
            yield from count(self.created_at // 1000 * 1000 + step_ms, step_ms)
        every = {"* * * * *": 1, "*/5 * * * *": 5, "0 * * * *": 60}[self.schedule["cron"]]
        shift_ms = KOLKATA_MS if self.schedule.get("timezone") == "Asia/Kolkata" else 0
        for minute in count(self.created_at // MINUTE_MS + 1):
            if (minute + shift_ms // MINUTE_MS) % every == 0:
                yield minute * MINUTE_MS

    def is_over(self, calls: list[Call]) -> bool:
        """Whether an execution that got these calls has its outcome."""
        if not calls:
            return False
        last = calls[-1]
        is_stopped = self.stopped_at is not None or (self.is_recurring and self.ended_at is not None)
        return last.status in (200, 410) or last.attempt >= self.max_attempts or is_stopped

    def calls_of(self, scheduled_at: int) -> list[Call]:
        """What the receiver got for one instant."""
        return [call for call in self.calls if call.scheduled_at == scheduled_at]


def milliseconds(text: str) -> int:
    """An RFC 3339 instant."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def instant(at_ms: int) -> str:
    """The same, the other way round."""
    text = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
