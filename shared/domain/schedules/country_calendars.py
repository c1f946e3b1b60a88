"""Business days of countries and their subdivisions, from the library `holidays`; only this module imports it.

The import takes some hundred milliseconds, and only requests and chains that name a calendar need it.
"""

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from shared.domain.errors import ScheduleError
from shared.domain.schedules.business_days import BusinessDays, date_of, day_of

if TYPE_CHECKING:
    from holidays import HolidayBase

FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 2100
"""The holidays of later years are unknown: their weekends alone are excluded."""
_SHOWN_NAMES: Final = 60


def installed_release() -> str:
    return str(_library().__version__)


@lru_cache(maxsize=1024)
def country_days(name: str) -> BusinessDays:
    """Return the business days of `DE`, or with a subdivision of `DE-BY`, by the installed release.

    Raises ScheduleError (field `calendar`) for any other text; the error says which text to send instead.
    """
    country, _, subdivision = name.partition("-")
    subdivisions = _countries().get(country)
    if subdivisions is None:
        raise _unknown(name)
    if "-" in name and subdivision not in subdivisions:
        raise ScheduleError(
            f"calendar: {country} has no subdivision {subdivision[:40]!a}; send {_choices(country, subdivisions)}",
            field="calendar",
        )
    weekend = frozenset(_holidays(name, LAST_YEAR).weekend)
    return BusinessDays(weekend, partial(_is_exception, name, weekend))


def is_country(name: str) -> bool:
    """Whether there is such a calendar of a country, or of a subdivision."""
    country, _, subdivision = name.partition("-")
    return country in _countries() and ("-" not in name or subdivision in _countries()[country])


def is_holiday(name: str, day: int) -> bool:
    """Whether the day is a public holiday, also on a weekend. ScheduleError, as above."""
    country_days(name)
    return day in _holidays_of(name, date_of(day).year)


@lru_cache(maxsize=4096)
def _holidays_of(name: str, year: int) -> frozenset[int]:
    is_known = FIRST_YEAR <= year <= LAST_YEAR
    return frozenset(map(day_of, _holidays(name, year))) if is_known else frozenset()


def _is_exception(name: str, weekend: frozenset[int], day: int) -> bool:
    return day in _exceptions(name, weekend, date_of(day).year)


@lru_cache(maxsize=4096)
def _exceptions(name: str, weekend: frozenset[int], year: int) -> frozenset[int]:
    """Return the holidays outside the present weekend, and the working days in it, of one year."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return frozenset()
    holidays = _holidays(name, year)
    first, last = day_of(date_of(0).replace(year=year)), day_of(date_of(0).replace(year=year + 1))
    return frozenset(
        day
        for day in range(first, last)
        if holidays.is_working_day(date_of(day)) == (date_of(day).weekday() in weekend)
    )


def _holidays(name: str, year: int) -> "HolidayBase":
    country, _, subdivision = name.partition("-")
    found: HolidayBase = _library().country_holidays(
        country, subdiv=subdivision or None, years=year, expand=False
    )
    return found


@lru_cache(maxsize=1)
def _countries() -> dict[str, list[str]]:
    found: dict[str, list[str]] = _library().list_supported_countries(include_aliases=False)
    return found


def _unknown(name: str) -> ScheduleError:
    wanted = name.upper()
    if wanted.partition("-")[0] in _countries():
        return ScheduleError(f"calendar: {name[:40]!a} is unknown; send {wanted[:40]}", field="calendar")
    return ScheduleError(
        f"calendar: {name[:40]!a} is unknown; send the two letters of a country in ISO 3166, such as DE, or with "
        "a subdivision, such as US-CA, or a calendar of your own, whose name has no capital letters",
        field="calendar",
    )


def _choices(country: str, subdivisions: list[str]) -> str:
    shown = ", ".join(f"{country}-{each}" for each in subdivisions[:_SHOWN_NAMES])
    return f"{country} or one of {shown}" if shown else country


def _library() -> Any:
    # Imported late, see above.
    import holidays

    return holidays
