"""The plain, slow answer to where a calendar moves the days of a line: look at every day, and move each by hand.

Shares no code with the product. The weekends are written down here; the holidays are those of the library.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta

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
