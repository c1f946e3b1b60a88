"""Schedules with a calendar: where runs move, by known dates."""

from dataclasses import replace

import pytest

from shared.domain.errors import ScheduleError, ScheduleNeverFiresError, UnknownVersionError
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.describe import describe
from shared.domain.schedules.dst import DstEffect, dst_changes
from shared.domain.schedules.preview import show_instant
from shared.domain.schedules.schedule import (
    Cron,
    Gap,
    Overlap,
    check_fires,
    count_between,
    decode_schedule,
    encode_schedule,
    first_after,
    instants_before,
    without_rules,
)
from shared.domain.schedules.schedule_warnings import WarningCode, warnings
from tests.support.moments import ms

NOW = ms("2026-11-26T00:00Z")
MONTH_ENDS = "0 18 L * *"
NO_DAY = "1.0 0123456 0."
"""Frozen days of a calendar without a business day."""


def schedule(line: str, timezone: str = "Europe/Berlin", name: str = "DE", **rule: object) -> Cron:
    return Cron(line=line, timezone=timezone, calendar=CalendarRule(name=name, **rule))  # type: ignore[arg-type]


def runs(of: Cron, count: int, after_ms: int = NOW) -> list[str]:
    """The local times of the next runs, without seconds."""
    found: list[str] = []
    while len(found) < count:
        at = first_after(of, after_ms)
        if at is None:
            break
        found.append(show_instant(at, of.timezone).local.removesuffix(":00"))
        after_ms = at
    return found


@pytest.mark.parametrize(
    ("when", "dates"),
    [
        ("skip", ["2026-11-30", "2026-12-31", "2027-03-31"]),
        ("next", ["2026-11-30", "2026-12-31", "2027-02-01", "2027-03-01", "2027-03-31"]),
        ("previous", ["2026-11-30", "2026-12-31", "2027-01-29", "2027-02-26", "2027-03-31"]),
        ("modified_following", ["2026-11-30", "2026-12-31", "2027-01-29", "2027-02-26", "2027-03-31"]),
    ],
)
def test_run_on_an_excluded_day_moves_by_the_rule_and_keeps_its_time(when: str, dates: list[str]) -> None:
    """31 January and 28 February 2027 are Sundays."""
    moved = schedule(MONTH_ENDS, when_excluded=WhenExcluded(when))
    assert runs(moved, len(dates)) == [f"{each}T18:00" for each in dates]


def test_run_on_a_holiday_moves_over_the_weekend_behind_it() -> None:
    """25 December 2026 is a Friday, and 26 December a holiday as well."""
    moved = schedule("30 8 25 12 *", when_excluded=WhenExcluded.NEXT)
    assert runs(moved, 2) == ["2026-12-28T08:30", "2027-12-27T08:30"]


def test_modified_following_goes_back_at_the_end_of_a_month_only() -> None:
    moved = schedule("0 9 30,15 * *", when_excluded=WhenExcluded.MODIFIED_FOLLOWING)
    assert runs(moved, 3, ms("2027-05-01T00:00Z")) == [
        "2027-05-18T09:00",  # from Saturday the 15th, over Whit Monday
        "2027-05-31T09:00",  # from Sunday the 30th
        "2027-06-15T09:00",
    ]


def test_runs_that_move_to_one_instant_are_one_run() -> None:
    daily = schedule("0 9 * * *", when_excluded=WhenExcluded.NEXT)
    friday = ms("2026-11-27T00:00Z")
    assert runs(daily, 3, friday) == ["2026-11-27T09:00", "2026-11-30T09:00", "2026-12-01T09:00"]
    assert count_between(daily, friday, ms("2026-12-02T00:00Z"), 99) == 3


def test_moved_run_and_a_run_of_the_same_day_at_another_time_are_two() -> None:
    line = schedule("0 9,17 * * sun,mon", when_excluded=WhenExcluded.NEXT)
    assert runs(line, 3) == ["2026-11-30T09:00", "2026-11-30T17:00", "2026-12-07T09:00"]


@pytest.mark.parametrize(
    ("nth", "dates"),
    [
        (1, ["2026-12-01", "2027-01-04", "2027-02-01", "2027-03-01"]),
        (2, ["2026-12-02", "2027-01-05", "2027-02-02", "2027-03-02"]),
        (-1, ["2026-11-30", "2026-12-31", "2027-01-29", "2027-02-26"]),
        (-3, ["2026-11-26", "2026-12-29", "2027-01-27", "2027-02-24", "2027-03-25"]),
    ],
)
def test_nth_business_day_of_the_month(nth: int, dates: list[str]) -> None:
    """In March 2027 the last days are Thursday 25, Good Friday, Easter Monday, 30 and 31."""
    assert runs(schedule("0 18 * * *", business_day=nth), len(dates)) == [f"{each}T18:00" for each in dates]


def test_nth_business_day_in_some_months_and_years() -> None:
    quarterly = schedule("0 18 * 3,6,9,12 *", business_day=-1)
    assert runs(quarterly, 2) == ["2026-12-31T18:00", "2027-03-31T18:00"]
    bounded = schedule("cron(0 18 * 1 ? 2027-2028)", business_day=1)
    assert runs(bounded, 9) == ["2027-01-04T18:00", "2028-01-03T18:00"]
    assert count_between(bounded, 0, ms("2100-01-01T00:00Z"), 99) == 2


def test_run_of_the_last_year_of_a_line_moves_into_the_next_one() -> None:
    moved = schedule("cron(0 9 31 12 ? 2028)", when_excluded=WhenExcluded.NEXT)
    assert runs(moved, 9) == ["2029-01-02T09:00"]
    assert count_between(moved, 0, ms("2100-01-01T00:00Z"), 99) == 1


def test_month_with_fewer_business_days_has_no_run() -> None:
    assert runs(schedule("0 18 * * *", business_day=23), 2) == ["2027-12-31T18:00", "2028-03-31T18:00"]
    with pytest.raises(ScheduleNeverFiresError):
        check_fires(schedule("0 18 * 2 *", business_day=22), NOW)


def test_date_that_counts_is_that_of_the_zone_of_the_job() -> None:
    """In Kiribati, 14 hours ahead of UTC, Monday begins while it is Sunday in UTC."""
    ahead = schedule("0 9 * * *", timezone="Pacific/Kiritimati", name="US")
    at = first_after(ahead, ms("2026-11-27T20:00Z"))
    assert at == ms("2026-11-29T19:00Z")
    behind = schedule("0 22 * * *", timezone="America/Los_Angeles", name="US")
    assert first_after(behind, ms("2026-11-27T00:00Z")) == ms("2026-11-28T06:00Z")


@pytest.mark.parametrize(
    ("name", "dates"),
    [
        ("US", ["2026-11-27", "2026-11-30"]),
        ("SA", ["2026-11-26", "2026-11-29"]),
        ("HK", ["2026-11-26", "2026-11-27", "2026-11-28", "2026-11-30"]),
        ("BN", ["2026-11-26", "2026-11-28", "2026-11-30"]),
    ],
)
def test_weekend_is_that_of_the_country(name: str, dates: list[str]) -> None:
    """26 November 2026 is a Thursday, and Thanksgiving."""
    assert runs(schedule("0 9 * * *", timezone="UTC", name=name), len(dates)) == [
        f"{each}T09:00" for each in dates
    ]


def test_working_day_of_a_weekend_is_a_business_day() -> None:
    """China works on Sunday 20 September 2026."""
    line = schedule("0 9 * * sun", timezone="Asia/Shanghai", name="CN")
    assert runs(line, 1, ms("2026-09-01T00:00Z")) == ["2026-09-20T09:00"]


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        (Overlap.FIRST, ["2026-10-24T22:30Z"]),
        (Overlap.SECOND, ["2026-10-24T23:30Z"]),
        (Overlap.BOTH, ["2026-10-24T22:30Z", "2026-10-24T23:30Z"]),
    ],
)
def test_moved_run_obeys_the_policy_for_repeated_times(overlap: Overlap, expected: list[str]) -> None:
    """From Saturday to Sunday 25 October 2026, when Israel repeats the hour from 01:00."""
    line = schedule("30 1 24 10 *", timezone="Asia/Jerusalem", name="IL", when_excluded=WhenExcluded.NEXT)
    moved = replace(line, overlap=overlap)
    found = instants_before(moved, ms("2026-10-31T00:00Z"), ms("2026-10-01T00:00Z"), 9)
    assert found[::-1] == [ms(each) for each in expected]


@pytest.mark.parametrize(("gap", "expected"), [(Gap.SHIFT, "2026-03-27T00:00Z"), (Gap.SKIP, None)])
def test_moved_run_obeys_the_policy_for_skipped_times(gap: Gap, expected: str | None) -> None:
    """From Saturday 28 back to Friday 27 March 2026, when Israel skips the hour from 02:00."""
    days = "1.0 5 0."
    line = schedule(
        "30 2 28 3 *", timezone="Asia/Jerusalem", name="IL", when_excluded=WhenExcluded.PREVIOUS, days=days
    )
    moved = replace(line, gap=gap, end_at=ms("2026-12-01T00:00Z"))
    assert first_after(moved, ms("2026-01-01T00:00Z")) == (None if expected is None else ms(expected))
    effects = [change.effect for change in dst_changes(moved, ms("2026-01-01T00:00Z"))]
    assert effects == [DstEffect.SHIFTED if expected else DstEffect.SKIPPED]


def test_clock_change_on_an_excluded_day_affects_no_run() -> None:
    """Clocks in Berlin change on Sundays."""
    assert dst_changes(schedule("30 2 * * *"), NOW) == ()
    assert [each.code for each in warnings(schedule("30 2 * * *"), NOW)] == []


def test_bounds_are_those_of_the_moved_run() -> None:
    """The run of Sunday 31 January 2027 moves to 1 February."""
    moved = schedule(MONTH_ENDS, when_excluded=WhenExcluded.NEXT)
    late = replace(moved, start_at=ms("2027-02-01T17:00Z"))
    assert runs(late, 1) == ["2027-02-01T18:00"]
    early = replace(moved, end_at=ms("2027-02-01T16:59Z"))
    assert runs(early, 9) == ["2026-11-30T18:00", "2026-12-31T18:00"]


@pytest.mark.parametrize("rule", WhenExcluded)
def test_calendar_without_a_business_day_has_no_run(rule: WhenExcluded) -> None:
    line = schedule("0 9 * * *", when_excluded=rule, days=NO_DAY)
    assert first_after(line, NOW) is None
    assert count_between(line, NOW, ms("2030-01-01T00:00Z"), 99) == 0


def test_modified_following_has_no_run_in_a_month_without_a_business_day() -> None:
    """All of February 2027 is excluded."""
    february = "1.0  20850." + "1" * 28
    line = schedule("0 9 14 * *", when_excluded=WhenExcluded.MODIFIED_FOLLOWING, days=february)
    assert runs(line, 3, ms("2027-01-01T00:00Z")) == [
        "2027-01-14T09:00",
        "2027-03-14T09:00",
        "2027-04-14T09:00",
    ]
    following = schedule("0 9 14 * *", when_excluded=WhenExcluded.NEXT, days=february)
    assert runs(following, 2, ms("2027-02-01T00:00Z")) == ["2027-03-01T09:00", "2027-03-14T09:00"]
    preceding = schedule("0 9 14 * *", when_excluded=WhenExcluded.PREVIOUS, days=february)
    assert runs(preceding, 2, ms("2027-01-15T00:00Z")) == ["2027-01-31T09:00", "2027-03-14T09:00"]


def test_far_years_exclude_the_weekend_alone() -> None:
    line = schedule("0 9 1 1 *", when_excluded=WhenExcluded.NEXT)
    assert runs(line, 2, ms("2100-12-01T00:00Z")) == ["2101-01-03T09:00", "2102-01-02T09:00"]
    assert runs(line, 1, ms("9890-06-01T00:00Z")) == ["9891-01-01T09:00"]
    assert first_after(line, ms("9899-12-31T23:00Z")) is None
    saudi = schedule("0 9 1 1 *", name="SA", timezone="UTC", when_excluded=WhenExcluded.NEXT)
    assert runs(saudi, 2, ms("2106-12-01T00:00Z")) == ["2107-01-02T09:00", "2108-01-01T09:00"]


@pytest.mark.parametrize("line", ["0 9 25 12 *", "0 9 * * sun", "0 9 1 1,5 *"])
def test_line_with_excluded_days_alone_never_fires(line: str) -> None:
    with pytest.raises(ScheduleNeverFiresError):
        check_fires(schedule(line), NOW)
    assert [each.code for each in warnings(schedule(line), NOW)] == [WarningCode.NEVER_RUNS]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("De", "send DE"),
        ("us-CA", "send US-CA"),
        ("DEU", "the two letters of a country"),
        ("ZZ", "the two letters of a country"),
        ("", "the two letters of a country"),
        ("Plant", "or a calendar of your own"),
        ("DE-XX", "send DE or one of DE-BB, "),
        ("DE-", "send DE or one of DE-BB, "),
        ("VA-X", "send VA"),
    ],
)
def test_unknown_calendar_is_refused_with_what_to_send_instead(name: str, told: str) -> None:
    with pytest.raises(ScheduleError, match=r"^calendar: ") as refused:
        CalendarRule(name=name)
    assert told in str(refused.value)
    assert refused.value.path == ("calendar",)


@pytest.mark.parametrize("nth", [0, 24, -24])
def test_business_day_that_no_month_has_is_refused(nth: int) -> None:
    with pytest.raises(ScheduleError) as refused:
        CalendarRule(name="DE", business_day=nth)
    assert refused.value.path == ("business_day",)


def test_business_day_with_a_rule_for_excluded_days_is_refused() -> None:
    with pytest.raises(ScheduleError) as refused:
        CalendarRule(name="DE", business_day=1, when_excluded=WhenExcluded.NEXT)
    assert refused.value.path == ("when_excluded",)


@pytest.mark.parametrize("line", ["0 9 1 * *", "0 9 * * mon", "0 9 L * *", "cron(0 9 ? * MON *)", "@monthly"])
def test_business_day_of_a_line_that_chooses_days_is_refused(line: str) -> None:
    with pytest.raises(ScheduleError, match="day fields") as refused:
        schedule(line, business_day=1)
    assert refused.value.path == ("business_day",)


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (
            schedule("0 9 * * *"),
            "At 09:00 on every day, only on business days of the calendar DE, in Europe/Berlin",
        ),
        (
            schedule(MONTH_ENDS, when_excluded=WhenExcluded.PREVIOUS),
            "At 18:00 on the last day of the month, moved to the previous business day of the calendar DE, "
            "in Europe/Berlin",
        ),
        (
            schedule("0 18 * * *", business_day=-1),
            "At 18:00 on the last business day of the month by the calendar DE, in Europe/Berlin",
        ),
        (
            schedule("0 18 * 3 *", business_day=-3, name="US-CA"),
            "At 18:00 on the third last business day of the month in March by the calendar US-CA, "
            "in Europe/Berlin",
        ),
        (
            schedule("0 18 * * *", business_day=22),
            "At 18:00 on the 22nd business day of the month by the calendar DE, in Europe/Berlin",
        ),
    ],
)
def test_description_names_the_calendar(of: Cron, text: str) -> None:
    assert describe(of) == text


def test_month_that_lacks_the_business_day_is_warned_of() -> None:
    (warning,) = warnings(schedule("0 18 * 1-3 *", business_day=21), ms("2027-01-01T00:00Z"))
    assert warning.code is WarningCode.MISSING_DAYS
    assert warning.text.startswith("January 2027 has no 21st business day")
    assert not warnings(schedule("0 18 * * *", business_day=15), NOW)


@pytest.mark.parametrize(
    "rule",
    [
        CalendarRule(name="DE-BY"),
        CalendarRule(name="US", when_excluded=WhenExcluded.MODIFIED_FOLLOWING),
        CalendarRule(name="JP", business_day=-2, days="1.0 56 20772.12"),
    ],
)
def test_stored_schedule_has_its_calendar(rule: CalendarRule) -> None:
    stored = replace(schedule("0 9 * * *"), calendar=rule)
    assert decode_schedule(encode_schedule(stored)) == stored
    assert without_rules(stored) == replace(stored, calendar=replace(rule, days=None))


def test_stored_schedule_without_a_calendar_is_as_before() -> None:
    plain = Cron(line="0 9 * * *", timezone="UTC")
    assert encode_schedule(plain) == {"k": "c", "l": "0 9 * * *", "z": "UTC"}
    assert decode_schedule({"k": "c", "l": "0 9 * * *", "z": "UTC"}) == plain


def test_stored_rule_of_a_newer_version_is_told_apart_from_damage() -> None:
    stored = encode_schedule(schedule("0 9 * * *", days="1.0 56 20772."))
    with pytest.raises(UnknownVersionError):
        decode_schedule(stored | {"w": "half_day"})
