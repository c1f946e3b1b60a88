"""Recurring schedules as the oracle sees them: counted out by minutes or seconds, with no code of the product."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

MINUTE_MS = 60_000
Minutes = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """Either every so many seconds from the second of the request on, or on the minutes that a cron line means."""

    every_seconds: int | None = None
    line: str = ""
    zone: str = ""
    offset_minutes: int = 0
    """What the zone's clocks show beyond UTC, in the winter in which simulations take place."""
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
            if self.fires(local // 60 % 24, local % 60):
                yield instant
            instant += MINUTE_MS


def every(seconds: int) -> Rhythm:
    """A fixed rate."""
    return Rhythm(every_seconds=seconds)


def _cron(line: str, zone: str, offset_minutes: int, fires: Minutes) -> Rhythm:
    return Rhythm(line=line, zone=zone, offset_minutes=offset_minutes, fires=fires)


CRONS = (
    _cron("* * * * *", "Europe/Berlin", 60, lambda _hour, _minute: True),
    _cron("*/2 * * * *", "Asia/Kathmandu", 345, lambda _hour, minute: minute % 2 == 0),
    _cron("1-59/3 * * * *", "America/New_York", -300, lambda _hour, minute: minute % 3 == 1),
    _cron("9,12,17 8-9 * * *", "UTC", 0, lambda hour, minute: hour in (8, 9) and minute in (9, 12, 17)),
)
"""Lines with their meaning written out by hand."""
