"""Properties of cron instants, checked against an enumeration of every minute around awkward transitions."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.domain.errors import ScheduleNeverFiresError
from shared.domain.schedules.cron import Gap, Overlap, cron_count, cron_next, parse_cron, parse_line
from shared.domain.schedules.schedule import (
    Cron,
    count_between,
    first_after,
    instants_before,
    latest_at_or_before,
)
from tests.support.property.line_strategies import eventbridge_lines, lines
from tests.support.property.wall_clock_oracle import (
    Line,
    at,
    instants,
    minutes_of,
    nearest_weekday_where_the_day_exists,
)

DAY_MS = 86_400_000
DAYS = 4
# Two days before a transition of the zone, or of its very absence.
WINDOWS = [
    ("America/New_York", "2025-03-07T00:00"),
    ("America/New_York", "2025-10-31T00:00"),
    ("America/Havana", "2025-03-07T00:00"),
    ("America/Havana", "2025-10-31T00:00"),
    ("Australia/Lord_Howe", "2025-04-03T12:00"),
    ("Australia/Lord_Howe", "2025-10-02T12:00"),
    ("Pacific/Chatham", "2025-04-03T12:00"),
    ("Pacific/Chatham", "2025-09-25T12:00"),
    ("Antarctica/Troll", "2025-03-28T00:00"),
    ("Antarctica/Troll", "2025-10-24T00:00"),
    ("Antarctica/Casey", "2009-10-15T18:00"),
    ("Pacific/Apia", "2011-12-28T12:00"),
    ("Pacific/Kwajalein", "1993-08-19T00:00"),
    ("Africa/Casablanca", "2025-02-21T00:00"),
    ("Africa/Casablanca", "2025-04-04T00:00"),
    ("America/St_Johns", "2007-03-09T00:00"),
    ("America/St_Johns", "2007-11-02T00:00"),
    ("America/Scoresbysund", "2025-03-28T00:00"),
    ("America/Scoresbysund", "2025-10-24T00:00"),
    ("Asia/Kathmandu", "1985-12-29T18:00"),
    ("Asia/Kathmandu", "2025-03-01T00:00"),
    ("America/Caracas", "2007-12-07T06:00"),
    ("Asia/Pyongyang", "2015-08-12T15:00"),
    ("Europe/Dublin", "2025-10-24T00:00"),
    ("Europe/London", "2025-03-28T00:00"),
    ("America/Santiago", "2025-09-05T00:00"),
    ("America/Santiago", "2025-04-04T00:00"),
    ("Africa/Cairo", "2025-04-23T12:00"),
    ("Africa/Cairo", "2025-10-29T12:00"),
    ("Asia/Beirut", "2025-03-28T12:00"),
    ("Asia/Beirut", "2025-10-24T12:00"),
    ("Asia/Tehran", "2022-03-20T00:00"),
    ("Pacific/Easter", "2025-09-05T00:00"),
    ("Asia/Gaza", "2024-04-18T00:00"),
    ("Australia/Adelaide", "2025-10-03T00:00"),
    ("Europe/Lisbon", "1992-09-25T00:00"),
    ("Asia/Manila", "1978-03-20T00:00"),
    ("UTC", "2027-12-30T00:00"),
]
ZONES = sorted({zone for zone, _ in WINDOWS})
assert len(ZONES) >= 24
# Here clocks jump from 23:00 to 24:00: what falls into the gap fires on the next date.
JUMPS_TO_MIDNIGHT = {"America/Scoresbysund"}

windows = st.sampled_from(WINDOWS)
gaps = st.sampled_from(list(Gap))
overlaps = st.sampled_from(list(Overlap))
moments = st.integers(int(at("1971-01-01").timestamp()) * 1000, int(at("2100-01-01").timestamp()) * 1000)


def moments_in(window: tuple[str, str], expected: list[int]) -> st.SearchStrategy[int]:
    """Any moment of the window; often one where the clock is changed, or an instant itself."""
    minutes = minutes_of(window[0], at(window[1]), DAYS)
    first, last = minutes[0].at_ms, minutes[-1].at_ms + 59_999
    changed = [minute.at_ms for minute in minutes if minute.jumped or minute.occurs_twice] or [first]
    anywhere, chosen = (
        st.integers(first, last),
        st.sampled_from(changed) | st.sampled_from(expected or [first]),
    )
    return anywhere | st.builds(lambda one, by: max(first, one + by), chosen, st.sampled_from([-1, 0, 1]))


relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50)


@relaxed
@given(line=lines(), window=windows, gap=gaps, overlap=overlaps, data=st.data())
def test_the_next_instants_are_those_of_the_enumeration(
    line: Line, window: tuple[str, str], gap: Gap, overlap: Overlap, data: st.DataObject
) -> None:
    zone, start = window
    expected = instants(line, minutes_of(zone, at(start), DAYS), gap, overlap)
    moment = data.draw(moments_in(window, expected))
    parsed = parse_cron(line.text)
    for instant in [one for one in expected if one > moment][:30]:
        assert cron_next(parsed, zone, moment, gap, overlap) == instant
        moment = instant
    if expected and moment >= expected[-1]:
        following = cron_next(parsed, zone, moment, gap, overlap)
        assert following is not None and following >= int(at(start).timestamp()) * 1000 + DAYS * DAY_MS


@relaxed
@given(line=lines(), window=windows, gap=gaps, overlap=overlaps, data=st.data())
def test_counting_equals_the_enumeration(
    line: Line, window: tuple[str, str], gap: Gap, overlap: Overlap, data: st.DataObject
) -> None:
    zone, start = window
    expected = instants(line, minutes_of(zone, at(start), DAYS), gap, overlap)
    after, until = data.draw(moments_in(window, expected)), data.draw(moments_in(window, expected))
    limit = data.draw(st.sampled_from([0, 1, 7, 10_000]))
    count = len([one for one in expected if after < one <= until])
    assert cron_count(parse_cron(line.text), zone, after, until, limit, gap, overlap) == min(count, limit)


@relaxed
@given(window=windows, gap=gaps, overlap=overlaps, data=st.data())
def test_eventbridge_lines_fire_as_enumerated(
    window: tuple[str, str], gap: Gap, overlap: Overlap, data: st.DataObject
) -> None:
    zone, start = window
    line = data.draw(eventbridge_lines(around=at(start).year))
    expected = instants(line, minutes_of(zone, at(start), DAYS), gap, overlap)
    try:
        parsed = parse_line(line.text)
    except ScheduleNeverFiresError:
        assert not expected
        return
    moment = data.draw(moments_in(window, expected))
    later = [one for one in expected if one > moment]
    assert cron_count(
        parsed, zone, moment, minutes_of(zone, at(start), DAYS)[-1].at_ms, 10_000, gap, overlap
    ) == len(later)
    for instant in later[:30]:
        assert cron_next(parsed, zone, moment, gap, overlap) == instant
        moment = instant
    if len(later) <= 30:
        following = cron_next(parsed, zone, moment, gap, overlap)
        assert following is None or following >= int(at(start).timestamp()) * 1000 + DAYS * DAY_MS


@relaxed
@given(line=lines(), window=windows, gap=gaps, overlap=overlaps, data=st.data())
def test_a_bounded_schedule_holds_what_the_enumeration_has_between_its_bounds(
    line: Line, window: tuple[str, str], gap: Gap, overlap: Overlap, data: st.DataObject
) -> None:
    """Both bounds are included; each question agrees with the same list."""
    zone, start = window
    every = instants(line, minutes_of(zone, at(start), DAYS), gap, overlap)
    moment = moments_in(window, every)
    start_at, end_at = sorted((data.draw(moment), data.draw(moment)))
    schedule = Cron(line=line.text, timezone=zone, gap=gap, overlap=overlap, start_at=start_at, end_at=end_at)
    expected = [one for one in every if start_at <= one <= end_at]
    low, high, limit = data.draw(moment), data.draw(moment), data.draw(st.integers(1, 25))
    assert first_after(schedule, low) == next((one for one in expected if one > low), None)
    assert first_after(schedule, start_at - 10**9) == (expected[0] if expected else None)
    inside = [one for one in expected if low <= one <= high]
    assert latest_at_or_before(schedule, high, low) == (inside[-1] if inside else None)
    assert instants_before(schedule, high + 1, low, limit) == inside[::-1][:limit]
    assert count_between(schedule, low - 1, high, limit) == min(len(inside), limit)


@relaxed
@given(line=lines(), moment=moments)
def test_far_days_are_found_one_by_one(line: Line, moment: int) -> None:
    """In UTC, over as many years as the next two instants need."""
    parsed = parse_cron(line.text)
    for _ in range(2):
        found = cron_next(parsed, "UTC", moment)
        assert found is not None and found > moment
        wall = datetime.fromtimestamp(found / 1000, UTC)
        assert line.matches(wall) and found % 60_000 == 0
        day = datetime.fromtimestamp(moment / 1000, UTC).date() + timedelta(days=1)
        while day < wall.date():
            assert not line.day_matches(day)
            day += timedelta(days=1)
        moment = found


@relaxed
@given(
    number=st.integers(27, 31),
    months=st.frozensets(st.integers(1, 12), min_size=1),
    year=st.integers(1971, 2190),
)
def test_eventbridge_weekday_nearest_to_a_day_fires_in_the_months_that_have_that_day(
    number: int, months: frozenset[int], year: int
) -> None:
    """Nine years, day by day: enough to meet each February, also around 2100, which is no leap year."""
    text = f"cron(0 0 {number}W {','.join(map(str, months))} ? {year}-{year + 8})"
    fires_on = nearest_weekday_where_the_day_exists(number)
    days = [date(year, 1, 1) + timedelta(days=count) for count in range(9 * 366)]
    expected = [day for day in days if day.year <= year + 8 and day.month in months and fires_on(day)]
    if not expected:
        with pytest.raises(ScheduleNeverFiresError):
            parse_line(text)
        return
    line, found, moment = parse_line(text), [], 0
    while (instant := cron_next(line, "UTC", moment)) is not None:
        found.append(datetime.fromtimestamp(instant / 1000, UTC).date())
        moment = instant
    assert found == expected
    assert cron_count(line, "UTC", 0, 10**14, 10**6) == len(expected)


@relaxed
@given(line=lines(), zone=st.sampled_from(ZONES), moment=moments, gap=gaps, overlap=overlaps, data=st.data())
def test_every_moment_up_to_the_next_instant_has_the_same_next(
    line: Line, zone: str, moment: int, gap: Gap, overlap: Overlap, data: st.DataObject
) -> None:
    parsed = parse_cron(line.text)
    found = cron_next(parsed, zone, moment, gap, overlap)
    assert found is not None and found > moment
    between = data.draw(st.integers(moment, found - 1))
    assert cron_next(parsed, zone, between, gap, overlap) == found
    assert cron_next(parsed, zone, found - 1, gap, overlap) == found


@settings(deadline=None, max_examples=20)
@given(
    zone=st.sampled_from(sorted(set(ZONES) - JUMPS_TO_MIDNIGHT)),
    year=st.integers(1993, 2040),
    hour=st.integers(0, 23),
    minute=st.sampled_from([0, 1, 15, 30, 59]),
)
def test_a_fixed_daily_line_fires_once_on_every_date_that_exists(
    zone: str, year: int, hour: int, minute: int
) -> None:
    tz = ZoneInfo(zone)
    line = parse_cron(f"{minute} {hour} * * *")
    start = int(datetime(year, 1, 1, tzinfo=UTC).timestamp())
    existing: set[date] = {datetime.fromtimestamp(start + n * 3600, tz).date() for n in range(366 * 24)}
    inner = sorted(existing)[1:-1]
    fired: Counter[date] = Counter()
    moment: int | None = start * 1000 - DAY_MS
    while moment is not None and moment < (start + 367 * 86_400) * 1000:
        moment = cron_next(line, zone, moment)
        assert moment is not None
        fired[datetime.fromtimestamp(moment // 1000, tz).date()] += 1
    assert [fired[day] for day in inner] == [1] * len(inner)


@pytest.mark.parametrize("zone", [z for z in ZONES if z not in ("Pacific/Apia", "Pacific/Kwajalein")])
@pytest.mark.parametrize("year", [2007, 2025])
def test_every_quarter_of_an_hour_is_900_seconds_after_the_last(zone: str, year: int) -> None:
    line = parse_cron("*/15 * * * *")
    for month in (3, 4, 9, 10, 11):
        moment = int(datetime(year, month, 1, tzinfo=UTC).timestamp()) * 1000
        count = cron_count(line, zone, moment, moment + 30 * DAY_MS, 10_000)
        assert count == 30 * 96
    transitions = [start for where, start in WINDOWS if where == zone]
    for start in transitions:
        moment = int((at(start) + timedelta(days=1)).timestamp()) * 1000
        found: list[int] = []
        while len(found) < 250:
            moment = cron_next(line, zone, moment) or 0
            found.append(moment)
        assert {later - earlier for earlier, later in pairwise(found)} == {900_000}


@settings(deadline=None, max_examples=40)
@given(
    zone=st.sampled_from(["America/New_York", "Europe/Dublin", "America/Havana", "Pacific/Chatham"]),
    day=st.dates(date(2008, 1, 1), date(2060, 12, 31)),
)
def test_an_hourly_line_fires_23_24_or_25_times_a_day(zone: str, day: date) -> None:
    tz = ZoneInfo(zone)
    midnight = datetime.combine(day, datetime.min.time(), tz)
    following = datetime.combine(day + timedelta(days=1), datetime.min.time(), tz)
    start, end = int(midnight.timestamp()), int(following.timestamp())
    count = cron_count(parse_cron("0 * * * *"), zone, start * 1000 - 1, end * 1000 - 1, 100)
    assert count == (end - start) // 3600
    assert count in (23, 24, 25)
