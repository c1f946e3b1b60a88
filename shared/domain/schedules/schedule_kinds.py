"""When a job runs: once, at a fixed rate, or on a cron line. All instants are UTC in integer milliseconds.

Each kind is a fixed set of nominal instants; `schedule` answers questions about them. A backfill has instants too,
at which it runs for those of another schedule.
"""

from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

from shared.domain.errors import ScheduleError
from shared.domain.schedules.cron import Gap, Overlap, parse_line
from shared.domain.schedules.zone_rules import thawed
from shared.domain.schedules.zones import load_zone

MIN_INTERVAL_MS: Final = 1_000
MAX_INTERVAL_MS: Final = 366 * 86_400_000
MAX_BACKFILLED: Final = 1_000
"""So many instants has one backfill at most."""
MAX_BACKFILL_INTERVAL_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """A single instant. Whether it lies too far away is a matter of the moment: see `check_once`."""

    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """The instants `anchor + n * interval_ms` for n = 0, 1, 2, ... up to and including `end_at`.

    The anchor is the first of them: the start that was asked for, or the second in which the job was made. Nothing
    ever moves it. The interval is from 1 s to 366 days in whole seconds.

    Raises ScheduleError: field `interval_seconds` for another interval, `end_at` for an end before the anchor.
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
        """The n of the latest instant up to the given one; -1 before the anchor."""
        return _index_at(self, instant_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """The instants of a line in an IANA zone that lie in [start_at, end_at], both ends included.

    The line is a five-field one, or EventBridge's `cron(...)`. `gap` and `overlap` say what becomes of local times
    that a change of the clocks skips or repeats; an interval line, one whose minute or hour field starts with `*`,
    fires by elapsed time whatever they are, and a gap of more than three hours is always skipped.

    Raises ScheduleError, with the field it found wrong, for a line or a zone that is not accepted, and with field
    `end_at` for an end before the start. That something lies between the two is not checked: see `check_fires`.
    """

    line: str
    timezone: str
    gap: Gap = Gap.SHIFT
    overlap: Overlap = Overlap.FIRST
    start_at: int | None = None
    end_at: int | None = None
    rules: str | None = None
    """The rules of the zone, frozen, see `zone_rules`; without them the tables at hand tell.

    Whatever a job's runs are computed from has them: newer tables must not move keys that others have to find.
    """

    def __post_init__(self) -> None:
        parse_line(self.line)
        _ = self.zone
        _check_end(self.start_at, self.end_at)

    @property
    def zone(self) -> ZoneInfo:
        """How the clocks go, for the instants of this schedule."""
        return load_zone(self.timezone) if self.rules is None else thawed(self.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """The instants `anchor + n * interval_ms` for n = 0, 1, ..., each of which makes up for one instant of `of`.

    `of` has `count` instants in [from_at, to_at). The n-th run is for the one with the number `first + n`, from 0;
    those before it have had their turn. `backfill` tells which instant that is. The anchor moves only with `first`.

    Raises ScheduleError: field `to` for an empty range or a count out of 1 to 1,000, `every_seconds` for an interval
    that is not from 1 s to a day in whole seconds.
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
        """Its last instant; before the anchor where it has none any more."""
        return self.anchor + (self.count - self.first - 1) * self.interval_ms

    def index_at(self, instant_ms: int) -> int:
        """The n of the latest instant up to the given one; -1 before the anchor."""
        return _index_at(self, instant_ms)


def as_asked(series: "Series") -> "Series":
    """The schedule as its owner asked for it, whichever tables it was computed with."""
    return replace(series, rules=None) if isinstance(series, Cron) else series


def _index_at(spaced: Rate | Backfill, instant_ms: int) -> int:
    if spaced.end_at is not None:
        instant_ms = min(instant_ms, spaced.end_at)
    return max(-1, (instant_ms - spaced.anchor) // spaced.interval_ms)


def _check_end(start_at: int | None, end_at: int | None) -> None:
    if start_at is not None and end_at is not None and end_at < start_at:
        raise ScheduleError("end_at: before the start", field="end_at")


Schedule = Once | Rate | Cron
"""What can be asked for."""
Series = Rate | Cron | Backfill
"""What a job goes by that has more than one run."""
