"""Parses EventBridge Scheduler expressions: `cron(...)`, `rate(...)` and `at(...)`."""

import re
from typing import Final

from shared.domain.errors import ScheduleError
from shared.domain.schedules.cron import Gap, Overlap, parse_line
from shared.domain.schedules.eventbridge_line import is_eventbridge
from shared.domain.schedules.instants import parse_instant
from shared.domain.schedules.schedule_kinds import MAX_INTERVAL_MS, Cron, Once
from shared.domain.schedules.timing import Every

EVENTBRIDGE_GAP: Final = Gap.SKIP
EVENTBRIDGE_OVERLAP: Final = Overlap.FIRST
"""EventBridge's behaviour at clock changes: a skipped time does not fire, a repeated time fires once."""

_LONGEST = 256
_RATE = re.compile(r"rate\([ \t]*([0-9]+)[ \t]+([a-z]+)[ \t]*\)")
_AT = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)", re.ASCII)
_UNIT_SECONDS: Final = {"minute": 60, "hour": 3_600, "day": 86_400}


def read_expression(
    text: str,
    timezone: str,
    *,
    gap: Gap | None = None,
    overlap: Overlap | None = None,
    start_at: int | None = None,
    end_at: int | None = None,
) -> Cron | Every | Once:
    """Parse an expression. The default policies are EventBridge's: skip and first.

    The zone applies to `cron` and `at`; the policies and bounds apply to `cron` only, because a rate gets its
    anchor and end later. Raises ScheduleError whose `field` is `expression`, `rate`, `at`, `timezone`,
    `end_at` or a field of `read_eventbridge_line`.
    """
    bare = text.strip(" \t")
    if bare.startswith("rate("):
        return Every(parse_rate(bare))
    if bare.startswith("at("):
        return Once(at=parse_at(bare, timezone))
    if not is_eventbridge(bare):
        raise ScheduleError(
            f"expression: {bare[:40]!a} is none of cron(...), rate(...) and at(...); "
            "a Unix line of five fields goes into `cron`",
            field="expression",
        )
    return Cron(
        line=parse_line(bare).text,
        timezone=timezone,
        gap=EVENTBRIDGE_GAP if gap is None else gap,
        overlap=EVENTBRIDGE_OVERLAP if overlap is None else overlap,
        start_at=start_at,
        end_at=end_at,
    )


def parse_rate(text: str) -> int:
    """Return the seconds of `rate(1 minute)` or `rate(5 minutes)`; likewise hours and days.

    The unit must be singular after 1 and plural otherwise. Raises ScheduleError (field `rate`), also above
    366 days.
    """
    match = _RATE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise _rate_refusal(text, "not of the form rate(5 minutes)")
    value, unit = int(match[1]), match[2]
    singular = unit.removesuffix("s")
    if singular not in _UNIT_SECONDS:
        raise _rate_refusal(text, "the unit must be minute(s), hour(s) or day(s)")
    if value == 0:
        raise _rate_refusal(text, "the value must be at least 1")
    if (unit == singular) != (value == 1):
        raise _rate_refusal(text, f"after 1 the unit is {singular}, after any other number {singular}s")
    if value * _UNIT_SECONDS[singular] * 1000 > MAX_INTERVAL_MS:
        raise _rate_refusal(text, "longer than 366 days")
    return value * _UNIT_SECONDS[singular]


def parse_at(text: str, timezone: str) -> int:
    """Return the instant of `at(yyyy-mm-ddThh:mm:ss)`, a local time in the zone.

    A repeated time is its first pass. Raises ScheduleError with field `at`, also for a local time that the
    clocks skip, or with field `timezone`.
    """
    match = _AT.fullmatch(text)
    if match is None:
        raise ScheduleError(
            f"at: {text[:40]!a}: not of the form at(2030-01-31T09:30:00), without a fraction or an offset",
            field="at",
        )
    return parse_instant(match[1], timezone)


def _rate_refusal(text: str, why: str) -> ScheduleError:
    return ScheduleError(f"rate: {text[:40]!a}: {why}", field="rate")
