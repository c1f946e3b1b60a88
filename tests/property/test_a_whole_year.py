"""Three common lines over a whole year in 24 zones, against every quarter of an hour that the year has."""

from datetime import date

import pytest

from shared.domain.schedule import Cron, Gap, Overlap, count_between, first_after
from tests.property.wall_clock_oracle import Line, any_day, at, instants, minutes_of

YEAR_START, DAYS = "2025-01-01T00:00", 365
LINES = [
    Line("0 9 * * *", frozenset({0}), frozenset({9}), any_day, is_interval=False),
    Line("*/15 * * * *", frozenset({0, 15, 30, 45}), frozenset(range(24)), any_day, is_interval=True),
    Line("30 2 * * *", frozenset({30}), frozenset({2}), any_day, is_interval=False),
]
POLICIES = [(Gap.SHIFT, Overlap.FIRST), (Gap.SKIP, Overlap.FIRST), (Gap.SKIP, Overlap.BOTH)]
ZONES = """
Africa/Cairo Africa/Casablanca America/Havana America/New_York America/Nuuk America/Sao_Paulo America/Santiago
America/St_Johns Antarctica/Troll Asia/Beirut Asia/Gaza Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Tokyo
Australia/Adelaide Australia/Lord_Howe Europe/Berlin Europe/Dublin Europe/London Pacific/Apia Pacific/Chatham
Pacific/Easter UTC
""".split()
assert len(ZONES) == 24


@pytest.mark.parametrize("zone", ZONES)
def test_no_instant_is_missing_and_none_is_added(zone: str) -> None:
    quarters = minutes_of(zone, at(YEAR_START), DAYS, every=15)
    first, last = quarters[0].at_ms, quarters[-1].at_ms
    for line in LINES:
        for gap, overlap in POLICIES if not line.is_interval else POLICIES[:1]:
            schedule = Cron(line=line.text, timezone=zone, gap=gap, overlap=overlap)
            expected = instants(line, quarters, gap, overlap)
            assert count_between(schedule, first - 1, last, 10**6) == len(expected)
            moment, found = first - 1, []
            while (following := first_after(schedule, moment)) is not None and following <= last:
                found.append(following)
                moment = following
            assert found == expected
    minutes_of.cache_clear()


def test_the_year_is_a_whole_one() -> None:
    assert (date(2026, 1, 1) - date.fromisoformat(YEAR_START[:10])).days == DAYS
