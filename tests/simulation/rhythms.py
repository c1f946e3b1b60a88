"""Recurring schedules as the oracle sees them: counted out by minutes or seconds, with no code of the product."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

MINUTE_MS = 60_000
AHEAD_MS = 600_000
DAY_AHEAD_MS = 26 * 60 * MINUTE_MS
Minutes = Callable[[int, int], bool]
"""Whether a line fires: the number of the hour since 1970, and the minute of the hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """Either every so many seconds from the second of the request on, or on the minutes that a cron line means."""

    every_seconds: int | None = None
    line: str = ""
    zone: str = ""
    offset_minutes: int = 0
    """What is added to UTC before the line's minutes are looked up."""
    fires: Minutes = lambda _hour, _minute: False

    def is_same_line(self, other: "Rhythm") -> bool:
        """Whether both are one cron line: to ask for it anew changes nothing, while a rate begins anew."""
        return self.every_seconds is None and (self.line, self.zone) == (other.line, other.zone)

    def instants(self, created_at: int, until_ms: int) -> Iterator[int]:
        """Each instant after the creation and not after `until_ms`, one by one."""
        if self.every_seconds is not None:
            instant = created_at - created_at % 1000 + self.every_seconds * 1000
            while instant <= until_ms:
                yield instant
                instant += self.every_seconds * 1000
            return
        instant = created_at - created_at % MINUTE_MS + MINUTE_MS
        while instant <= until_ms:
            local = instant // MINUTE_MS + self.offset_minutes
            if self.fires(local // 60, local % 60):
                yield instant
            instant += MINUTE_MS

    @property
    def ahead_ms(self) -> int:
        """How far ahead of a deletion its tombstone may be: on the next instant, which may be tomorrow's."""
        return AHEAD_MS if self.every_seconds is not None else DAY_AHEAD_MS


def every(seconds: int) -> Rhythm:
    """A fixed rate."""
    return Rhythm(every_seconds=seconds)


def cron(line: str, zone: str, fires: Minutes, *, offset_minutes: int = 0) -> Rhythm:
    """A cron line, and the minutes in which it fires, in UTC or with an offset of its own."""
    return Rhythm(line=line, zone=zone, offset_minutes=offset_minutes, fires=fires)


CRONS = (
    cron("* * * * *", "Europe/Berlin", lambda _hour, _minute: True, offset_minutes=60),
    cron("*/2 * * * *", "Asia/Kathmandu", lambda _hour, minute: minute % 2 == 0, offset_minutes=345),
    cron("1-59/3 * * * *", "America/New_York", lambda _hour, minute: minute % 3 == 1, offset_minutes=-300),
    cron("9,12,17 8-9 * * *", "UTC", lambda hour, minute: hour % 24 in (8, 9) and minute in (9, 12, 17)),
)
"""Lines with their meaning on a winter day, written out by hand."""
