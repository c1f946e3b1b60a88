"""Loads time zones from the pinned PyPI `tzdata` only, and splits them into segments of constant UTC offset.

Importing this module clears zoneinfo's search path for the whole process. The operating system's tables are
often older than the pinned release, and two functions that disagree on an offset would file one execution at
two instants.
"""

from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, available_timezones, reset_tzpath

from shared.domain.errors import ScheduleError

reset_tzpath(())
# Without this, zones loaded earlier from the system's tables would stay in the cache.
ZoneInfo.clear_cache()

# Read from the package itself, because a Lambda bundle may lack distribution metadata.
TZDATA_VERSION: Final[str] = str(import_module("tzdata").IANA_VERSION)
"""The IANA release of all offsets, such as `2026f`."""

REACH_MS: Final = 16 * 86_400_000
"""A segment end that is not a transition lies at least this far from the requested instant."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Since 1970 no zone has had two transitions less than six days apart, so samples every four days find all.
_SAMPLE_MS = 4 * 86_400_000
_BLOCK_MS = 91 * _SAMPLE_MS


class Segment(NamedTuple):
    """The instants in [start_ms, end_ms), in which local time is UTC plus `offset_ms`."""

    start_ms: int
    end_ms: int
    offset_ms: int


@lru_cache(maxsize=1)
def _known_names() -> frozenset[str]:
    # "Factory" is a placeholder for a machine whose zone was never set.
    return frozenset(available_timezones() - {"Factory"})


@lru_cache(maxsize=1024)
def load_zone(name: str) -> ZoneInfo:
    """Load the zone of an exact, case-sensitive IANA name.

    Raises ScheduleError (field `timezone`) for any other text. Only listed names reach the file system, so a
    path cannot.
    """
    if name not in _known_names():
        raise ScheduleError(
            f"unknown time zone {name[:64]!a}: an IANA name such as Europe/Berlin is needed", field="timezone"
        )
    return ZoneInfo(name)


def segment_at(zone: ZoneInfo, instant_ms: int) -> Segment:
    """Return the segment that contains the instant (UTC, milliseconds), from 1970 to 9990.

    Each end is a transition of the zone, or lies at least REACH_MS from the instant.
    """
    segments = _segments_of_block(zone, instant_ms // _BLOCK_MS)
    return segments[bisect_right(segments, instant_ms, key=attrgetter("start_ms")) - 1]


@lru_cache(maxsize=4096)
def _segments_of_block(zone: ZoneInfo, block: int) -> tuple[Segment, ...]:
    """Return all segments of one block and REACH_MS on either side, in order and without gaps."""
    start = block * _BLOCK_MS - REACH_MS
    last = (block + 1) * _BLOCK_MS + REACH_MS
    offset = _offset_ms(zone, start)
    segments = []
    for sample in range(start + _SAMPLE_MS, last + 1, _SAMPLE_MS):
        if _offset_ms(zone, sample) != offset:
            transition = _bisect(zone, sample - _SAMPLE_MS, sample)
            segments.append(Segment(start, transition, offset))
            start, offset = transition, _offset_ms(zone, transition)
    segments.append(Segment(start, last, offset))
    return tuple(segments)


def _bisect(zone: ZoneInfo, before_ms: int, after_ms: int) -> int:
    """Return the first instant of the new offset, between an instant of each offset."""
    old = _offset_ms(zone, before_ms)
    while after_ms - before_ms > 1:
        middle = (before_ms + after_ms) // 2
        if _offset_ms(zone, middle) == old:
            before_ms = middle
        else:
            after_ms = middle
    return after_ms


def _offset_ms(zone: ZoneInfo, instant_ms: int) -> int:
    offset = (_EPOCH + timedelta(milliseconds=instant_ms)).astimezone(zone).utcoffset()
    assert offset is not None
    return offset // timedelta(milliseconds=1)
