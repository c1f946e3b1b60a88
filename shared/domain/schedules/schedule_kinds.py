"""When a job runs: once, at a fixed rate, or on a cron line. All instants are UTC in integer milliseconds.

Each kind is a fixed set of nominal instants; the module `schedule` queries them. A backfill has instants of
its own, at which it runs for past instants of another schedule.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from shared.dataclass import dataclass
from shared.domain.errors import ScheduleError
from shared.domain.schedules.cron import CronLine, Gap, Overlap, parse_line
from shared.domain.schedules.zone_rules import zone_from_rules
from shared.domain.schedules.zones import load_zone

if TYPE_CHECKING:
    from shared.domain.schedules.calendar_rule import CalendarRule

MIN_INTERVAL_MS: Final = 1_000
MAX_INTERVAL_MS: Final = 366 * 86_400_000
MAX_BACKFILLED: Final = 1_000
"""Maximum number of instants in one backfill."""
MAX_BACKFILL_INTERVAL_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """A single instant. `check_once` checks its distance from the present."""

    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """The instants `anchor + n * interval_ms` for n = 0, 1, 2, ... up to and including `end_at`.

    The anchor is the requested start, or the second in which the job was created, and never moves. The
    interval is from 1 s to 366 days in whole seconds.

    Raises ScheduleError: field `interval_seconds` for another interval, `end_at` for an end before the
    anchor.
    """

    interval_ms: int
    anchor: int
    end_at: int | None = None

    def __post_init__(self) -> None:
        if not MIN_INTERVAL_MS <= self.interval_ms <= MAX_INTERVAL_MS or self.interval_ms % 1000:
            raise ScheduleError(
                "interval_seconds: must be a whole number of seconds from 1 to 31622400 (366 days)",
                field="interval_seconds",
            )
        _check_end(self.anchor, self.end_at)

    def index_at(self, instant_ms: int) -> int:
        """Return the n of the latest instant at or before `instant_ms`; -1 before the anchor."""
        return _index_at(self, instant_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """The instants of a line in an IANA zone that lie in [start_at, end_at], both ends included.

    The line has five fields, or is EventBridge's `cron(...)`. `gap` and `overlap` define what happens to
    local times that a clock change skips or repeats. They do not apply to an interval line, whose minute or
    hour field starts with `*` and which fires by elapsed time. A gap of more than three hours is always
    skipped.

    A calendar moves the days of the line, by their local dates, before the clock changes apply, and its blackout
    windows move instants after that.

    Raises ScheduleError, with the wrong field, for an invalid line or zone, with field `end_at` for an end
    before the start, and with field `business_day` for a line that chooses days beside it. `check_fires` checks
    that there is an instant between the two.
    """

    line: str
    timezone: str
    gap: Gap = Gap.SHIFT
    overlap: Overlap = Overlap.FIRST
    start_at: int | None = None
    end_at: int | None = None
    rules: str | None = None
    """Frozen rules of the zone, see `zone_rules`; None uses the installed tzdata.

    Every schedule that storage keys are computed from has them: a newer tzdata release must not move those
    keys.
    """
    calendar: "CalendarRule | None" = None

    def __post_init__(self) -> None:
        line = parse_line(self.line)
        _ = self.zone
        _check_end(self.start_at, self.end_at)
        if self.calendar is not None:
            self.calendar.check_line(line)

    @property
    def without_rules(self) -> "Cron":
        """The schedule without frozen zone rules and frozen days."""
        calendar = None if self.calendar is None else replace(self.calendar, days=None)
        return replace(self, rules=None, calendar=calendar)

    @property
    def parsed_line(self) -> CronLine:
        """The line, with the calendar that moves its days."""
        line = parse_line(self.line)
        return line if self.calendar is None else replace(line, calendar=self.calendar)

    @property
    def has_blackouts(self) -> bool:
        """Whether the calendar has blackout windows, which move the instants of the line."""
        return self.calendar is not None and bool(self.calendar.blackouts.windows)

    @property
    def zone(self) -> ZoneInfo:
        """The zone by the frozen rules, or by the installed tzdata if there are none."""
        return load_zone(self.timezone) if self.rules is None else zone_from_rules(self.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """The instants `anchor + n * interval_ms` for n = 0, 1, ...; each run covers one past instant of `of`.

    `of` has `count` instants in [from_at, to_at). Run n covers instant number `first + n`, from 0; earlier
    instants have already run. `backfill.scheduled_at` returns that instant. The anchor moves only together
    with `first`.

    Raises ScheduleError: field `to` for an empty range or a count outside 1 to 1,000; field `every_seconds`
    for an interval outside 1 s to one day, or not in whole seconds.
    """

    of: Rate | Cron
    from_at: int
    to_at: int
    count: int
    interval_ms: int
    anchor: int
    first: int = 0

    def __post_init__(self) -> None:
        if self.from_at >= self.to_at:
            raise ScheduleError("to: must be after from", field="to")
        if not 1 <= self.count <= MAX_BACKFILLED:
            raise ScheduleError(
                f"to: from 1 to {MAX_BACKFILLED} instants can be backfilled at a time", field="to"
            )
        if not MIN_INTERVAL_MS <= self.interval_ms <= MAX_BACKFILL_INTERVAL_MS or self.interval_ms % 1000:
            raise ScheduleError(
                "every_seconds: must be a whole number of seconds from 1 to 86400 (a day)",
                field="every_seconds",
            )
        if not 0 <= self.first <= self.count:
            raise ScheduleError("a backfill goes on within its range", field="from")

    @property
    def end_at(self) -> int:
        """The last instant; before the anchor if no instant is left."""
        return self.anchor + (self.count - self.first - 1) * self.interval_ms

    def index_at(self, instant_ms: int) -> int:
        """Return the n of the latest instant at or before `instant_ms`; -1 before the anchor."""
        return _index_at(self, instant_ms)


def without_rules(series: "Series") -> "Series":
    """Return the schedule as the owner requested it, without frozen zone rules and frozen days."""
    return series.without_rules if isinstance(series, Cron) else series


def _index_at(spaced: Rate | Backfill, instant_ms: int) -> int:
    if spaced.end_at is not None:
        instant_ms = min(instant_ms, spaced.end_at)
    return max(-1, (instant_ms - spaced.anchor) // spaced.interval_ms)


def _check_end(start_at: int | None, end_at: int | None) -> None:
    if start_at is not None and end_at is not None and end_at < start_at:
        raise ScheduleError("end_at: before the start", field="end_at")


Schedule = Once | Rate | Cron
"""The schedules that a client can request."""
Series = Rate | Cron | Backfill
"""The schedules of jobs with more than one run."""
