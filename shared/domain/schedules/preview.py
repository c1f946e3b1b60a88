"""Lists the next instants of a schedule as local times with their UTC offset."""

from typing import Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.schedules.dst import local_text
from shared.domain.schedules.schedule import Cron, Schedule, first_after
from shared.domain.schedules.zones import load_zone, segment_at

MAX_UPCOMING: Final = 25
"""Maximum per call; callers page from the last instant. A rare line costs over a millisecond per instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upcoming:
    """A nominal instant, its local time such as `2025-03-09T03:00:00`, and its offset such as `-04:00`."""

    nominal_at: int
    local: str
    offset: str


def upcoming(schedule: Schedule, after_ms: int, count: int, timezone: str = "UTC") -> tuple[Upcoming, ...]:
    """Return the first `count` nominal instants strictly after `after_ms`, or fewer if the schedule ends.

    A cron schedule uses its own zone; other schedules use `timezone`. Raises InvalidValueError for a count
    outside 1 to MAX_UPCOMING, and ScheduleError (field `timezone`) for an unknown zone.
    """
    if not 1 <= count <= MAX_UPCOMING:
        raise InvalidValueError(f"count: must be from 1 to {MAX_UPCOMING}")
    zone_name = schedule.timezone if isinstance(schedule, Cron) else timezone
    instants: list[Upcoming] = []
    instant = first_after(schedule, after_ms)
    while instant is not None and len(instants) < count:
        instants.append(show_instant(instant, zone_name))
        instant = first_after(schedule, instant) if len(instants) < count else None
    return tuple(instants)


def show_instant(instant_ms: int, timezone: str) -> Upcoming:
    """Convert one instant to the local time of a zone."""
    offset_ms = segment_at(load_zone(timezone), instant_ms).offset_ms
    return Upcoming(
        nominal_at=instant_ms, local=local_text(instant_ms + offset_ms), offset=_offset_text(offset_ms)
    )


def _offset_text(offset_ms: int) -> str:
    minutes, seconds = divmod(abs(offset_ms) // 1000, 60)
    text = f"{'-' if offset_ms < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{seconds:02}" if seconds else text
