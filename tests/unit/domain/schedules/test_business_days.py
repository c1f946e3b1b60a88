"""Frozen days of a calendar: their text, and the days that it stands for."""

from datetime import date

import pytest

from shared.domain.errors import ScheduleError
from shared.domain.schedules.business_days import (
    BusinessDays,
    date_of,
    day_of,
    freeze,
    from_frozen,
    month_of,
    release_of,
)

MONDAY = day_of(date(2026, 11, 30))
WEEKEND = frozenset({5, 6})


def test_days_count_from_the_first_of_1970() -> None:
    assert (day_of(date(1970, 1, 1)), day_of(date(2026, 11, 30))) == (0, 20787)
    assert date_of(20787) == date(2026, 11, 30)


@pytest.mark.parametrize(
    ("exceptions", "text"),
    [
        (set(), "0.109 56 20787."),
        ({20787}, "0.109 56 20787.1"),
        ({20787, 20788, 20847}, "0.109 56 20787.11x"),
        ({20847}, "0.109 56 20787.z0"),
        ({20848, 20787 + 61 * 3}, "0.109 56 20787.z1zz0"),
        ({20700, 30000}, "0.109 56 20787."),
    ],
)
def test_text_has_the_exceptions_of_its_range(exceptions: set[int], text: str) -> None:
    days = BusinessDays(WEEKEND, exceptions.__contains__)
    assert freeze("0.109", days, 20787, 20787 + 400) == text
    read = from_frozen(text)
    assert read.weekend == WEEKEND
    kept = exceptions & set(range(20787, 20787 + 401))
    assert {day for day in range(20600, 31000) if read.is_exception(day)} == kept
    assert release_of(text) == "0.109"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0.109",
        "0.109 56",
        "0.109 7 1.",
        "0.109 56 1",
        "0.109 56 1.-",
        "x 56 1.",
        "0.109 56 1.z",
        "1 56 1. ",
    ],
)
def test_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError) as refused:
        from_frozen(text)
    assert refused.value.path == ("calendar",)


def test_exception_is_a_holiday_of_a_weekday_and_a_working_day_of_a_weekend() -> None:
    days = BusinessDays(WEEKEND, {MONDAY, MONDAY + 5}.__contains__)
    assert [days.is_business(MONDAY + count) for count in range(7)] == [
        *(False, True, True, True, True),
        *(True, False),
    ]


def test_business_days_are_searched_for_a_year() -> None:
    only = BusinessDays(frozenset(range(7)), {MONDAY}.__contains__)
    assert only.following(MONDAY) == only.preceding(MONDAY) == MONDAY
    assert only.following(MONDAY - 366) == MONDAY
    assert only.following(MONDAY - 367) is None
    assert only.preceding(MONDAY + 366) == MONDAY
    assert only.preceding(MONDAY + 367) is None


def test_nth_day_counts_from_either_end_of_the_month() -> None:
    days = BusinessDays(WEEKEND, frozenset().__contains__)
    november = [day_of(date(2026, 11, number)) for number in (2, 3, 27, 30)]
    assert [days.nth_of_month(MONDAY, nth) for nth in (1, 2, -2, -1)] == november
    assert days.nth_of_month(MONDAY, 21) == MONDAY
    assert days.nth_of_month(MONDAY, 22) is days.nth_of_month(MONDAY, -22) is None


@pytest.mark.parametrize(("month", "length"), [((2026, 2), 28), ((2028, 2), 29), ((2026, 12), 31)])
def test_month_has_all_of_its_days(month: tuple[int, int], length: int) -> None:
    days = month_of(day_of(date(*month, 17)))
    assert (date_of(days[0]), len(days)) == (date(*month, 1), length)
