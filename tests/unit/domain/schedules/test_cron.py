"""Dated tables: what a line does where clocks go forward and back."""

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from shared.domain.errors import ScheduleError
from shared.domain.schedules.cron import HORIZON_MS, Gap, Overlap, cron_count, cron_next, parse_cron
from shared.domain.schedules.cron_count import DayPattern, count_instants
from shared.domain.schedules.cron_walk import DAY_MS, MAX_LOST_MATCHES, WallClock, first_instant
from shared.domain.schedules.zones import REACH_MS, load_zone, segment_at

MINUTE_MS = 60_000

NEW_YORK, HAVANA, LORD_HOWE = "America/New_York", "America/Havana", "Australia/Lord_Howe"
CHATHAM, TROLL, APIA = "Pacific/Chatham", "Antarctica/Troll", "Pacific/Apia"
CASABLANCA, ST_JOHNS, KATHMANDU = "Africa/Casablanca", "America/St_Johns", "Asia/Kathmandu"
SCORESBYSUND, CASEY = "America/Scoresbysund", "Antarctica/Casey"


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


def fires(line: str, zone: str, first: str, last: str, **policy: str) -> list[str]:
    """Local times with their offsets, of all instants on these local dates."""
    tz = ZoneInfo(zone)
    start = int(datetime.fromisoformat(first).replace(tzinfo=tz).timestamp()) * 1000
    end = (datetime.fromisoformat(last) + timedelta(days=1)).replace(tzinfo=tz).timestamp() * 1000
    chosen = (Gap(policy.get("gap", "shift")), Overlap(policy.get("overlap", "first")))
    found, moment = [], start - 1
    while (moment := cron_next(parse_cron(line), zone, moment, *chosen) or HORIZON_MS) < end:
        found.append(datetime.fromtimestamp(moment / 1000, tz).strftime("%d %H:%M %z"))
    assert cron_count(parse_cron(line), zone, start - 1, int(end) - 1, 10_000, *chosen) == len(found)
    return found


QUARTERS = [f"02 01:{minute:02} {offset}" for offset in ("-0400", "-0500") for minute in (0, 15, 30, 45)]


@pytest.mark.parametrize(
    ("line", "zone", "first", "last", "expected"),
    [
        ("30 2 * * *", NEW_YORK, "2025-03-09", "2025-03-09", ["09 03:00 -0400"]),
        ("30 2 * * *", NEW_YORK, "2025-11-02", "2025-11-02", ["02 02:30 -0500"]),
        ("*/15 1-3 9 3 *", NEW_YORK, "2025-03-09", "2025-03-09", [
            *(f"09 01:{minute:02} -0500" for minute in (0, 15, 30, 45)),
            *(f"09 03:{minute:02} -0400" for minute in (0, 15, 30, 45)),
        ]),
        ("*/15 1 * * *", NEW_YORK, "2025-11-02", "2025-11-02", QUARTERS),
        ("30 1 * * *", NEW_YORK, "2025-03-09", "2025-03-09", ["09 01:30 -0500"]),
        ("30 1 * * *", NEW_YORK, "2025-11-02", "2025-11-02", ["02 01:30 -0400"]),
        ("0 0 * * *", HAVANA, "2025-03-08", "2025-03-10", ["08 00:00 -0500", "09 01:00 -0400", "10 00:00 -0400"]),
        ("0 0 * * *", HAVANA, "2025-11-01", "2025-11-03", ["01 00:00 -0400", "02 00:00 -0400", "03 00:00 -0500"]),
        ("*/30 1-3 * * *", NEW_YORK, "2025-03-09", "2025-03-09", [
            "09 01:00 -0500", "09 01:30 -0500", "09 03:00 -0400", "09 03:30 -0400",
        ]),
        ("*/30 1-3 * * *", NEW_YORK, "2025-11-02", "2025-11-02", [
            "02 01:00 -0400", "02 01:30 -0400", "02 01:00 -0500", "02 01:30 -0500",
            "02 02:00 -0500", "02 02:30 -0500", "02 03:00 -0500", "02 03:30 -0500",
        ]),
        # Several in one gap fire once, and one at its end is not fired twice.
        ("0,15,30 2 * * *", NEW_YORK, "2025-03-09", "2025-03-09", ["09 03:00 -0400"]),
        ("0,30 2-3 * * *", NEW_YORK, "2025-03-09", "2025-03-09", ["09 03:00 -0400", "09 03:30 -0400"]),
        # Half an hour: the gap is from 02:00 to 02:30, the overlap from 01:30 to 02:00.
        ("15 2 * * *", LORD_HOWE, "2025-10-05", "2025-10-05", ["05 02:30 +1100"]),
        ("45 1 * * *", LORD_HOWE, "2025-04-06", "2025-04-06", ["06 01:45 +1100"]),
        ("*/20 1-2 * * *", LORD_HOWE, "2025-04-06", "2025-04-06", [
            "06 01:00 +1100", "06 01:20 +1100", "06 01:40 +1100", "06 01:40 +1030",
            "06 02:00 +1030", "06 02:20 +1030", "06 02:40 +1030",
        ]),
        ("0 3 * * *", CHATHAM, "2025-09-28", "2025-09-28", ["28 03:45 +1345"]),
        ("0 3 * * *", CHATHAM, "2025-04-06", "2025-04-06", ["06 03:00 +1345"]),
        # Two hours.
        ("30 1,2 * * *", TROLL, "2025-03-30", "2025-03-30", ["30 03:00 +0200"]),
        ("30 1,2 * * *", TROLL, "2025-10-26", "2025-10-26", ["26 01:30 +0200", "26 02:30 +0200"]),
        # Exactly three hours shift, a lost day does not.
        ("0 3 * * *", CASEY, "2009-10-18", "2009-10-18", ["18 05:00 +1100"]),
        ("0 12 * * *", APIA, "2011-12-29", "2011-12-31", ["29 12:00 -1000", "31 12:00 +1400"]),
        ("0 0 * * *", APIA, "2011-12-29", "2011-12-31", ["29 00:00 -1000", "31 00:00 +1400"]),
        # Winter time during Ramadan.
        ("30 2 * * *", CASABLANCA, "2025-02-23", "2025-02-23", ["23 02:30 +0100"]),
        ("30 2 * * *", CASABLANCA, "2025-04-06", "2025-04-06", ["06 03:00 +0100"]),
        # The clocks went at one minute past midnight.
        ("30 0 * * *", ST_JOHNS, "2007-03-11", "2007-03-11", ["11 01:01 -0230"]),
        ("0 0 * * *", ST_JOHNS, "2007-11-03", "2007-11-04", ["03 00:00 -0230", "04 00:00 -0230"]),
        ("30 23 * * *", ST_JOHNS, "2007-11-03", "2007-11-04", ["03 23:30 -0230", "04 23:30 -0330"]),
        # A quarter of an hour, once, in 1986.
        ("5 0 * * *", KATHMANDU, "1985-12-31", "1986-01-02", ["31 00:05 +0530", "01 00:15 +0545", "02 00:05 +0545"]),
        # A gap up to midnight: what falls into it fires on the next date.
        ("30 23 * * *", SCORESBYSUND, "2025-03-28", "2025-03-30", [
            "28 23:30 -0200", "30 00:00 -0100", "30 23:30 -0100",
        ]),
    ],
)  # fmt: skip
def test_default_policies(line: str, zone: str, first: str, last: str, expected: list[str]) -> None:
    assert fires(line, zone, first, last) == expected


def test_an_hourly_line_fires_23_and_25_times() -> None:
    assert len(fires("0 * * * *", NEW_YORK, "2025-03-09", "2025-03-09")) == 23
    assert len(fires("0 * * * *", NEW_YORK, "2025-11-02", "2025-11-02")) == 25


def test_a_day_that_the_clock_goes_back_to_is_not_over() -> None:
    """The next match is a month away, were it not for the overlap just ahead."""
    saturday = fires("0 22-23 * * 6L", SCORESBYSUND, "2025-10-25", "2025-10-25", overlap="both")
    assert saturday == ["25 22:00 -0100", "25 23:00 -0100", "25 23:00 -0200"]
    assert len(fires("0 * * * 6L", SCORESBYSUND, "2025-10-25", "2025-10-25")) == 25
    second = fires("30 23 * * 6L", SCORESBYSUND, "2025-10-25", "2025-10-25", overlap="second")
    assert second == ["25 23:30 -0200"]


def test_a_quarterly_line_goes_on_by_elapsed_time() -> None:
    spring = fires("*/15 * * * *", NEW_YORK, "2025-03-09", "2025-03-09")
    autumn = fires("*/15 * * * *", NEW_YORK, "2025-11-02", "2025-11-02")
    assert spring[7:9] == ["09 01:45 -0500", "09 03:00 -0400"]
    assert [one for one in autumn if " 01:" in one] == QUARTERS
    assert (len(spring), len(autumn)) == (23 * 4, 25 * 4)


@pytest.mark.parametrize(
    ("policy", "spring", "autumn"),
    [
        ({"gap": "shift", "overlap": "first"}, ["09 03:00 -0400"], ["02 01:30 -0400"]),
        ({"gap": "skip", "overlap": "first"}, [], ["02 01:30 -0400"]),
        ({"gap": "shift", "overlap": "second"}, ["09 03:00 -0400"], ["02 01:30 -0500"]),
        ({"gap": "skip", "overlap": "both"}, [], ["02 01:30 -0400", "02 01:30 -0500"]),
    ],
)
def test_chosen_policies(policy: dict[str, str], spring: list[str], autumn: list[str]) -> None:
    assert fires("30 2 * * *", NEW_YORK, "2025-03-09", "2025-03-09", **policy) == spring
    assert fires("30 1 * * *", NEW_YORK, "2025-11-02", "2025-11-02", **policy) == autumn
    assert fires("*/30 2 * * *", NEW_YORK, "2025-03-09", "2025-03-09", **policy) == []
    assert len(fires("30 */1 * * *", NEW_YORK, "2025-11-02", "2025-11-02", **policy)) == 25


DAILY = {
    "lord howe": ("15 2 * * *", LORD_HOWE, "2025-10-05", "45 1 * * *", "2025-04-06"),
    "chatham": ("0 3 * * *", CHATHAM, "2025-09-28", "0 3 * * *", "2025-04-06"),
    "troll": ("30 1 * * *", TROLL, "2025-03-30", "30 1 * * *", "2025-10-26"),
    "havana": ("0 0 * * *", HAVANA, "2025-03-09", "0 0 * * *", "2025-11-02"),
    "casablanca": ("30 2 * * *", CASABLANCA, "2025-04-06", "30 2 * * *", "2025-02-23"),
    "st johns": ("30 0 * * *", ST_JOHNS, "2007-03-11", "30 23 * * *", "2007-11-03"),
}


@pytest.mark.parametrize("where", DAILY)
def test_every_policy_where_a_daily_line_meets_a_change_of_the_clocks(where: str) -> None:
    spring_line, zone, spring, autumn_line, autumn = DAILY[where]
    shifted = fires(spring_line, zone, spring, spring)
    assert len(shifted) == 1
    assert fires(spring_line, zone, spring, spring, gap="skip") == []
    after = (date.fromisoformat(autumn) + timedelta(days=1)).isoformat()
    first, next_day = fires(autumn_line, zone, autumn, after, overlap="first")
    second, same_day = fires(autumn_line, zone, autumn, after, overlap="second")
    assert first != second and next_day == same_day
    assert fires(autumn_line, zone, autumn, after, overlap="both") == [first, second, next_day]


@pytest.mark.parametrize("gap", ["shift", "skip"])
def test_a_day_that_a_zone_leaves_out_is_skipped_whatever_the_policy(gap: str) -> None:
    assert fires("0 12 * * *", APIA, "2011-12-29", "2011-12-31", gap=gap) == [
        "29 12:00 -1000",
        "31 12:00 +1400",
    ]


@pytest.mark.parametrize(
    ("line", "zone"),
    [
        ("30 2 * 3 0#2", NEW_YORK),
        ("*/30 2 * 3 0#2", NEW_YORK),
        ("30 2 * 3 0L", "Europe/Berlin"),
        ("30 2 * 3 0#5", "Europe/Berlin"),
    ],
)
def test_a_line_that_matches_skipped_times_alone_never_fires_and_that_is_soon_known(
    line: str, zone: str, questions: list[int]
) -> None:
    assert cron_next(parse_cron(line), zone, ms("2025-01-01T00:00Z"), Gap.SKIP) is None
    assert len(questions) <= 2 * MAX_LOST_MATCHES


def test_matches_that_are_lost_for_years_on_end_are_not_the_last() -> None:
    """The fourth Sunday of March is the last one, when the clocks go forward, in four of seven years or so."""
    line, moment, years = parse_cron("30 2 * 3 0#4"), ms("2025-01-01T00:00Z"), []
    for _ in range(5):
        moment = cron_next(line, "Europe/Berlin", moment, Gap.SKIP) or 0
        years.append(datetime.fromtimestamp(moment / 1000, UTC).year)
    assert (
        years
        == [
            year
            for year in range(2025, 2050)
            if sum(date(year, 3, day).weekday() == 6 for day in range(1, 32)) == 5
        ][:5]
    )


@pytest.mark.parametrize(
    ("line", "moment", "expected"),
    [
        ("0 9 L * *", "2025-02-01T00:00Z", ["2025-02-28", "2025-03-31", "2025-04-30"]),
        ("0 9 15,L * *", "2024-02-01T00:00Z", ["2024-02-15", "2024-02-29", "2024-03-15"]),
        ("0 9 15W * *", "2025-02-01T00:00Z", ["2025-02-14", "2025-03-14", "2025-04-15"]),
        ("0 9 1w * *", "2025-02-01T00:00Z", ["2025-02-03", "2025-03-03", "2025-04-01"]),
        ("0 9 31W * *", "2025-04-01T00:00Z", ["2025-04-30", "2025-05-30", "2025-06-30"]),
        ("0 9 * * 1#1", "2025-02-01T00:00Z", ["2025-02-03", "2025-03-03", "2025-04-07"]),
        ("0 9 * * fri#5", "2025-02-01T00:00Z", ["2025-05-30", "2025-08-29", "2025-10-31"]),
        ("0 9 * * 5L", "2025-02-01T00:00Z", ["2025-02-28", "2025-03-28", "2025-04-25"]),
        ("0 9 * * friL", "2025-02-01T00:00Z", ["2025-02-28", "2025-03-28", "2025-04-25"]),
        ("0 9 * * L7", "2025-02-01T00:00Z", ["2025-02-23", "2025-03-30", "2025-04-27"]),
        ("0 9 13 * 5", "2025-02-10T00:00Z", ["2025-02-13", "2025-02-14", "2025-02-21"]),
        ("0 9 */1 * 5", "2025-02-10T00:00Z", ["2025-02-14", "2025-02-21", "2025-02-28"]),
        ("0 9 */16 * 5", "2025-02-10T00:00Z", ["2025-02-14", "2025-02-17", "2025-02-21"]),
        ("0 9 29 2 *", "2096-03-01T00:00Z", ["2104-02-29", "2108-02-29", "2112-02-29"]),
        ("0 9 * 2 1#5", "2025-01-01T00:00Z", ["2044-02-29", "2072-02-29", "2112-02-29"]),
        ("0 9 30 2 1", "2025-02-01T00:00Z", ["2025-02-03", "2025-02-10", "2025-02-17"]),
        ("0 9 * * 6-7", "2025-02-01T10:00Z", ["2025-02-02", "2025-02-08", "2025-02-09"]),
        ("@daily", "2025-02-01T00:00Z", ["2025-02-02", "2025-02-03", "2025-02-04"]),
        ("@weekly", "2025-02-01T00:00Z", ["2025-02-02", "2025-02-09", "2025-02-16"]),
        ("@monthly", "2025-02-01T00:00Z", ["2025-03-01", "2025-04-01", "2025-05-01"]),
        ("@yearly", "2025-02-01T00:00Z", ["2026-01-01", "2027-01-01", "2028-01-01"]),
    ],
)
def test_days(line: str, moment: str, expected: list[str]) -> None:
    found, after = [], ms(moment)
    for _ in expected:
        after = cron_next(parse_cron(line), "UTC", after) or 0
        found.append(datetime.fromtimestamp(after / 1000, ZoneInfo("UTC")).date().isoformat())
    assert found == expected


def test_cron_next_and_count_from_within_an_overlap() -> None:
    """The first pass of 01:00 to 02:00 lasts until 06:00Z, the second until 07:00Z."""
    line, end = parse_cron("0-59/10 1-2 * * *"), ms("2025-11-02T08:00Z")
    for moment, first, second in (("05:25", 9, 12), ("06:25", 6, 9), ("05:59", 6, 12)):
        after = ms(f"2025-11-02T{moment}Z")
        assert cron_count(line, NEW_YORK, after, end - 1, 99, overlap=Overlap.FIRST) == first
        assert cron_count(line, NEW_YORK, after, end - 1, 99, overlap=Overlap.SECOND) == second
    after = ms("2025-11-02T05:25Z")
    assert cron_next(line, NEW_YORK, after, overlap=Overlap.FIRST) == ms("2025-11-02T05:30Z")
    assert cron_next(line, NEW_YORK, after, overlap=Overlap.SECOND) == ms("2025-11-02T06:00Z")
    assert cron_next(line, NEW_YORK, ms("2025-11-02T06:25Z")) == ms("2025-11-02T07:00Z")


def test_the_answer_is_strictly_later_to_the_millisecond() -> None:
    line, noon = parse_cron("0 12 * * *"), ms("2025-06-01T12:00Z")
    assert cron_next(line, "UTC", noon - 1) == noon
    assert cron_next(line, "UTC", noon) == noon + 86_400_000
    assert cron_next(line, "UTC", noon + 1) == noon + 86_400_000


def test_the_calendar_ends() -> None:
    line = parse_cron("@hourly")
    assert cron_next(line, "UTC", -(10**30)) == 0
    assert cron_next(line, "UTC", HORIZON_MS - 1) == HORIZON_MS
    assert cron_next(line, "UTC", HORIZON_MS) is None
    assert cron_next(parse_cron("1 * * * *"), "UTC", HORIZON_MS - 1) is None
    assert cron_next(line, "UTC", 10**30) is None
    assert cron_count(line, "UTC", 10**30, 10**31, 5) == 0
    assert cron_count(line, "UTC", HORIZON_MS - 3_600_000, 10**31, 5) == 1


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ScheduleError, match="unknown time zone"):
        cron_next(parse_cron("@hourly"), "Mars/Olympus", 0)


class OneChange(tzinfo):
    """Two hours ahead of UTC until an instant, then on UTC."""

    def __init__(self, change_ms: int) -> None:
        self.change = datetime.fromtimestamp(change_ms / 1000, UTC).replace(tzinfo=None)

    def fromutc(self, moment: datetime) -> datetime:
        bare = moment.replace(tzinfo=None)
        ahead = timedelta(hours=2 if bare < self.change else 0)
        return (bare + ahead).replace(tzinfo=timezone(ahead))

    def utcoffset(self, moment: datetime | None) -> timedelta:
        raise NotImplementedError

    def dst(self, moment: datetime | None) -> timedelta:
        raise NotImplementedError

    def tzname(self, moment: datetime | None) -> str:
        raise NotImplementedError


def test_the_cut_end_of_a_segment_does_not_hide_an_overlap_behind_it() -> None:
    """Segments are cut where sampling stops, here half an hour before the change of the offset."""
    block_end = segment_at(load_zone("UTC"), ms("2025-06-01T00:00Z")).end_ms - REACH_MS
    cut, moment = block_end + REACH_MS, block_end - 1
    # Any: a real ZoneInfo cannot be given rules of its own.
    zone: Any = OneChange(cut + 30 * MINUTE_MS)
    assert segment_at(zone, moment).end_ms == cut
    clock = WallClock(zone=zone, gap=Gap.SHIFT, overlap=Overlap.SECOND)
    wall = cut - 10 * MINUTE_MS + 2 * 60 * MINUTE_MS
    assert first_instant(lambda after: wall if after < wall else wall + REACH_MS, clock, moment) == wall
    minutes = (wall // MINUTE_MS % 1440,)
    daily = DayPattern(minutes=minutes, next_day=lambda after: (after // DAY_MS + 1) * DAY_MS)
    assert count_instants(daily, clock, moment, cut - MINUTE_MS, 100) == 15
    assert count_instants(daily, clock, moment, cut, 100) == 15
    assert count_instants(daily, clock, moment, wall - 1, 100) == 15
    assert count_instants(daily, clock, moment, wall, 100) == 16


def test_a_far_match_is_not_searched_again_in_each_segment() -> None:
    asked = []

    def step(wall_ms: int) -> int:
        asked.append(wall_ms)
        return ms("2065-07-01T12:00Z")

    clock = WallClock(zone=load_zone(NEW_YORK), gap=Gap.SHIFT, overlap=Overlap.FIRST)
    assert first_instant(step, clock, ms("2025-01-01T00:00Z")) == ms("2065-07-01T12:00-04:00")
    assert len(asked) == 1
