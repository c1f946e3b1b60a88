"""Jitter: stable, spread, never beyond its width nor past the next nominal instant."""

from collections import Counter

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.schedules.jitter import dispatch_at
from shared.domain.schedules.schedule import Cron, Once, Rate, first_after

NOON = 1_735_732_800_000
DAILY = Cron(line="0 12 * * *", timezone="UTC")
EVERY_10_S = Rate(interval_ms=10_000, anchor=NOON)
DELAYS = [51770, 52646, 1847]


def test_without_jitter_a_run_begins_at_its_nominal_instant() -> None:
    assert dispatch_at(DAILY, "job_1", NOON, 0) == NOON


def test_the_delay_is_the_same_in_every_process_and_release() -> None:
    """Written down, since it is part of where executions are stored."""
    assert [dispatch_at(DAILY, f"job_{n}", NOON, 60_000) - NOON for n in range(3)] == DELAYS
    assert dispatch_at(DAILY, "job_0", NOON + 86_400_000, 60_000) != NOON + 86_400_000 + DELAYS[0]


def test_jobs_are_spread_evenly_over_the_width() -> None:
    tenths = Counter(
        (dispatch_at(DAILY, f"job_{number}", NOON, 60_000) - NOON) // 6_000 for number in range(2_000)
    )
    assert sorted(tenths) == list(range(10))
    assert all(140 <= count <= 260 for count in tenths.values())


@pytest.mark.parametrize("schedule", [EVERY_10_S, Cron(line="* * * * *", timezone="UTC")])
def test_a_run_begins_before_the_next_nominal_instant_and_not_all_at_its_end(schedule: Rate | Cron) -> None:
    following = first_after(schedule, NOON)
    assert following is not None
    begun = [dispatch_at(schedule, f"job_{number}", NOON, 3_600_000) for number in range(200)]
    assert all(NOON <= one < following for one in begun)
    assert len(set(begun)) > 150


def test_the_last_instant_of_a_schedule_has_the_whole_width() -> None:
    last = Rate(interval_ms=1_000, anchor=NOON, end_at=NOON)
    for schedule in (last, Once(at=NOON)):
        begun = [dispatch_at(schedule, f"job_{number}", NOON, 3_600_000) for number in range(200)]
        assert max(begun) > NOON + 3_000_000


@pytest.mark.parametrize("jitter_ms", [-1, 86_400_001, 10**15])
def test_jitter_outside_its_range_is_refused(jitter_ms: int) -> None:
    with pytest.raises(InvalidValueError, match="jitter_seconds"):
        dispatch_at(DAILY, "job_1", NOON, jitter_ms)
