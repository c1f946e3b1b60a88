"""Freezes the days of a calendar into a schedule, and detects how a newer release changes them."""

from dataclasses import replace
from functools import lru_cache
from typing import Final

from shared.domain.errors import ScheduleError
from shared.domain.schedules.business_days import BusinessDays, freeze, from_frozen
from shared.domain.schedules.calendar_rule import CalendarRule
from shared.domain.schedules.country_calendars import country_days, installed_release
from shared.domain.schedules.cron_walk import DAY_MS
from shared.domain.schedules.own_calendar import FROZEN_AHEAD_DAYS, MARGIN_DAYS, OwnCalendar

COMPARED_AHEAD_DAYS: Final = 400
_REACH_DAYS: Final = 32
"""A changed day moves no instant that precedes it by more than this."""


def with_frozen_days(rule: CalendarRule, from_ms: int, until_ms: int) -> CalendarRule:
    """Return the rule with the days of the installed release, exact in [from, until] and FROZEN_AHEAD_DAYS more.

    If the installed release lacks the calendar, the rule keeps its days, and so it does with a tenant's own
    calendar, whose days come with the schedule.
    """
    if rule.is_own:
        return rule
    first = from_ms // DAY_MS - MARGIN_DAYS
    last = until_ms // DAY_MS + FROZEN_AHEAD_DAYS
    try:
        return replace(rule, days=_present_days(rule.name, first, last))
    except ScheduleError:
        return rule


def days_outdated_from(
    rule: CalendarRule, now_ms: int, until_ms: int, own: OwnCalendar | None = None
) -> int | None:
    """Return the first instant in [now, until] that a changed day of the calendar may move, or None.

    `own` is the tenant's own calendar as it is now; a schedule with one that is gone keeps its days.
    """
    if rule.days is None:
        return now_ms
    if own is not None:
        changed = _first_change(own.business_days, rule.days, now_ms // DAY_MS)
        window = own.windows.first_difference(rule.blackouts, now_ms)
        changed = min((each for each in (changed, _day(window)) if each is not None), default=None)
    else:
        changed = None if rule.is_own else _changed_day(rule.name, rule.days, now_ms // DAY_MS)
    if changed is None or changed > until_ms // DAY_MS + _REACH_DAYS:
        return None
    return max((changed - _REACH_DAYS) * DAY_MS, now_ms)


def _day(instant_ms: int | None) -> int | None:
    return None if instant_ms is None else instant_ms // DAY_MS


@lru_cache(maxsize=256)
def _present_days(name: str, first: int, last: int) -> str:
    return freeze(installed_release(), country_days(name), first, last)


@lru_cache(maxsize=1024)
def _changed_day(name: str, frozen: str, today: int) -> int | None:
    try:
        present = country_days(name)
    except ScheduleError:
        return None
    return _first_change(present, frozen, today)


def _first_change(present: BusinessDays, frozen: str, today: int) -> int | None:
    old = from_frozen(frozen)
    ahead = range(today - 1, today + COMPARED_AHEAD_DAYS)
    return next((day for day in ahead if old.is_business(day) != present.is_business(day)), None)
