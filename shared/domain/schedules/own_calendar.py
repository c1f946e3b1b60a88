"""A calendar of a tenant, or of the operators for all tenants: a country or none, a weekend, dates, and windows."""

import re
from functools import partial
from typing import Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.schedules.blackouts import MAX_BLACKOUTS, Blackout, Blackouts, merged
from shared.domain.schedules.business_days import BusinessDays, freeze, weekday_of, with_windows

CALENDAR_NAME: Final = r"^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$"
"""The names of countries have capital letters."""
SHARED_PREFIX: Final = "operator/"
"""Schedules name an operators' calendar with it; no calendar of a tenant has a slash in its name."""
SHARED_OWNER: Final = "*"
"""In place of a tenant's ID, for the calendars of the operators: no tenant has such a character in its ID."""
MAX_DATES: Final = 366
"""Of one calendar. Its dates are frozen into each execution of its jobs."""
FROZEN_AHEAD_DAYS: Final = 5 * 366
"""Frozen days are exact for this long; later ones exclude the weekend alone, and are frozen again well before."""
MARGIN_DAYS: Final = 40
"""Frozen days start this early, because a run moves by some days and an nth day counts from the month's start."""
_SATURDAY_SUNDAY: Final = frozenset({5, 6})


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCalendar:
    """The days of `dates_in` are business days. All others of `dates_out`, of the weekend, and the holidays of the
    country are excluded. Dates are days since 1970-01-01, in ascending order. No run begins in a blackout window, also
    on a business day.

    Raises InvalidValueError for a name, a country or a weekend that cannot be, and for too many dates or windows.
    """

    name: str
    version: int
    """Grows with each change, also over a deletion."""
    changed_at: int
    country: str | None = None
    weekend: frozenset[int] | None = None
    """Weekdays, 0 is Monday; None for those of the country, or Saturday and Sunday without one."""
    dates_in: tuple[int, ...] = ()
    dates_out: tuple[int, ...] = ()
    set_name: str | None = None
    """The set to which the calendar belongs, such as one file."""
    blackouts: tuple[Blackout, ...] = ()
    """Ascending; they may overlap."""

    def __post_init__(self) -> None:
        if not is_own_name(self.name):
            raise InvalidValueError(
                "a calendar has a name of 1 to 63 lower-case letters, digits and hyphens", path=("name",)
            )
        if self.weekend is not None and len(self.weekend) > 6:
            raise InvalidValueError("weekend: at least one day of a week is none", path=("weekend",))
        if len(self.dates_in) + len(self.dates_out) > MAX_DATES:
            raise InvalidValueError(
                f"dates_in and dates_out have at most {MAX_DATES} dates together", path=("dates_out",)
            )
        if len(self.blackouts) > MAX_BLACKOUTS:
            raise InvalidValueError(
                f"blackouts: a calendar has at most {MAX_BLACKOUTS} windows", path=("blackouts",)
            )

    def has_content_of(self, other: "OwnCalendar") -> bool:
        return self._content == other._content

    @property
    def _content(self) -> tuple[object, ...]:
        return self.country, self.weekend, self.dates_in, self.dates_out, self.blackouts, self.set_name

    @property
    def business_days(self) -> BusinessDays:
        """ScheduleError if the installed release has no such country."""
        dates_in, dates_out = frozenset(self.dates_in), frozenset(self.dates_out)
        base = self._base()
        return BusinessDays(base.weekend, partial(_is_exception, base, dates_in, dates_out))

    @property
    def windows(self) -> Blackouts:
        return merged(self.blackouts)

    def frozen(self, from_ms: int, until_ms: int) -> str:
        """The text of the business days, exact in [from, until] and FROZEN_AHEAD_DAYS more, and of the windows, exact
        from `from` on. ScheduleError, as above."""
        first, last = from_ms // 86_400_000 - MARGIN_DAYS, until_ms // 86_400_000 + FROZEN_AHEAD_DAYS
        days = freeze(f"v{self.version}", self.business_days, first, last)
        return with_windows(days, self.windows, first * 86_400_000)

    def _base(self) -> BusinessDays:
        if self.country is None:
            weekend = _SATURDAY_SUNDAY if self.weekend is None else self.weekend
            return BusinessDays(weekend, frozenset[int]().__contains__)
        # Imported late: it loads a library.
        from shared.domain.schedules.country_calendars import country_days, is_holiday

        days = country_days(self.country)
        if self.weekend is None:
            return days
        name, weekend = self.country, self.weekend
        return BusinessDays(weekend, lambda day: weekday_of(day) not in weekend and is_holiday(name, day))


def is_own_name(name: str) -> bool:
    return re.fullmatch(CALENDAR_NAME, name) is not None


def is_stored_name(name: str) -> bool:
    """Whether a schedule names a calendar of its tenant or of the operators, and no country."""
    return is_own_name(name.removeprefix(SHARED_PREFIX))


def place_of(tenant_id: str, name: str) -> tuple[str, str]:
    """The owner and the stored name of the calendar that a tenant's schedule names."""
    if name.startswith(SHARED_PREFIX):
        return SHARED_OWNER, name.removeprefix(SHARED_PREFIX)
    return tenant_id, name


def _is_exception(base: BusinessDays, dates_in: frozenset[int], dates_out: frozenset[int], day: int) -> bool:
    is_business = day in dates_in or (day not in dates_out and base.is_business(day))
    return is_business == (weekday_of(day) in base.weekend)
