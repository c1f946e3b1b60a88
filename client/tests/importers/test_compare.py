"""The comparison: what is compared as a whole, what by samples, and which instants count as different."""

from collections.abc import Iterator, Mapping
from typing import Any

from client.tests.importers.engine import SPAN, at
from punctual.importers.compare import SHOWN, compare
from punctual.importers.models.clock import ZoneClock, zone_clock

BERLIN = zone_clock("Europe/Berlin", *SPAN)
FIRST = SPAN.start // 3_600 * 3_600 + 3_600
HOURS = [FIRST + hour * 3_600 for hour in range(400 * 24 - 1)]
DAYS = HOURS[::24]


class Listed:
    """A source, and Punctual, with given instants."""

    clocks: tuple[ZoneClock, ...] = (BERLIN,)

    def __init__(self, instants: list[int]) -> None:
        self.instants = sorted(instants)
        self.asked: list[tuple[int, int, int]] = []

    def after(self, after: int, until: int) -> Iterator[int]:
        return (each for each in self.instants if after < each <= until)

    def between(self, schedule: Mapping[str, Any], after: int, until: int, limit: int) -> list[int]:
        self.asked.append((after, until, limit))
        return list(self.after(after, until))[:limit]


def differences(theirs: list[int], ours: list[int], budget: int = 1_000) -> list[tuple[int, int, int]]:
    found = compare(Listed(theirs), {}, Listed(ours), SPAN.start, budget)
    return [(each.instant, each.in_source, each.in_punctual) for each in found.differences]


def test_equal_instants_are_compared_as_a_whole_within_the_budget() -> None:
    punctual = Listed(DAYS)
    found = compare(Listed(DAYS), {}, punctual, SPAN.start)
    assert (found.differences, found.compared, found.is_complete) == ((), len(DAYS), True)
    assert [asked[:2] for asked in punctual.asked] == [SPAN]


def test_missing_additional_and_repeated_instants_differ() -> None:
    moved = DAYS[7] + 60
    ours = [each for each in DAYS if each != DAYS[7]] + [moved]
    assert differences(DAYS, ours) == [(DAYS[7], 1, 0), (moved, 0, 1)]
    assert differences([*DAYS, DAYS[9]], DAYS) == [(DAYS[9], 2, 1)]
    assert differences(DAYS, []) == [(each, 1, 0) for each in DAYS[:SHOWN]]
    assert differences([], DAYS) == [(each, 0, 1) for each in DAYS[:SHOWN]]


def test_samples_find_a_difference_on_any_day_and_around_any_clock_change() -> None:
    found = compare(Listed(HOURS), {}, Listed(HOURS), SPAN.start)
    assert (found.differences, found.is_complete) == ((), False)
    for day in (3, 200, 398):
        gone = HOURS[day * 24 + 2]
        assert differences(HOURS, [each for each in HOURS if each != gone]) == [(gone, 1, 0)]
    half_hours = sorted([*HOURS, *(each + 1_800 for each in HOURS)])
    change = at("2026-10-25 02:30", "Europe/Berlin", second_pass=True)
    assert differences(half_hours, [each for each in half_hours if each != change]) == [(change, 1, 0)]


def test_instants_beyond_a_cut_list_are_not_taken_for_differences() -> None:
    every_minute = [FIRST + minute * 60 for minute in range(60 * 24 * 3)]
    assert differences(every_minute, every_minute, budget=10) == []


def test_local_time_of_a_difference_has_its_offset() -> None:
    second = at("2026-10-25 02:30", "Europe/Berlin", second_pass=True)
    (found,) = compare(Listed([second]), {}, Listed([]), SPAN.start).differences
    assert found.shown == "2026-10-25 02:30:00 +01:00"
