"""What a newer release of a calendar does to a schedule whose days were frozen by an older one."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

import pytest

from shared.domain.errors import ScheduleError
from shared.domain.schedules import calendar_changes
from shared.domain.schedules.business_days import BusinessDays, day_of, freeze, from_frozen
from shared.domain.schedules.calendar_changes import days_outdated_from, with_frozen_days
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.country_calendars import country_days, installed_release
from shared.domain.schedules.own_calendar import FROZEN_AHEAD_DAYS
from shared.domain.schedules.schedule import Cron, first_after
from shared.domain.schedules.zone_changes import Move, first_move, outdated_from, with_frozen_rules
from tests.support.moments import ms

DAY = 86_400_000
NOW = ms("2026-11-26T12:00Z")
LATER = NOW + 10 * 366 * DAY
DE = CalendarRule(name="DE")
NINE = Cron(line="0 9 * * *", timezone="UTC", calendar=DE)
"""UTC has no rules to freeze, so only the calendar can be outdated."""


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Iterable[None]:
    """A release in which 24 December 2026, a Thursday, and 15 April 2027 are holidays, too."""
    added = {day_of(date(2026, 12, 24)), day_of(date(2027, 4, 15))}

    def days(name: str) -> BusinessDays:
        known = country_days(name)
        return BusinessDays(known.weekend, lambda day: known.is_exception(day) or day in added)

    forget()
    monkeypatch.setattr(calendar_changes, "country_days", days)
    monkeypatch.setattr(calendar_changes, "installed_release", lambda: "9.9")
    yield
    forget()


@pytest.fixture
def without_germany(monkeypatch: pytest.MonkeyPatch) -> Iterable[None]:
    def days(_: str) -> BusinessDays:
        raise ScheduleError("calendar: unknown", field="calendar")

    forget()
    monkeypatch.setattr(calendar_changes, "country_days", days)
    yield
    forget()


def forget() -> None:
    for kept in (calendar_changes._present_days, calendar_changes._changed_day):
        kept.cache_clear()


@pytest.mark.parametrize("now", [NOW, ms("2026-06-10T12:00Z")])
def test_days_are_frozen_from_some_weeks_ago_to_five_years_ahead(now: int) -> None:
    """In June, Ascension Day and Whit Monday are some weeks ago."""
    frozen = with_frozen_days(DE, now, now)
    assert frozen.days is not None
    assert frozen == replace(DE, days=frozen.days)
    read, today = from_frozen(frozen.days), now // DAY
    known = country_days("DE")
    for day in range(today - 40, today + FROZEN_AHEAD_DAYS + 1):
        assert read.is_business(day) == known.is_business(day)
    assert frozen.release == installed_release()
    assert len(frozen.days) < 100


def test_frozen_days_decide_and_not_the_installed_release() -> None:
    old = replace(NINE, calendar=replace(DE, days=f"0.1 56 {NOW // DAY}.{'1' * 2}"))
    assert first_after(old, NOW) == ms("2026-11-30T09:00Z")
    assert first_after(NINE, NOW) == ms("2026-11-27T09:00Z")


def test_schedule_is_frozen_with_its_calendar_and_its_zone() -> None:
    both = with_frozen_rules(replace(NINE, timezone="Europe/Berlin"), NOW, NOW)
    assert both.rules is not None
    assert both.calendar is not None
    assert both.calendar.days is not None
    assert outdated_from(both, NOW) is None


def test_schedule_that_agrees_with_the_installed_release_is_not_outdated() -> None:
    frozen = with_frozen_rules(NINE, NOW, NOW)
    assert outdated_from(frozen, NOW) is None
    assert outdated_from(frozen, NOW + 300 * DAY) is None


def test_schedule_with_a_calendar_that_is_not_frozen_is_outdated() -> None:
    assert outdated_from(NINE, NOW) == NOW
    assert days_outdated_from(DE, NOW, LATER) == NOW


@pytest.mark.usefixtures("newer")
def test_changed_day_outdates_a_schedule_a_month_ahead_of_it() -> None:
    forget()
    frozen = with_frozen_days_of_the_older_release()
    assert days_outdated_from(frozen, NOW, LATER) == NOW
    assert days_outdated_from(frozen, ms("2026-11-01T00:00Z"), LATER) == ms("2026-11-22T00:00Z")
    after_christmas = ms("2026-12-26T00:00Z")
    assert days_outdated_from(frozen, after_christmas, LATER) == ms("2027-03-14T00:00Z")
    assert days_outdated_from(frozen, after_christmas, ms("2027-03-13T00:00Z")) is None
    assert days_outdated_from(frozen, ms("2027-04-17T00:00Z"), LATER) is None


def with_frozen_days_of_the_older_release() -> CalendarRule:
    known = country_days("DE")
    today = NOW // DAY
    return replace(DE, days=freeze("0.1", known, today - 60, today + FROZEN_AHEAD_DAYS))


@pytest.mark.usefixtures("newer")
def test_first_move_is_the_run_that_the_newer_release_excludes() -> None:
    old = replace(NINE, calendar=with_frozen_days_of_the_older_release())
    new = with_frozen_rules(old, NOW, NOW)
    assert new.calendar is not None
    assert new.calendar.release == "9.9"
    assert outdated_from(new, NOW) is None
    assert first_move(old, new, NOW, NOW) == Move(
        from_at=ms("2026-12-24T09:00Z"), to_at=ms("2026-12-28T09:00Z")
    )


@pytest.mark.usefixtures("newer")
def test_run_before_the_changed_day_moves_when_it_moves_back() -> None:
    last = CalendarRule(name="DE", business_day=-5, days=with_frozen_days_of_the_older_release().days)
    old = replace(NINE, calendar=last)
    new = with_frozen_rules(old, NOW, NOW)
    differs_at = outdated_from(old, NOW)
    assert differs_at is not None
    assert first_move(old, new, differs_at, NOW) == Move(
        from_at=ms("2026-12-24T09:00Z"), to_at=ms("2026-12-23T09:00Z")
    )


@pytest.mark.usefixtures("without_germany")
def test_schedule_keeps_the_days_of_a_calendar_that_the_installed_release_lacks() -> None:
    frozen = replace(DE, when_excluded=WhenExcluded.NEXT, days="0.1 56 20000.1")
    lost = replace(NINE, calendar=frozen)
    assert with_frozen_rules(lost, NOW, NOW) == lost
    assert outdated_from(lost, NOW) is None


def test_days_are_frozen_again_before_their_end() -> None:
    frozen = with_frozen_rules(NINE, NOW, NOW)
    year = 366 * DAY
    assert [outdated_from(frozen, NOW + years * year) is None for years in (3, 4)] == [True, False]
    again = with_frozen_rules(frozen, NOW + 4 * year, NOW + 4 * year)
    assert outdated_from(again, NOW + 4 * year) is None


def test_days_of_a_backfill_are_frozen_from_its_first_day() -> None:
    past = ms("2020-01-01T00:00Z")
    frozen = with_frozen_rules(NINE, past, NOW)
    assert first_after(frozen, past) == first_after(NINE, past) == ms("2020-01-02T09:00Z")
    assert first_after(frozen, ms("2020-04-09T12:00Z")) == ms("2020-04-14T09:00Z")
