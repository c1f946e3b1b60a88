"""Three common lines over a whole year in 24 zones, against every quarter of an hour that the year has."""

from datetime import date

import pytest

from shared.domain.schedules.schedule import Cron, Gap, Overlap, count_between, first_after
from tests.support.property.wall_clock_oracle import Line, Minute, any_day, at, instants, minutes_of

YEAR_START, DAYS, DAY_MS = "2025-01-01T00:00", 365, 86_400_000
QUARTERS = Line("*/15 * * * *", frozenset({0, 15, 30, 45}), frozenset(range(24)), any_day, is_interval=True)
DAILY = [
    Line("0 9 * * *", frozenset({0}), frozenset({9}), any_day, is_interval=False),
    Line("30 2 * * *", frozenset({30}), frozenset({2}), any_day, is_interval=False),
]
POLICIES = [(Gap.SHIFT, Overlap.FIRST), (Gap.SKIP, Overlap.SECOND), (Gap.SKIP, Overlap.BOTH)]
ZONES = [
    *("Africa/Cairo", "Africa/Casablanca", "America/Havana", "America/New_York", "America/Nuuk"),
    *("America/Sao_Paulo", "America/Santiago", "America/St_Johns", "Antarctica/Troll", "Asia/Beirut"),
    *("Asia/Gaza", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Tokyo", "Australia/Adelaide"),
    *("Australia/Lord_Howe", "Europe/Berlin", "Europe/Dublin", "Europe/London", "Pacific/Apia"),
    *("Pacific/Chatham", "Pacific/Easter", "UTC"),
]
assert len(ZONES) == 24


def listed(schedule: Cron, first: int, last: int) -> list[int]:
    """The instants in [first, last], asked for one by one."""
    found, moment = [], first - 1
    while (following := first_after(schedule, moment)) is not None and following <= last:
        found.append(following)
        moment = following
    return found


def changes(quarters: tuple[Minute, ...]) -> list[int]:
    return [one.at_ms for one in quarters if one.jumped or (one.occurs_twice and not one.second_pass)]


@pytest.mark.parametrize("zone", ZONES)
def test_no_instant_is_missing_and_none_is_added(zone: str) -> None:
    """Daily lines are listed for the whole year; the dense one around clock changes, and counted on every day."""
    quarters = minutes_of(zone, at(YEAR_START), DAYS, every=15)
    first, last = quarters[0].at_ms, quarters[-1].at_ms
    for line in DAILY:
        for gap, overlap in POLICIES:
            schedule = Cron(line=line.text, timezone=zone, gap=gap, overlap=overlap)
            expected = instants(line, quarters, gap, overlap)
            assert listed(schedule, first, last) == expected
            assert count_between(schedule, first - 1, last, 10**6) == len(expected)
    dense, expected = Cron(line=QUARTERS.text, timezone=zone), instants(QUARTERS, quarters, "shift", "first")
    for day in range(first, last, DAY_MS):
        inside = [one for one in expected[(day - first) // 900_000 :][:200] if day <= one < day + DAY_MS]
        assert count_between(dense, day - 1, day + DAY_MS - 1, 1_000) == len(inside) == 96
    for change in [first, *changes(quarters)[::4]]:
        low, high = max(first, change - DAY_MS), min(last, change + DAY_MS)
        assert listed(dense, low, high) == [one for one in expected if low <= one <= high]
    minutes_of.cache_clear()


def test_the_year_is_a_whole_one() -> None:
    assert (date(2026, 1, 1) - date.fromisoformat(YEAR_START[:10])).days == DAYS
