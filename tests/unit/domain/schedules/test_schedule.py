"""Schedules as sets of nominal instants: what comes next, what came last, how many, and how they are stored."""

from datetime import datetime
from typing import Any

import pytest

from shared.domain.errors import ScheduleError, UnreadableItemError
from shared.domain.schedules.cron_count import DayPattern
from shared.domain.schedules.instant_search import instants_back, latest_instant
from shared.domain.schedules.schedule import (
    Cron,
    Once,
    Rate,
    Schedule,
    count_between,
    decode_schedule,
    encode_schedule,
    first_after,
    instants_before,
    latest_at_or_before,
)

SECOND_MS, DAY_MS = 1_000, 86_400_000
ANCHOR = 1_735_689_600_500
RATE = Rate(interval_ms=10 * SECOND_MS, anchor=ANCHOR)
ONCE = Once(at=ANCHOR)
NOON = Cron(line="0 12 * * *", timezone="Europe/Berlin")


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


def test_one_off_schedule_has_a_single_instant() -> None:
    assert first_after(ONCE, ANCHOR - 1) == ANCHOR
    assert first_after(ONCE, ANCHOR) is None
    assert latest_at_or_before(ONCE, ANCHOR, ANCHOR) == ANCHOR
    assert latest_at_or_before(ONCE, ANCHOR - 1, 0) is None
    assert latest_at_or_before(ONCE, ANCHOR + 1, ANCHOR + 1) is None
    assert count_between(ONCE, ANCHOR - 1, ANCHOR, 5) == 1
    assert count_between(ONCE, ANCHOR, ANCHOR + 1, 5) == 0
    assert count_between(ONCE, 0, ANCHOR, 0) == 0
    assert instants_before(ONCE, ANCHOR + 1, ANCHOR, 1) == [ANCHOR]
    assert instants_before(ONCE, ANCHOR, 0, 1) == []
    assert instants_before(ONCE, ANCHOR + 1, 0, 0) == []


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (ANCHOR, ANCHOR + 10_000),
        (ANCHOR + 1, ANCHOR + 10_000),
        (ANCHOR + 9_999, ANCHOR + 10_000),
        (ANCHOR + 10_000, ANCHOR + 20_000),
        (ANCHOR + 10**12, ANCHOR + 10**12 + 10_000),
        # The anchor is the first instant: nothing comes before it, and it comes for whoever asks earlier.
        (ANCHOR - 1, ANCHOR),
        (ANCHOR - 10_001, ANCHOR),
        (-(10**15), ANCHOR),
    ],
)
def test_a_rate_counts_whole_intervals_from_its_anchor(after: int, expected: int) -> None:
    assert first_after(RATE, after) == expected


def test_a_rate_looks_back_by_arithmetic() -> None:
    far = ANCHOR + 10**15
    assert latest_at_or_before(RATE, far, 0) == far
    assert latest_at_or_before(RATE, far - 1, 0) == far - 10_000
    assert latest_at_or_before(RATE, far - 1, far - 10_000) == far - 10_000
    assert latest_at_or_before(RATE, far - 1, far - 9_999) is None
    assert latest_at_or_before(RATE, ANCHOR, 0) == ANCHOR
    assert latest_at_or_before(RATE, ANCHOR - 1, 0) is None
    assert count_between(RATE, ANCHOR, far, 10**12) == 10**11
    assert count_between(RATE, ANCHOR, far, 7) == 7
    assert count_between(RATE, 0, ANCHOR, 7) == 1
    assert count_between(RATE, far, ANCHOR, 7) == 0
    assert instants_before(RATE, far, 0, 3) == [far - 10_000, far - 20_000, far - 30_000]
    assert instants_before(RATE, ANCHOR + 10_001, 0, 10) == [ANCHOR + 10_000, ANCHOR]
    assert instants_before(RATE, far, far - 20_000, 10) == [far - 10_000, far - 20_000]
    assert instants_before(RATE, far, far - 19_999, 10) == [far - 10_000]
    assert instants_before(RATE, ANCHOR, 0, 10) == []
    assert instants_before(RATE, far, 0, 0) == []


@pytest.mark.parametrize("interval_ms", [1_000, 61_000, 366 * DAY_MS])
def test_intervals(interval_ms: int) -> None:
    assert first_after(Rate(interval_ms=interval_ms, anchor=0), 0) == interval_ms


@pytest.mark.parametrize("interval_ms", [0, -1_000, 999, 1_001, 1_500, 366 * DAY_MS + 1_000])
def test_interval_outside_its_range_or_in_fractions_of_a_second_is_refused(interval_ms: int) -> None:
    with pytest.raises(ScheduleError) as caught:
        Rate(interval_ms=interval_ms, anchor=0)
    assert caught.value.field == "interval_seconds"


def test_cron_follows_its_zone() -> None:
    assert first_after(NOON, ms("2025-03-29T12:00+01:00")) == ms("2025-03-30T12:00+02:00")
    assert latest_at_or_before(NOON, ms("2025-03-31T11:59+02:00"), 0) == ms("2025-03-30T12:00+02:00")
    assert latest_at_or_before(NOON, ms("2025-03-30T12:00+02:00"), 0) == ms("2025-03-30T12:00+02:00")
    assert latest_at_or_before(NOON, ms("2025-03-30T11:59+02:00"), ms("2025-03-29T12:01+01:00")) is None
    assert count_between(NOON, ms("2025-01-01T12:00+01:00"), ms("2026-01-01T12:00+01:00"), 1_000) == 365
    assert count_between(NOON, ms("2025-01-01T12:00+01:00"), ms("2026-01-01T12:00+01:00"), 100) == 100
    assert count_between(NOON, 10, 10, 5) == count_between(NOON, 10, 0, 5) == 0
    assert instants_before(NOON, ms("2025-03-31T12:00+02:00"), ms("2025-03-29T12:00+01:00"), 5) == [
        ms("2025-03-30T12:00+02:00"),
        ms("2025-03-29T12:00+01:00"),
    ]


@pytest.mark.parametrize(
    ("line", "timezone", "field"),
    [("0 25 * * *", "UTC", "hour"), ("0 0 * * *", "Mars/Olympus", "timezone"), ("", "", "cron")],
)
def test_cron_is_checked_when_it_is_made(line: str, timezone: str, field: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        Cron(line=line, timezone=timezone)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("schedule", "stored"),
    [
        (Once(at=5), {"k": "o", "t": 5}),
        (Rate(interval_ms=60_000, anchor=7), {"k": "r", "i": 60_000, "a": 7}),
        (Cron(line="@daily", timezone="Asia/Tokyo"), {"k": "c", "l": "@daily", "z": "Asia/Tokyo"}),
    ],
)
def test_schedules_are_stored_and_read_again(schedule: Schedule, stored: dict[str, str | int]) -> None:
    assert encode_schedule(schedule) == stored
    assert decode_schedule(stored) == schedule


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"k": "x"},
        {"k": "o"},
        {"k": "o", "t": "5"},
        {"k": "r", "i": 1_500, "a": 0},
        {"k": "r", "i": 1_000},
        {"k": "c", "l": "0 25 * * *", "z": "UTC"},
        {"k": "c", "l": "@daily", "z": "Gone/Away"},
        {"k": "c", "l": 5, "z": "UTC"},
    ],
)
def test_unreadable_schedules(stored: dict[str, Any]) -> None:
    with pytest.raises(UnreadableItemError):
        decode_schedule(stored)


# A minute line that runs in June only, seen from the end of the next May: 43,200 instants, then a long silence.
BURST = Cron(line="* * * 6 *", timezone="America/New_York")
SILENT = ms("2025-05-31T23:00-04:00")
LAST = ms("2024-06-30T23:59-04:00")


def test_the_latest_is_found_without_listing(questions: list[int]) -> None:
    assert latest_at_or_before(BURST, SILENT, 0) == LAST
    assert len(questions) < 70


def test_the_last_few_are_found_without_listing_the_rest(questions: list[int]) -> None:
    assert instants_before(BURST, SILENT, 0, 50) == [LAST - 60_000 * n for n in range(50)]
    assert len(questions) < 1_500


def test_counting_asks_for_days_only(questions: list[int]) -> None:
    assert count_between(BURST, ms("2015-01-01T00:00Z"), SILENT, 10**9) == 10 * 43_200
    assert len(questions) < 400
    questions.clear()
    assert count_between(BURST, ms("2015-01-01T00:00Z"), SILENT, 1_500) == 1_500
    assert len(questions) < 10


def test_a_day_pattern_counts_partial_days() -> None:
    pattern = DayPattern(minutes=(0, 60, 61), next_day=lambda wall: (wall // DAY_MS + 1) * DAY_MS)
    assert pattern.count(-1, 0, 100) == 1
    assert pattern.count(0, 3_600_000, 100) == 1
    assert pattern.count(0, 3_659_999, 100) == 1
    assert pattern.count(0, 3_660_000, 100) == 2
    assert pattern.count(3_600_000 - 1, DAY_MS, 100) == 3
    assert pattern.count(5, 5, 100) == 0
    assert pattern.count(3_700_000, 3_500_000, 100) == 0


@pytest.mark.parametrize("not_before", [-5, 0, 4, 95, 96])
def test_latest_instants_of_an_irregular_sequence_are_found(not_before: int) -> None:
    sequence = [0, 1, 2, 3, 50, 51, 52, 95]

    def successor(after: int) -> int | None:
        return next((one for one in sequence if one > after), None)

    for moment in range(-2, 100):
        known = [one for one in sequence if not_before <= one <= moment]
        assert latest_instant(successor, moment, not_before) == (known[-1] if known else None)
        for limit in (0, 1, 3, 20):
            assert instants_back(successor, moment + 1, not_before, limit) == known[::-1][:limit]
