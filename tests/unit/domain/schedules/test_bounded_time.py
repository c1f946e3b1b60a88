"""No line costs much, whether it is accepted or not: counted in calls that Python makes, from cold caches on.

A processor of a function makes some millions of such calls a second; fifty milliseconds are well beyond these counts.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

import pytest

from shared.domain.errors import ScheduleError
from shared.domain.jobs.new_backfill import NewBackfill
from shared.domain.schedules import country_calendars, cron, zones
from shared.domain.schedules.backfill import backfilled_instants, scheduled_at
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.country_calendars import country_days
from shared.domain.schedules.describe import describe
from shared.domain.schedules.dst import dst_changes
from shared.domain.schedules.eventbridge import read_expression
from shared.domain.schedules.instants import FARTHEST_MS
from shared.domain.schedules.preview import MAX_UPCOMING, upcoming
from shared.domain.schedules.schedule import Cron, Gap, Rate, first_after
from shared.domain.schedules.schedule_warnings import warnings

NOW = 1_735_689_600_000
CALLS_COLD, CALLS_WARM = 80_000, 25_000
CALLS_BACKFILL = 1_000_000
EVERY_MINUTE_SPELLED = ",".join(str(minute) for minute in range(60))
HOSTILE = [
    "* * * * *",
    "*/59 * * * *",
    f"{EVERY_MINUTE_SPELLED} * * * *",
    "0-59 0-23 1-31 1-12 0-6",
    "59 23 31 12 *",
    "0 0 29 2 *",
    "0 0 29 2 1",
    "0 0 30 2 1",
    "0 0 * 2 1#5",
    "0 0 * 2 0#5,1#5,2#5,3#5",
    "0 0 31W 2 *",
    "0 0 L 2 *",
    "* * 31 * *",
    "30 2 * 3 0#2",
    "30 2 * 3 0#5",
    "*/30 2 * 3 0#2",
    "cron(0 0 1 1 ? 2199)",
    "cron(0 0 29W 2 ? *)",
    "cron(0 0 31W * ? 2199)",
    "cron(0 0 29W 2 ? 1971-2197/2,2196)",
    "cron(30 2 ? 3 1#2 *)",
    "cron(30 2 ? 3 1#2 1971-2199/2)",
    "cron(0 0 29 2 ? 1971-2197/2,2196)",
    "cron(0 0 ? 2 2#5 1971-2197/2,2196)",
]
REFUSED = [
    "0 0 30 2 *",
    "0 0 31 2,4,6,9,11 *",
    "*/1" + "0" * 250 + " * * * *",
    ",".join(["1"] * 126) + " * * * *",
    "*" * 256,
    "1-" * 100 + " * * * *",
    "cron(0 0 29 2 ? 1971-2199/2)",
    "cron(0 0 ? 2 2#5 1971-2199/2)",
    "cron(" + "(" * 200 + ")",
    "@" + "a" * 200,
]


def calls_of(work: Callable[[], Any]) -> int:
    """How many calls, of Python functions and of built-in ones, some work makes."""
    count = 0

    def see(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def forget() -> None:
    """Empty what is kept between calls."""
    for kept in (cron._parse, cron._matcher, cron._cached_next, zones._segments_of_block):
        kept.cache_clear()


@pytest.mark.parametrize("gap", Gap)
@pytest.mark.parametrize("zone", ["America/New_York", "Africa/Casablanca"])
@pytest.mark.parametrize("line", HOSTILE)
def test_the_next_instant_of_any_line(line: str, zone: str, gap: Gap) -> None:
    forget()
    assert calls_of(lambda: first_after(Cron(line=line, timezone=zone, gap=gap), NOW)) < CALLS_COLD
    schedule, moment = Cron(line=line, timezone=zone, gap=gap), NOW
    for _ in range(5):
        assert calls_of(partial(first_after, schedule, moment)) < CALLS_WARM
        moment = first_after(schedule, moment) or moment


EXCLUDED = [
    CalendarRule(name="DE", when_excluded=when, days=days)
    for when in WhenExcluded
    for days in (None, "1.0 0123456 0.", "1.0 012345 0.")
]


@pytest.mark.parametrize("rule", EXCLUDED)
@pytest.mark.parametrize("line", ["* * * * *", "0 9 25 12 *", "0 9 29 2 *", "0 9 * * sat", "0 9 31 * *"])
def test_the_next_instant_by_any_calendar(line: str, rule: CalendarRule) -> None:
    """Also by one without a business day, and by one that leaves a line no day."""
    country_days("DE").is_exception(0)
    for kept in (country_calendars._exceptions, country_calendars.country_days):
        kept.cache_clear()
    forget()
    schedule = Cron(line=line, timezone="Europe/Berlin", calendar=rule)
    assert calls_of(lambda: first_after(schedule, NOW)) < 2 * CALLS_COLD
    assert calls_of(lambda: first_after(schedule, NOW)) < CALLS_WARM


@pytest.mark.parametrize("nth", [1, -1, 23, -23])
def test_the_next_nth_business_day(nth: int) -> None:
    forget()
    for line in ("* * * * *", "0 9 * 2 *"):
        schedule = Cron(
            line=line, timezone="Europe/Berlin", calendar=CalendarRule(name="DE", business_day=nth)
        )
        assert calls_of(partial(first_after, schedule, NOW)) < 2 * CALLS_COLD
        assert calls_of(partial(first_after, schedule, NOW)) < CALLS_WARM


@pytest.mark.parametrize("line", REFUSED)
def test_a_line_that_is_refused(line: str) -> None:
    forget()

    def refuse() -> None:
        with pytest.raises(ScheduleError):
            Cron(line=line, timezone="America/New_York")

    assert calls_of(refuse) < CALLS_COLD


def test_refusal_of_a_long_expression_takes_few_calls() -> None:
    for text in ("rate(" + "9" * 10_000 + " days)", "at(" + "9" * 10_000, " " * 10_000, "rate(" * 2_000):

        def refuse(text: str = text) -> None:
            with pytest.raises(ScheduleError):
                read_expression(text, "UTC")

        assert calls_of(refuse) < 1_000


@pytest.mark.parametrize("line", HOSTILE)
def test_a_preview_of_any_line(line: str) -> None:
    schedule = Cron(line=line, timezone="Africa/Casablanca")
    previews: list[Callable[[], object]] = [
        lambda: upcoming(schedule, NOW, MAX_UPCOMING),
        lambda: dst_changes(schedule, NOW),
        lambda: describe(schedule),
        lambda: warnings(schedule, NOW),
    ]
    for preview in previews:
        forget()
        assert calls_of(preview) < 2 * CALLS_COLD
    assert len(describe(schedule)) < 1_000


def test_previews_of_a_rate() -> None:
    rate = Rate(interval_ms=1_000, anchor=0)
    assert calls_of(lambda: (upcoming(rate, NOW, MAX_UPCOMING), describe(rate), warnings(rate, NOW))) < 5_000


@pytest.mark.parametrize("line", [*HOSTILE, "0 2 * * *", "0 0 13 * 5"])
def test_the_instants_of_a_backfill_of_any_line_over_ten_years(line: str) -> None:
    """All of it within a second: the count that refuses a range, and the list of one that is accepted."""
    forget()
    assert calls_of(lambda: _backfilled(Cron(line=line, timezone="Africa/Casablanca"))) < CALLS_BACKFILL


def test_a_backfill_of_a_rate_over_ten_years() -> None:
    assert calls_of(lambda: _backfilled(Rate(interval_ms=1_000, anchor=0))) < 100


def _backfilled(of: Rate | Cron) -> None:
    with suppress(ScheduleError):
        made = NewBackfill(from_at=NOW - FARTHEST_MS, to_at=NOW).schedule_of(of, NOW, NOW)
        backfilled_instants.cache_clear()
        assert scheduled_at(made, made.end_at) < NOW
