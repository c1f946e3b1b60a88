"""The plain, slow answer to where a calendar moves the days of a line: look at every day, and move each by hand.

Shares no code with the product. The weekends are written down here; the holidays are those of the library.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from holidays import country_holidays

from tests.support.property.wall_clock_oracle import DayRule, Line

FRIDAY_SATURDAY, SATURDAY_SUNDAY = frozenset({4, 5}), frozenset({5, 6})
WEEKENDS = {
    "AE": SATURDAY_SUNDAY,
    "AU-NSW": SATURDAY_SUNDAY,
    "BN": frozenset({4, 6}),
    "BR": SATURDAY_SUNDAY,
    "CN": SATURDAY_SUNDAY,
    "DE-BY": SATURDAY_SUNDAY,
    "GB-SCT": SATURDAY_SUNDAY,
    "HK": frozenset({6}),
    "IL": FRIDAY_SATURDAY,
    "IR": frozenset({4}),
    "JP": SATURDAY_SUNDAY,
    "NP": SATURDAY_SUNDAY,
    "SA": FRIDAY_SATURDAY,
    "US-CA": SATURDAY_SUNDAY,
}
"""The weekends of these countries since 2022."""
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Calendar:
    """A country by its name."""

    name: str

    def is_business(self, day: date) -> bool:
        country, _, subdivision = self.name.partition("-")
        holidays = country_holidays(country, subdiv=subdivision or None, years=day.year)
        if day in holidays.weekend_workdays:
            return True
        return day.weekday() not in WEEKENDS[self.name] and day not in holidays


def month(day: date) -> list[date]:
    """All days of the day's month."""
    around = [day + count * DAY for count in range(-31, 32)]
    return [each for each in around if (each.year, each.month) == (day.year, day.month)]


@dataclass(frozen=True)
class Clock:
    """The local dates of a zone, at instants a minute apart."""

    zone: str
    instants: tuple[int, ...]

    def day(self, instant: int) -> date:
        return datetime.fromtimestamp(instant // 1_000, ZoneInfo(self.zone)).date()


def outside(
    instants: list[int], windows: list[tuple[int, int]], rule: str, clock: Clock, is_business: DayRule
) -> list[int]:
    """The runs of a line whose instants are moved out of windows, by a look at each minute."""

    def is_inside(instant: int) -> bool:
        return any(low <= instant < high for low, high in windows)

    def first_allowed(instant: int, step: int) -> int:
        while is_inside(instant) or not is_business(clock.day(instant)):
            instant += step
        assert clock.instants[0] <= instant <= clock.instants[-1]
        return instant

    def move(instant: int) -> int | None:
        if not is_inside(instant):
            return instant
        if rule == "skip":
            return None
        low, high = instant, instant
        while is_inside(high):
            high += 60_000
        while is_inside(low):
            low -= 60_000
        targets = {"next": first_allowed(high, 60_000), "previous": first_allowed(low, -60_000)}
        if rule in targets:
            return targets[rule]
        month = clock.day(instant).replace(day=1)
        return next((each for each in targets.values() if clock.day(each).replace(day=1) == month), None)

    return sorted({each for each in map(move, instants) if each is not None})


Moved = Callable[[date], date | None]


def moves(is_business: DayRule) -> dict[str, Moved]:
    """Where the run of a day goes, by the rule for excluded days."""

    def walk(day: date, step: timedelta) -> date:
        while not is_business(day):
            day += step
        return day

    def modified(day: date) -> date | None:
        for moved in (walk(day, DAY), walk(day, -DAY)):
            if moved.month == day.month:
                return moved
        return None

    return {
        "skip": lambda day: day if is_business(day) else None,
        "next": lambda day: walk(day, DAY),
        "previous": lambda day: walk(day, -DAY),
        "modified_following": modified,
    }


def moved_line(line: Line, rule: str, is_business: DayRule, days: list[date]) -> Line:
    """The line on the days to which its own days among `days` move."""
    move = moves(is_business)[rule]
    moved = {move(day) for day in days if line.day_matches(day)}
    return replace(line, day_matches=moved.__contains__)


def on_business_day(line: Line, nth: int, is_business: DayRule) -> Line:
    """The line on the nth business day of those months in which it has a day."""

    def rule(day: date) -> bool:
        business = [each for each in month(day) if is_business(each)]
        index = nth - 1 if nth > 0 else nth
        in_reach = len(business) >= abs(nth)
        return in_reach and business[index] == day and any(map(line.day_matches, month(day)))

    return replace(line, day_matches=rule)
