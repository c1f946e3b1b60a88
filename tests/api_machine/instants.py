"""Instants as the API writes them, and those of a schedule, counted out by hand."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from typing import Any

MINUTE_MS = 60_000
MINUTES_AHEAD = {"UTC": 0, "Asia/Kolkata": 330, "Asia/Kathmandu": 345}
"""Zones that keep their distance from UTC all year round."""
LINES: dict[str, Callable[[int], bool]] = {
    "* * * * *": lambda minute: True,
    "*/5 * * * *": lambda minute: minute % 5 == 0,
    "0 * * * *": lambda minute: minute % 60 == 0,
    "@hourly": lambda minute: minute % 60 == 0,
    "15,45 1-5,22 * * *": lambda minute: minute % 60 in (15, 45) and minute // 60 in (1, 2, 3, 4, 5, 22),
}
"""Cron lines, and whether they fire in a minute of the local day."""
CALENDAR = "IR"
"""In Iran, Friday alone is the weekend; so the machine, which begins on a Wednesday, soon meets one."""
FRIDAY = 4
NOWRUZ = ("2025-03-19", "2025-03-20", "2025-03-21", "2025-03-22", "2025-03-23", "2025-03-24")


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


def is_excluded(local_minute: int) -> bool:
    """Whether the calendar excludes the day of a minute of local time."""
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(minutes=local_minute)
    return day.weekday() == FRIDAY or day.date().isoformat() in NOWRUZ


def in_full(schedule: Mapping[str, Any], now_ms: int) -> dict[str, Any]:
    """A schedule as the API keeps it, where it is asked for now."""
    match schedule:
        case {"delay_seconds": int(seconds)}:
            return {"at": instant(now_ms + seconds * 1000)}
        case {"at": str(text), "timezone": str(zone)}:
            return {"at": instant(milliseconds(f"{text}Z") - MINUTES_AHEAD[zone] * MINUTE_MS)}
        case {"rate_seconds": _}:
            return {"start_at": instant(now_ms // 1000 * 1000)} | dict(schedule)
        case {"cron": _}:
            return {"timezone": "UTC"} | dict(schedule)
    return dict(schedule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """When a job is due by its schedule, which is written in full."""

    schedule: Mapping[str, Any]

    @property
    def is_recurring(self) -> bool:
        """Whether it is due again and again."""
        return "at" not in self.schedule

    @property
    def due_at(self) -> int:
        """The one instant of a job that runs once."""
        return milliseconds(self.schedule["at"])

    def has(self, moment_ms: int) -> bool:
        """Whether it is due at a moment."""
        return next(self.after(moment_ms - 1), None) == moment_ms

    def between(self, after_ms: int, until_ms: int) -> list[int]:
        """The instants after a moment and up to another, one by one."""
        found = []
        for due_at in self.after(after_ms):
            if due_at > until_ms:
                break
            found.append(due_at)
        return found

    def after(self, moment_ms: int) -> Iterator[int]:
        """All instants after a moment."""
        match self.schedule:
            case {"rate_seconds": int(seconds), "start_at": str(start)}:
                first_at, step_ms = milliseconds(start), seconds * 1000
                steps = max(0, (moment_ms - first_at) // step_ms + 1)
                yield from count(first_at + steps * step_ms, step_ms)
            case {"cron": str(line), "timezone": str(zone)}:
                for minute in count(moment_ms // MINUTE_MS + 1):
                    local = minute + MINUTES_AHEAD[zone]
                    if LINES[line](local % 1440) and not ("calendar" in self.schedule and is_excluded(local)):
                        yield minute * MINUTE_MS
            case {"at": _}:
                yield from [self.due_at] if self.due_at > moment_ms else []
