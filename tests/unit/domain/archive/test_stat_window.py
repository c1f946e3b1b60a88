"""Ranges of statistics: whole steps, not beyond the present one, and not too long."""

import pytest

from shared.domain.archive.busiest import day_window, hours_of
from shared.domain.archive.stat_window import Step, stat_window
from shared.domain.errors import InvalidValueError

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
NOW = 20_000 * DAY + 5 * HOUR + 12 * MINUTE + 3
PRESENT_HOUR = 20_000 * DAY + 5 * HOUR


def test_range_is_extended_to_whole_steps() -> None:
    window = stat_window(Step.HOUR, PRESENT_HOUR - 2 * HOUR - 1, PRESENT_HOUR - HOUR + 1, NOW)
    assert (window.from_at, window.until_at) == (PRESENT_HOUR - 3 * HOUR, PRESENT_HOUR)
    assert list(window.starts()) == [PRESENT_HOUR - count * HOUR for count in (3, 2, 1)]


def test_range_of_whole_steps_stays_as_it_is() -> None:
    window = stat_window(Step.DAY, 19_998 * DAY, 19_999 * DAY, NOW)
    assert (window.from_at, window.until_at) == (19_998 * DAY, 19_999 * DAY)


@pytest.mark.parametrize(
    ("step", "end", "length"),
    [
        (Step.MINUTE, PRESENT_HOUR + 13 * MINUTE, HOUR),
        (Step.HOUR, PRESENT_HOUR + HOUR, DAY),
        (Step.DAY, 20_001 * DAY, 7 * DAY),
    ],
)
def test_range_ends_with_the_present_step(step: Step, end: int, length: int) -> None:
    window = stat_window(step, None, None, NOW)
    assert (window.from_at, window.until_at) == (end - length, end)
    assert stat_window(step, window.from_at, NOW + 40 * DAY, NOW) == window


@pytest.mark.parametrize("step", Step)
def test_range_has_a_longest_length(step: Step) -> None:
    end = stat_window(step, None, None, NOW).until_at
    assert len(list(stat_window(step, end - step.longest_ms, end, NOW).starts())) <= 360
    with pytest.raises(InvalidValueError, match="at most"):
        stat_window(step, end - step.longest_ms - 1, end, NOW)


@pytest.mark.parametrize(
    ("from_at", "until_at"), [(NOW + HOUR, None), (NOW - HOUR, NOW - 2 * HOUR), (-1, 0), (None, -(10**15))]
)
def test_empty_and_impossible_ranges_are_refused(from_at: int | None, until_at: int | None) -> None:
    with pytest.raises(InvalidValueError):
        stat_window(Step.HOUR, from_at, until_at, NOW)


def test_day_is_by_default_the_latest_that_is_over() -> None:
    for from_at in (None, 19_999 * DAY, 20_000 * DAY - 1):
        window = day_window(from_at, NOW)
        assert (window.from_at, window.until_at, window.step) == (19_999 * DAY, 20_000 * DAY, Step.DAY)
    assert hours_of(19_999) == range(19_999 * 24, 20_000 * 24)
    assert day_window(None, 20_000 * DAY).from_at == 19_999 * DAY


@pytest.mark.parametrize("from_at", [20_000 * DAY, NOW, 30_000 * DAY, -1])
def test_day_that_is_not_over_is_refused(from_at: int) -> None:
    with pytest.raises(InvalidValueError):
        day_window(from_at, NOW)
