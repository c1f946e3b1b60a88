"""Blackout windows by known instants: what moves, what is refused, and what frozen windows say."""

from dataclasses import replace

import pytest

from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.schedules.blackouts import MAX_BLACKOUT_DAYS, NO_BLACKOUTS, Blackout, merged, thawed
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.dst import dst_changes
from shared.domain.schedules.jitter import dispatch_at
from shared.domain.schedules.own_calendar import OwnCalendar
from shared.domain.schedules.schedule import Cron, check_fires, count_between, first_after
from tests.support.moments import ms

NOW = ms("2026-11-26T00:00Z")
"""A Thursday."""
HOUR, DAY = 3_600_000, 86_400_000


def window(low: str, high: str) -> Blackout:
    return Blackout(from_at=ms(low), until_at=ms(high))


def schedule(
    line: str,
    rule: WhenExcluded,
    *windows: Blackout,
    zone: str = "UTC",
    start_at: int | None = None,
    end_at: int | None = None,
) -> Cron:
    calendar = OwnCalendar(name="plant", version=1, changed_at=NOW, blackouts=tuple(sorted(windows)))
    days = CalendarRule(name="plant", when_excluded=rule, days=calendar.frozen(NOW, NOW))
    return Cron(line=line, timezone=zone, calendar=days, start_at=start_at, end_at=end_at)


def runs(of: Cron, count: int, after: int = NOW) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        following = first_after(of, found[-1] if found else after)
        assert following is not None
        found.append(following)
    assert count_between(of, after, found[-1], 1_000) == count
    return found


NIGHT = window("2026-11-26T20:00Z", "2026-11-27T06:00Z")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (WhenExcluded.SKIP, ["2026-11-27T22:00Z", "2026-11-30T22:00Z"]),
        (WhenExcluded.NEXT, ["2026-11-27T06:00Z", "2026-11-27T22:00Z"]),
        (WhenExcluded.PREVIOUS, ["2026-11-26T19:59Z", "2026-11-27T22:00Z"]),
        (WhenExcluded.MODIFIED_FOLLOWING, ["2026-11-27T06:00Z", "2026-11-27T22:00Z"]),
    ],
)
def test_run_in_a_blackout_window_follows_the_rule_for_excluded_days(
    rule: WhenExcluded, expected: list[str]
) -> None:
    assert runs(schedule("0 22 * * *", rule, NIGHT), 2) == list(map(ms, expected))


def test_run_at_the_start_of_a_blackout_window_is_inside_and_one_at_its_end_is_outside() -> None:
    hourly = schedule("0 * * * *", WhenExcluded.SKIP, NIGHT)
    assert runs(hourly, 2, ms("2026-11-26T18:30Z")) == [ms("2026-11-26T19:00Z"), ms("2026-11-27T06:00Z")]


def test_runs_that_one_blackout_window_moves_are_one_run() -> None:
    every = schedule("*/5 * * * *", WhenExcluded.NEXT, NIGHT)
    assert count_between(every, NIGHT.from_at - 1, NIGHT.until_at, 1_000) == 1
    odd = schedule("7 * * * *", WhenExcluded.NEXT, NIGHT)
    assert runs(odd, 2, NIGHT.from_at) == [NIGHT.until_at, NIGHT.until_at + 7 * 60_000]


def test_run_is_not_moved_from_a_blackout_window_to_a_weekend() -> None:
    """Friday night to Saturday morning: the next allowed instant is the first of Monday, in the zone of the job."""
    over = window("2026-11-27T20:00Z", "2026-11-28T06:00Z")
    for zone, monday in (("UTC", "2026-11-30T00:00Z"), ("America/New_York", "2026-11-30T05:00Z")):
        moved = schedule("0 17,22 * * *", WhenExcluded.NEXT, over, zone=zone)
        assert first_after(moved, over.from_at + 3 * HOUR) == ms(monday)


def test_run_that_leaves_one_blackout_window_and_meets_another_moves_on() -> None:
    meeting = window("2026-11-27T06:00Z", "2026-11-27T08:00Z")
    inner = window("2026-11-26T21:00Z", "2026-11-26T23:00Z")
    moved = schedule("0 22 * * *", WhenExcluded.NEXT, NIGHT, meeting, inner)
    assert first_after(moved, NOW) == ms("2026-11-27T08:00Z")


def test_run_moves_within_its_month_or_does_not_exist() -> None:
    month_end = window("2026-11-30T08:00Z", "2026-12-02T00:00Z")
    nine = schedule("0 9 * * *", WhenExcluded.MODIFIED_FOLLOWING, month_end)
    expected = ["2026-11-30T07:59Z", "2026-12-02T00:00Z", "2026-12-02T09:00Z"]
    assert runs(nine, 3, ms("2026-11-28T00:00Z")) == list(map(ms, expected))
    whole = window("2026-11-26T00:00Z", "2027-02-02T00:00Z")
    last = schedule("0 9 * * *", WhenExcluded.MODIFIED_FOLLOWING, whole)
    expected = ["2026-11-25T23:59Z", "2027-02-02T00:00Z", "2027-02-02T09:00Z"]
    assert runs(last, 3, ms("2026-11-25T12:00Z")) == list(map(ms, expected))


def test_nth_business_day_in_a_blackout_window_has_no_run() -> None:
    last = schedule("0 9 * * *", WhenExcluded.SKIP, window("2026-11-30T00:00Z", "2026-12-01T00:00Z"))
    assert last.calendar is not None
    nth = replace(last, calendar=replace(last.calendar, business_day=-1))
    assert first_after(nth, NOW) == ms("2026-12-31T09:00Z")


def test_moved_run_obeys_the_bounds_of_its_schedule() -> None:
    ended = schedule("0 22 * * *", WhenExcluded.NEXT, NIGHT, end_at=ms("2026-11-27T05:00Z"))
    assert first_after(ended, NOW) is None
    late = schedule("0 22 * * *", WhenExcluded.PREVIOUS, NIGHT, start_at=ms("2026-11-26T20:00Z"))
    assert first_after(late, NOW) == ms("2026-11-27T22:00Z")


def test_jitter_ends_before_the_next_blackout_window() -> None:
    hourly = schedule("0 19 * * *", WhenExcluded.SKIP, NIGHT)
    ids = [f"job_{number}" for number in range(200)]
    starts = [dispatch_at(hourly, each, ms("2026-11-26T19:00Z"), DAY) for each in ids]
    assert all(ms("2026-11-26T19:00Z") <= each < NIGHT.from_at for each in starts)
    assert max(starts) > ms("2026-11-26T19:30Z")


def test_clock_change_in_a_blackout_window_moves_no_run() -> None:
    change = window("2027-03-28T00:30Z", "2027-03-28T02:00Z")
    assert [
        len(dst_changes(each, NOW, 366 * DAY))
        for each in (
            schedule("30 2 * * *", WhenExcluded.SKIP, zone="Europe/Berlin"),
            schedule("30 2 * * 0", WhenExcluded.SKIP, change, zone="Europe/Berlin"),
        )
    ] == [0, 0]
    calendar = OwnCalendar(name="plant", version=1, changed_at=NOW, weekend=frozenset())
    frozen = [replace(calendar, blackouts=each).frozen(NOW, NOW) for each in ((), (change,))]
    lines = [
        Cron(line="30 2 * * *", timezone="Europe/Berlin", calendar=CalendarRule(name="plant", days=days))
        for days in frozen
    ]
    assert [[each.at for each in dst_changes(line, NOW, 200 * DAY)] for line in lines] == [
        [ms("2027-03-28T01:00Z")],
        [],
    ]
    skipped = ms("2027-03-28T00:00Z")
    assert [first_after(line, skipped) for line in lines] == [
        ms("2027-03-28T01:00Z"),
        ms("2027-03-29T00:30Z"),
    ]


def test_line_with_a_run_in_every_window_and_no_other_never_fires() -> None:
    only = schedule("0 22 26 11 *", WhenExcluded.SKIP, NIGHT, end_at=ms("2027-11-01T00:00Z"))
    with pytest.raises(ScheduleError, match="no instant from now on"):
        check_fires(only, NOW)


@pytest.mark.parametrize(
    ("low", "high", "member"),
    [
        (60_000, 60_000, "until"),
        (120_000, 60_000, "until"),
        (1, 60_000, "from"),
        (0, 60_001, "until"),
        (0, MAX_BLACKOUT_DAYS * DAY + 60_000, "until"),
    ],
)
def test_window_that_cannot_be_is_refused_at_its_member(low: int, high: int, member: str) -> None:
    with pytest.raises(InvalidValueError) as refused:
        Blackout(from_at=low, until_at=high)
    assert refused.value.path == (member,)


def test_frozen_windows_begin_with_those_that_have_not_ended() -> None:
    union = merged([NIGHT, window("2026-11-20T00:00Z", "2026-11-21T00:00Z")])
    assert thawed(union.frozen(NOW)).windows == ((NIGHT.from_at, NIGHT.until_at),)
    assert union.frozen(NIGHT.until_at) == ""
    assert NO_BLACKOUTS.frozen(0) == ""


@pytest.mark.parametrize(
    "text", ["", "A", "A.", ".A", "A.0", "A.B.0.C", "A.B.C", "A.-", "1234567.A", "A.B C"]
)
def test_text_that_is_no_frozen_windows_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError):
        thawed(text)


def test_month_without_a_run_in_a_blackout_window_has_no_moved_run() -> None:
    """Both months of the window have an instant to which a run of theirs would move."""
    month_end = window("2026-11-30T08:00Z", "2026-12-02T00:00Z")
    first = schedule("0 9 1 * *", WhenExcluded.MODIFIED_FOLLOWING, month_end)
    assert runs(first, 2) == [ms("2026-12-02T00:00Z"), ms("2027-01-01T09:00Z")]
    last = schedule("0 9 30 * *", WhenExcluded.MODIFIED_FOLLOWING, month_end)
    assert runs(last, 2) == [ms("2026-11-30T07:59Z"), ms("2026-12-30T09:00Z")]
