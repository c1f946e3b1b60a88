"""The calendar of a schedule: moves the days on which a line fires, before any clock change applies.

The days of a line are a set of local dates, and so are the moved days: two days that move to one date are one,
and the time of day stays. A move never changes the order of two days, so the first moved day after a date is
found by a search from the last business day before it.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from shared.dataclass import dataclass
from shared.domain.errors import ScheduleError
from shared.domain.schedules.blackouts import NO_BLACKOUTS, Blackouts
from shared.domain.schedules.business_days import (
    MAX_DISTANCE,
    BusinessDays,
    from_frozen,
    month_of,
    release_of,
    windows_of,
)
from shared.domain.schedules.cron_walk import DAY_MS, Step
from shared.domain.schedules.own_calendar import is_stored_name

if TYPE_CHECKING:
    from shared.domain.schedules.cron_line import CronLine

MAX_BUSINESS_DAY: Final = 23
"""No month has more business days, if the weekend has two days."""
MAX_TRIED_DAYS: Final = 80
"""No run if this many successive days of a line lead to no business day, each after another business day."""
MAX_AHEAD_DAYS: Final = 20 * 366
"""No run if the next day that leads to a business day is further ahead; no weekend lasts longer."""


class WhenExcluded(StrEnum):
    """What happens to a run on a day that the calendar excludes.

    `next` and `previous` move it to the nearest business day. `modified_following` moves it to the next
    business day of the same month, or else to the previous one. A run in a blackout window moves likewise, see
    `blackout_moves`.
    """

    SKIP = "skip"
    NEXT = "next"
    PREVIOUS = "previous"
    MODIFIED_FOLLOWING = "modified_following"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarRule:
    """A calendar by its name, and its use.

    With `business_day`, the days of the schedule are the nth business day of each month, counted from the end
    if negative; a month with fewer business days has no run.

    Raises ScheduleError: field `calendar` for an unknown name or malformed frozen days, `business_day` for a
    number outside 1 to 23 and -1 to -23, `when_excluded` for a rule beside `business_day`.
    """

    name: str
    when_excluded: WhenExcluded = WhenExcluded.SKIP
    business_day: int | None = None
    days: str | None = None
    """Frozen days, see `business_days`; None uses the installed release of the calendar.

    Every schedule that storage keys are computed from has them: a newer release must not move those keys.
    """

    def __post_init__(self) -> None:
        if self.business_day is not None:
            if not 1 <= abs(self.business_day) <= MAX_BUSINESS_DAY:
                raise ScheduleError(
                    "business_day: must be from 1 to 23, or from -1 (the last one) to -23",
                    field="business_day",
                )
            if self.when_excluded is not WhenExcluded.SKIP:
                raise ScheduleError(
                    "when_excluded: has no meaning with business_day, which the calendar never excludes",
                    field="when_excluded",
                )
        if not self.is_own or self.days is not None:
            _ = self.business_days, self.blackouts

    @property
    def is_own(self) -> bool:
        """Whether the name is that of a calendar of the tenant or of the operators, whose days come from a store."""
        return is_stored_name(self.name)

    @property
    def business_days(self) -> BusinessDays:
        """The days by the frozen text, or by the installed release if there is none."""
        if self.days is not None:
            return from_frozen(self.days)
        # Imported late: chains have frozen days.
        from shared.domain.schedules.country_calendars import country_days

        return country_days(self.name)

    @property
    def blackouts(self) -> Blackouts:
        """The windows by the frozen text; calendars of countries have none."""
        return NO_BLACKOUTS if self.days is None else windows_of(self.days)

    @property
    def release(self) -> str | None:
        """The release behind the frozen days."""
        return None if self.days is None else release_of(self.days)

    @property
    def version(self) -> int:
        """The version of the stored calendar behind the frozen days; 0 without frozen days."""
        release = self.release
        return int(release.removeprefix("v")) if release is not None else 0

    def check_line(self, line: "CronLine") -> None:
        """Raise ScheduleError (field `business_day`) if the line chooses days beside `business_day`."""
        _, _, day, _, weekday = line.steps.split(" ")
        if self.business_day is not None and (day, weekday) != ("*", "*"):
            raise ScheduleError(
                "business_day: the line must fire on every day: write * in its day fields (? in one of them in an "
                "expression), such as 0 18 * * *",
                field="business_day",
            )

    def base_days(self, day: str, month: str, weekday: str) -> tuple[str, str, str]:
        """Return the day fields of the line whose days are moved: one day of each month for an nth day."""
        return (day, month, weekday) if self.business_day is None else ("1", month, "*")


def moved_days(next_day: Step, rule: CalendarRule, never_ms: int) -> Step:
    """Return the midnights of the moved days, of the midnights of a line.

    The result returns `never_ms` or more where the line has no more days, or none that leads to a business day,
    and where the calendar has no business day for a year.
    """
    days = rule.business_days

    def next_moved(wall_ms: int) -> int:
        after = wall_ms // DAY_MS
        following = days.following(after + 1)
        if following is None:
            return never_ms
        tried = max(_last_before(days, rule, after, following), -1)
        for _ in range(MAX_TRIED_DAYS):
            midnight = next_day(tried * DAY_MS)
            tried = midnight // DAY_MS
            if midnight >= never_ms or tried - after > MAX_AHEAD_DAYS:
                return never_ms
            moved = _moved(days, rule, tried)
            if moved is not None and moved > after:
                return moved * DAY_MS
            if rule.when_excluded is WhenExcluded.SKIP and rule.business_day is None:
                # Whole holidays are passed at once, so that a dense line is not tried day by day.
                tried = (days.following(tried) or tried + 1) - 1
        return never_ms

    return next_moved


def _moved(days: BusinessDays, rule: CalendarRule, day: int) -> int | None:
    """Return the date to which the run of a day moves; None if it has no run."""
    if rule.business_day is not None:
        return days.nth_of_month(day, rule.business_day)
    match rule.when_excluded:
        case WhenExcluded.SKIP:
            return day if days.is_business(day) else None
        case WhenExcluded.NEXT:
            return days.following(day)
        case WhenExcluded.PREVIOUS:
            return days.preceding(day)
        case WhenExcluded.MODIFIED_FOLLOWING:
            month = month_of(day)
            moves = (days.following(day), days.preceding(day))
            return next((each for each in moves if each is not None and each in month), None)


def _last_before(days: BusinessDays, rule: CalendarRule, after: int, following: int) -> int:
    """Return a day up to which all days of a line have no run, or move to `after` or earlier.

    `following` is the first business day after it.
    """
    if rule.business_day is not None:
        return month_of(after)[0] - 1
    if rule.when_excluded in (WhenExcluded.NEXT, WhenExcluded.MODIFIED_FOLLOWING):
        last = days.preceding(after)
        return after - MAX_DISTANCE - 1 if last is None else last
    return following - 1
