"""Instants as the API writes them, and those of a schedule, counted out by hand."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from typing import Any

MINUTE_MS = 60_000
MINUTES_AHEAD = {None: 0, "UTC": 0, "Asia/Kolkata": 330, "Asia/Kathmandu": 345}
"""Zones that keep their distance from UTC all year round."""
LINES: dict[str, Callable[[int], bool]] = {
    "* * * * *": lambda minute: True,
    "*/5 * * * *": lambda minute: minute % 5 == 0,
    "0 * * * *": lambda minute: minute % 60 == 0,
    "@hourly": lambda minute: minute % 60 == 0,
    "15,45 1-5,22 * * *": lambda minute: minute % 60 in (15, 45) and minute // 60 in (1, 2, 3, 4, 5, 22),
}
"""Cron lines, and whether they fire in a minute of the local day."""


def milliseconds(text: str) -> int:
    """An RFC 3339 instant."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def instant(at_ms: int) -> str:
    """The same, the other way round."""
    text = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def local_time(at_ms: int, zone: str) -> str:
    """What a clock in the zone shows, without an offset."""
    there = timezone(timedelta(minutes=MINUTES_AHEAD[zone]))
    return datetime.fromtimestamp(at_ms / 1000, there).replace(tzinfo=None).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """When a job is due, by the schedule of its document and the moment at which that was accepted."""

    schedule: Mapping[str, Any]
    accepted_at: int

    @property
    def is_recurring(self) -> bool:
        """Whether it is due again and again."""
        return "cron" in self.schedule or "rate_seconds" in self.schedule

    @property
    def due_at(self) -> int:
        """The one instant of a job that runs once."""
        return next(self._every())

    def up_to(self, until_ms: int) -> list[int]:
        """The instants up to a moment, one by one."""
        found = []
        for due_at in self._every():
            if due_at > until_ms:
                break
            found.append(due_at)
        return found

    def next_after(self, moment_ms: int) -> int | None:
        """The next instant; None where there is no more."""
        return next((due_at for due_at in self._every() if due_at > moment_ms), None)

    def _every(self) -> Iterator[int]:
        match self.schedule:
            case {"delay_seconds": int(seconds)}:
                yield self.accepted_at + seconds * 1000
            case {"at": str(text), "timezone": str(zone)}:
                yield milliseconds(f"{text}Z") - MINUTES_AHEAD[zone] * MINUTE_MS
            case {"at": str(text)}:
                yield milliseconds(text)
            case {"rate_seconds": int(seconds)}:
                yield from count(self.accepted_at // 1000 * 1000 + seconds * 1000, seconds * 1000)
            case {"cron": str(line)}:
                ahead = MINUTES_AHEAD[self.schedule.get("timezone")]
                for minute in count(self.accepted_at // MINUTE_MS + 1):
                    if LINES[line]((minute + ahead) % 1440):
                        yield minute * MINUTE_MS
