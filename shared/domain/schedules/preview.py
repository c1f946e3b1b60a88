"""The next instants of a schedule as its owner reads them: local times with their offset from UTC."""

from dataclasses import dataclass
from typing import Final

from shared.domain.errors import InvalidValueError
from shared.domain.schedules.dst import local_text
from shared.domain.schedules.schedule import Cron, Schedule, first_after
from shared.domain.schedules.zones import load_zone, segment_at

MAX_UPCOMING: Final = 25
"""More are asked for from the last one on. The rarest lines cost more than a millisecond an instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upcoming:
    """A nominal instant; its local time such as `2025-03-09T03:00:00`, and the offset such as `-04:00`."""

    nominal_at: int
    local: str
    offset: str


def upcoming(schedule: Schedule, after_ms: int, count: int, timezone: str = "UTC") -> tuple[Upcoming, ...]:
    """The first `count` nominal instants strictly after the given one; fewer where the schedule ends.

    A cron line is shown in its own zone, the others in the one that is given. Raises InvalidValueError for a count
    that is not from 1 to MAX_UPCOMING, and ScheduleError (field `timezone`).
    """
    if not 1 <= count <= MAX_UPCOMING:
        raise InvalidValueError(f"count: must be from 1 to {MAX_UPCOMING}")
    zone_name = schedule.timezone if isinstance(schedule, Cron) else timezone
    found: list[Upcoming] = []
    instant = first_after(schedule, after_ms)
    while instant is not None and len(found) < count:
        found.append(show_instant(instant, zone_name))
        instant = first_after(schedule, instant) if len(found) < count else None
    return tuple(found)


def show_instant(instant_ms: int, timezone: str) -> Upcoming:
    """One instant as it is read in a zone."""
    offset_ms = segment_at(load_zone(timezone), instant_ms).offset_ms
    return Upcoming(
        nominal_at=instant_ms, local=local_text(instant_ms + offset_ms), offset=_offset_text(offset_ms)
    )


def _offset_text(offset_ms: int) -> str:
    minutes, seconds = divmod(abs(offset_ms) // 1000, 60)
    text = f"{'-' if offset_ms < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{seconds:02}" if seconds else text
