"""Parses and formats instants, and checks the range of instants that a client may request."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from shared.domain.errors import ScheduleError, ScheduleInPastError, ScheduleTooFarError
from shared.domain.schedules.zones import load_zone

PAST_GRACE_MS: Final = 60_000
"""An instant at most this far in the past is accepted and runs at once."""

FARTHEST_MS: Final = 3_653 * 86_400_000
"""Ten years, with the maximum number of leap days."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_RFC_3339 = re.compile(
    r"(?P<date>(?P<year>\d{4})-\d\d-\d\d)[Tt](?P<clock>\d\d:\d\d):(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?"
    r"(?P<offset>[Zz]|(?P<sign>[+-])(?P<hours>\d\d):(?P<minutes>\d\d))?",
    re.ASCII,
)


def check_once(at: int, now: int) -> None:
    """Check that `at` is from one minute ago to ten years ahead (UTC, milliseconds, ends included).

    Raises ScheduleInPastError or ScheduleTooFarError (field `at`).
    """
    if at < now - PAST_GRACE_MS:
        raise ScheduleInPastError(
            f"at: more than 60 seconds in the past; it is {format_instant(now)} now", field="at"
        )
    if at > now + FARTHEST_MS:
        raise ScheduleTooFarError(
            f"at: more than ten years ahead; it is {format_instant(now)} now", field="at"
        )


def parse_instant(text: str, timezone: str | None) -> int:
    """Parse an RFC 3339 instant, or a local time in the zone, to UTC milliseconds.

    An offset in the text takes precedence over the zone. A repeated local time means its first pass. Digits
    below the millisecond are truncated.

    Raises ScheduleError with field `at` for malformed text, a missing offset and zone, a leap second, a local
    time in a gap of the zone, or a year outside 1970 to 9998. Raises it with field `timezone` for an unknown
    zone.
    """
    zone = None if timezone is None else load_zone(timezone)
    match = _RFC_3339.fullmatch(text)
    if match is None:
        raise _refusal(text, "not an instant such as 2030-01-31T09:30:00Z or 2030-01-31T09:30:00+01:00")
    wall = _wall_time(text, match)
    if match["offset"]:
        instant = wall - _offset(text, match)
    elif zone is None:
        raise _refusal(text, "neither an offset nor a time zone is given")
    else:
        instant = _first_pass(text, wall, zone)
    if instant < _EPOCH:
        raise _refusal(text, "before 1970")
    return (instant - _EPOCH) // _MILLISECOND


def format_instant(instant_ms: int) -> str:
    """Format as RFC 3339 in UTC with milliseconds and `Z`, from 1970 to 9999; OverflowError beyond."""
    text = (_EPOCH + instant_ms * _MILLISECOND).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _wall_time(text: str, match: re.Match[str]) -> datetime:
    """Return the date and time of day as if they were UTC."""
    if match["second"] == "60":
        raise _refusal(text, "a leap second, which UTC in milliseconds does not have")
    # Stay so far inside the range of datetime that no offset can leave it.
    if not 1970 <= int(match["year"]) <= 9998:
        raise _refusal(text, "the year must be from 1970 to 9998")
    try:
        wall = datetime.fromisoformat(f"{match['date']}T{match['clock']}:{match['second']}+00:00")
    except ValueError as error:
        raise _refusal(text, "no such date or time of day") from error
    return wall + int((match["fraction"] or "").ljust(3, "0")[:3]) * _MILLISECOND


def _offset(text: str, match: re.Match[str]) -> timedelta:
    if match["sign"] is None:
        return timedelta(0)
    hours, minutes = int(match["hours"]), int(match["minutes"])
    if hours > 23 or minutes > 59:
        raise _refusal(text, "the offset must be from -23:59 to +23:59")
    length = timedelta(hours=hours, minutes=minutes)
    return -length if match["sign"] == "-" else length


def _first_pass(text: str, wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant of a wall time, using the offset before a transition; raises in a gap."""
    instant = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    shown = instant.astimezone(zone).replace(tzinfo=UTC)
    if shown != wall:
        raise _refusal(text, f"there is no such local time in {zone.key}: the clocks jump over it")
    return instant


def _refusal(text: str, why: str) -> ScheduleError:
    return ScheduleError(f"at: {text[:40]!a}: {why}", field="at")
