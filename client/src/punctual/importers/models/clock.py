"""The clock of a time zone: its offsets over a span of time, and the instants at which it shows a local time.

Local times are counted like instants, in seconds since 1970 as if they were UTC ("wall seconds").
"""

from bisect import bisect_right
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAY: Final = 86_400
_SAMPLE: Final = DAY
_SPARE: Final = 45 * DAY
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_LAST = 250_000_000_000
"""Seconds; a date of the year 9892, so that no addition leaves the range of `datetime`."""


class UnknownZoneError(ValueError):
    """The text names no time zone of this machine's tables."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The instants in [start, end), in which local time is UTC plus `offset` seconds."""

    start: int
    end: int
    offset: int


@dataclass(frozen=True, slots=True)
class ZoneClock:
    """A zone from some weeks before `start` to some weeks after `end`. Beyond, the last offset goes on."""

    name: str
    segments: tuple[Segment, ...]
    starts: tuple[int, ...]

    def offset_at(self, instant: int) -> int:
        """Return the offset from UTC in seconds."""
        return self.segment_at(instant).offset

    def segment_at(self, instant: int) -> Segment:
        """Return the span of constant offset that holds the instant."""
        return self.segments[max(0, bisect_right(self.starts, instant) - 1)]

    def instants_of(self, wall: int) -> list[int]:
        """Return the instants at which the clock shows the local time: none in a gap, two in an overlap."""
        shown = (wall - segment.offset for segment in self.segments)
        return [
            instant
            for instant, segment in zip(shown, self.segments, strict=True)
            if segment.start <= instant < segment.end
        ]

    def changes(self, start: int, end: int) -> list[int]:
        """Return the instants in [start, end] at which the offset changes."""
        return [each.start for each in self.segments[1:] if start <= each.start <= end]

    def show(self, instant: int) -> str:
        """Return the local time with its offset, such as `2026-03-29 03:00:00 +02:00`."""
        offset = self.offset_at(instant)
        minutes, seconds = divmod(abs(offset), 60)
        text = f"{'-' if offset < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
        wall = (_EPOCH + timedelta(seconds=instant + offset)).replace(tzinfo=None)
        return f"{wall.isoformat(sep=' ')} {text}{f':{seconds:02}' if seconds else ''}"


@lru_cache(maxsize=256)
def zone_clock(name: str, start: int, end: int) -> ZoneClock:
    """Return the clock of an IANA zone. Raises UnknownZoneError."""
    zone = _load(name)
    low, high = start - _SPARE, min(end + _SPARE, _LAST)
    segments: list[Segment] = []
    begin, offset = low, _offset(zone, low)
    for sample in range(low + _SAMPLE, high + _SAMPLE, _SAMPLE):
        if _offset(zone, sample) != offset:
            change = _change(zone, sample - _SAMPLE, sample)
            segments.append(Segment(begin, change, offset))
            begin, offset = change, _offset(zone, change)
    segments.append(Segment(begin, _LAST, offset))
    segments[0] = replace(segments[0], start=0)
    return ZoneClock(name, tuple(segments), tuple(each.start for each in segments))


def check_zone(name: str) -> str:
    """Return the name of a known zone. Raises UnknownZoneError."""
    _load(name)
    return name


def day_of(wall: int) -> date:
    """Return the date of a local time."""
    return date.fromordinal(wall // DAY + _EPOCH_ORDINAL)


def midnight(day: date) -> int:
    """Return the wall second at which the date begins."""
    return (day.toordinal() - _EPOCH_ORDINAL) * DAY


def _load(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UnknownZoneError(
            f"unknown time zone {name[:64]!r}: a name such as Europe/Berlin is needed"
        ) from None


def _offset(zone: ZoneInfo, instant: int) -> int:
    offset = (_EPOCH + timedelta(seconds=instant)).astimezone(zone).utcoffset()
    assert offset is not None
    return offset // timedelta(seconds=1)


def _change(zone: ZoneInfo, before: int, after: int) -> int:
    """Return the first instant of the new offset, which lies in (before, after]."""
    old = _offset(zone, before)
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(zone, middle) == old:
            before = middle
        else:
            after = middle
    return after
