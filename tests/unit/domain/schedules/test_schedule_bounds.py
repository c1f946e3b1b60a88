"""Bounds of schedules: no nominal instant before the start or after the end, both of them included."""

from datetime import datetime

import pytest

from shared.domain.errors import ScheduleError, ScheduleNeverFiresError, UnreadableItemError
from shared.domain.schedules.schedule import (
    Cron,
    Gap,
    Overlap,
    Rate,
    check_fires,
    count_between,
    decode_schedule,
    encode_schedule,
    first_after,
    instants_before,
    latest_at_or_before,
)

MINUTE, DAY = 60_000, 86_400_000


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


START, END = ms("2025-06-01T09:00Z"), ms("2025-06-10T09:00Z")
BOUNDED = Cron(line="0 9 * * *", timezone="UTC", start_at=START, end_at=END)
RATE = Rate(interval_ms=10_000, anchor=START, end_at=START + 100_000)


def test_a_bounded_line_fires_at_both_of_its_bounds_and_not_beyond() -> None:
    assert first_after(BOUNDED, 0) == first_after(BOUNDED, START - 1) == START
    assert first_after(BOUNDED, END - 1) == END
    assert first_after(BOUNDED, END) is None
    assert first_after(BOUNDED, END + DAY) is None
    assert count_between(BOUNDED, 0, END + 9 * DAY, 100) == 10
    assert latest_at_or_before(BOUNDED, END + 9 * DAY, 0) == END
    assert latest_at_or_before(BOUNDED, START - 1, 0) is None
    assert instants_before(BOUNDED, END + DAY, 0, 100) == [END - DAY * n for n in range(10)]


def test_bounds_a_millisecond_inside_leave_those_instants_out() -> None:
    inner = Cron(line="0 9 * * *", timezone="UTC", start_at=START + 1, end_at=END - 1)
    assert first_after(inner, 0) == START + DAY
    assert first_after(inner, END - DAY) is None
    assert count_between(inner, 0, END + DAY, 100) == 8
    assert latest_at_or_before(inner, END, 0) == END - DAY


def test_a_bounded_rate_counts_from_its_start_to_its_end() -> None:
    assert first_after(RATE, 0) == START
    assert first_after(RATE, START + 90_000) == START + 100_000
    assert first_after(RATE, START + 100_000) is None
    assert first_after(RATE, START + 10**12) is None
    assert count_between(RATE, 0, START + 10**12, 1_000) == 11
    assert latest_at_or_before(RATE, START + 10**12, 0) == START + 100_000
    assert instants_before(RATE, START + 10**12, 0, 2) == [START + 100_000, START + 90_000]
    assert first_after(Rate(interval_ms=10_000, anchor=START, end_at=START + 99_999), START + 90_000) is None
    assert first_after(Rate(interval_ms=10_000, anchor=START, end_at=START), 0) == START


def test_an_end_before_the_start_is_refused() -> None:
    for make in (
        lambda: Cron(line="@daily", timezone="UTC", start_at=2, end_at=1),
        lambda: Rate(interval_ms=1_000, anchor=2, end_at=1),
    ):
        with pytest.raises(ScheduleError) as caught:
            make()
        assert caught.value.field == "end_at"


@pytest.mark.parametrize(
    "schedule",
    [
        Cron(line="0 9 * * *", timezone="UTC", start_at=START + 1, end_at=START + 2),
        Cron(line="cron(0 9 1 1 ? 2020)", timezone="UTC"),
        Cron(line="30 2 * 3 0#2", timezone="America/New_York", gap=Gap.SKIP),
        Rate(interval_ms=10_000, anchor=0, end_at=5_000),
    ],
)
def test_a_schedule_without_an_instant_from_now_on_is_found(schedule: Cron | Rate) -> None:
    with pytest.raises(ScheduleNeverFiresError):
        check_fires(schedule, ms("2025-01-01T00:00Z"))


def test_check_fires_returns_the_first_instant() -> None:
    assert check_fires(BOUNDED, 0) == START


def test_the_policies_of_a_schedule_are_followed() -> None:
    spring, autumn = ms("2025-03-09T00:00-05:00"), ms("2025-11-02T00:00-04:00")
    for gap, expected in ((Gap.SHIFT, "2025-03-09T03:00-04:00"), (Gap.SKIP, "2025-03-10T02:30-04:00")):
        schedule = Cron(line="30 2 * * *", timezone="America/New_York", gap=gap)
        assert first_after(schedule, spring) == ms(expected)
        assert count_between(schedule, spring, spring + 2 * DAY, 9) == (2 if gap is Gap.SHIFT else 1)
        assert latest_at_or_before(schedule, ms(expected), spring) == ms(expected)
    passes = {Overlap.FIRST: ["05:30"], Overlap.SECOND: ["06:30"], Overlap.BOTH: ["06:30", "05:30"]}
    for overlap, expected_times in passes.items():
        schedule = Cron(line="30 1 * * *", timezone="America/New_York", overlap=overlap)
        found = instants_before(schedule, autumn + DAY, autumn, 9)
        assert found == [ms(f"2025-11-02T{one}Z") for one in expected_times]


PLAIN = {"k": "c", "l": "@daily", "z": "UTC"}


@pytest.mark.parametrize(
    ("schedule", "stored"),
    [
        (Cron(line="@daily", timezone="UTC"), PLAIN),
        (Cron(line="@daily", timezone="UTC", gap=Gap.SKIP), PLAIN | {"g": "skip"}),
        (Cron(line="@daily", timezone="UTC", overlap=Overlap.BOTH), PLAIN | {"p": "both"}),
        (Cron(line="@daily", timezone="UTC", start_at=0), PLAIN | {"f": 0}),
        (Cron(line="@daily", timezone="UTC", start_at=5, end_at=6), PLAIN | {"f": 5, "u": 6}),
        (Cron(line="cron(0 9 ? * 2 *)", timezone="UTC"), PLAIN | {"l": "cron(0 9 ? * 2 *)"}),
        (Rate(interval_ms=1_000, anchor=5, end_at=6), {"k": "r", "i": 1_000, "a": 5, "u": 6}),
    ],
)
def test_schedule_is_stored_without_default_values_and_read_back(
    schedule: Cron | Rate, stored: dict[str, str | int]
) -> None:
    assert encode_schedule(schedule) == stored
    assert decode_schedule(stored) == schedule


@pytest.mark.parametrize(
    "stored",
    [
        PLAIN | {"g": "leap"},
        PLAIN | {"g": 1},
        PLAIN | {"p": "third"},
        PLAIN | {"f": "5"},
        PLAIN | {"u": "5"},
        PLAIN | {"f": 5, "u": 4},
        {"k": "r", "i": 1_000, "a": 5, "u": "6"},
        {"k": "r", "i": 1_000, "a": 5, "u": 4},
    ],
)
def test_broken_policies_and_bounds_are_unreadable(stored: dict[str, str | int]) -> None:
    with pytest.raises(UnreadableItemError):
        decode_schedule(stored)
