"""Days of calendars as the judge counts them: date by date, with no code of the product."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from heapq import merge

MINUTE_MS, DAY_MINUTES = 60_000, 1_440
EPOCH = date(1970, 1, 1)
REACH_DAYS = 12
"""No run of these lines moves further: no calendar here excludes so many days in succession."""
SATURDAY_SUNDAY = frozenset({5, 6})


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a version of a calendar says. Dates are days since 1970-01-01; weekday 0 is Monday."""

    weekend: frozenset[int] = SATURDAY_SUNDAY
    dates_in: frozenset[int] = frozenset()
    dates_out: frozenset[int] = frozenset()
    windows: tuple[tuple[int, int], ...] = ()
    """Blackout windows, [from, until) in ms."""

    def window_at(self, at_ms: int) -> tuple[int, int] | None:
        """A window that has this instant."""
        return next((each for each in self.windows if each[0] <= at_ms < each[1]), None)

    def is_business(self, day: int) -> bool:
        """A date that is in wins over one that is out, and both over the weekend."""
        if day in self.dates_in:
            return True
        return day not in self.dates_out and date_of(day).weekday() not in self.weekend


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A cron line in a zone with a fixed offset, and how its days follow a calendar."""

    minutes: str
    """The minute field."""
    fires_at: frozenset[int]
    """The minutes of each hour that it means."""
    day_of_month: int | None = None
    when_excluded: str = "skip"
    business_day: int | None = None
    zone: str = "UTC"
    offset_minutes: int = 0

    @property
    def text(self) -> str:
        """As the product gets it."""
        return f"{self.minutes} * {self.day_of_month or '*'} * *"

    def instants(self, content: Content, after_ms: int, until_ms: int) -> Iterator[int]:
        """Each instant after the one and not after the other, in order: out of every window, and where windows lead."""
        staying = (at for at in self.dated(content, after_ms, until_ms) if content.window_at(at) is None)
        led = [at for at in targets(self, content) if after_ms < at <= until_ms]
        last = None
        for moment in merge(staying, led):
            if moment != last:
                yield moment
            last = moment

    def dated(self, content: Content, after_ms: int, until_ms: int) -> Iterator[int]:
        """The instants of its days, day by day and minute by minute, whatever windows there are."""
        for day in range(self.day_of(after_ms), self.day_of(until_ms) + 1):
            if not runs_on(self, content, day):
                continue
            minutes = (minute for minute in range(DAY_MINUTES) if minute % 60 in self.fires_at)
            moments = ((day * DAY_MINUTES + minute - self.offset_minutes) * MINUTE_MS for minute in minutes)
            yield from (moment for moment in moments if after_ms < moment <= until_ms)

    def has(self, content: Content, instant: int) -> bool:
        """Whether an instant is one of them."""
        return instant in self.instants(content, instant - 1, instant)

    def day_of(self, at_ms: int) -> int:
        """The local date of an instant."""
        return (at_ms // MINUTE_MS + self.offset_minutes) // DAY_MINUTES

    def start_of(self, day: int) -> int:
        """The first instant of a local date."""
        return (day * DAY_MINUTES - self.offset_minutes) * MINUTE_MS


@lru_cache(maxsize=10_000)
def targets(line: Line, content: Content) -> tuple[int, ...]:
    """Where the instants in windows are led to, in order."""
    inside = (at for start, end in content.windows for at in line.dated(content, start - 1, end - 1))
    found = (_led(line, content, at) for at in inside)
    return tuple(sorted({at for at in found if at is not None}))


def _led(line: Line, content: Content, at_ms: int) -> int | None:
    if line.business_day is not None or line.when_excluded == "skip":
        return None
    ways = [_following(line, content, at_ms), _preceding(line, content, at_ms)]
    if line.when_excluded == "modified_following":
        month = _month(line.day_of(at_ms))
        return next((way for way in ways if line.day_of(way) in month), None)
    return ways[0 if line.when_excluded == "next" else 1]


def _following(line: Line, content: Content, at_ms: int) -> int:
    while (window := content.window_at(at_ms)) or not content.is_business(line.day_of(at_ms)):
        at_ms = window[1] if window else line.start_of(line.day_of(at_ms) + 1)
    return at_ms


def _preceding(line: Line, content: Content, at_ms: int) -> int:
    while (window := content.window_at(at_ms)) or not content.is_business(line.day_of(at_ms)):
        at_ms = (window[0] if window else line.start_of(line.day_of(at_ms))) - MINUTE_MS
    return at_ms


@lru_cache(maxsize=100_000)
def runs_on(line: Line, content: Content, day: int) -> bool:
    """Whether any day of the line leads to this one."""
    if line.business_day is not None:
        business = [each for each in _month(day) if content.is_business(each)]
        number = line.business_day - (line.business_day > 0)
        return -len(business) <= number < len(business) and business[number] == day
    around = range(day - REACH_DAYS, day + REACH_DAYS + 1)
    own = (each for each in around if line.day_of_month in (None, date_of(each).day))
    return any(_moved(line, content, each) == day for each in own)


def _moved(line: Line, content: Content, day: int) -> int | None:
    if content.is_business(day):
        return day
    following = next(each for each in range(day + 1, day + 40) if content.is_business(each))
    preceding = next(each for each in range(day - 1, day - 40, -1) if content.is_business(each))
    match line.when_excluded:
        case "next":
            return following
        case "previous":
            return preceding
        case "modified_following":
            return next((each for each in (following, preceding) if each in _month(day)), None)
    return None


def _month(day: int) -> range:
    first = date_of(day).replace(day=1)
    after = (first + timedelta(days=32)).replace(day=1)
    return range((first - EPOCH).days, (after - EPOCH).days)


def date_of(day: int) -> date:
    """The date of a day since 1970-01-01."""
    return EPOCH + timedelta(days=day)


def differ(one: Content, other: Content, days: range, from_ms: int) -> bool:
    """Whether one of these days is a business day of one alone, or a later instant is in a window of one alone."""
    moments = {from_ms, *(edge for each in (*one.windows, *other.windows) for edge in each if edge > from_ms)}
    return any(one.is_business(day) != other.is_business(day) for day in days) or any(
        (one.window_at(at) is None) != (other.window_at(at) is None) for at in moments
    )
