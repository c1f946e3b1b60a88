"""When a job runs: once, at a fixed rate, or on a cron line. All instants are UTC in integer milliseconds.

Each kind is a fixed set of nominal instants; `schedule` answers questions about them.
"""

from dataclasses import dataclass
from typing import Final

from shared.domain.cron import Gap, Overlap, parse_line
from shared.domain.errors import ScheduleError
from shared.domain.zones import load_zone

MIN_INTERVAL_MS: Final = 1_000
MAX_INTERVAL_MS: Final = 366 * 86_400_000


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
        if self.end_at is not None:
            instant_ms = min(instant_ms, self.end_at)
        return max(-1, (instant_ms - self.anchor) // self.interval_ms)


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

    def __post_init__(self) -> None:
        parse_line(self.line)
        load_zone(self.timezone)
        _check_end(self.start_at, self.end_at)


def _check_end(start_at: int | None, end_at: int | None) -> None:
    if start_at is not None and end_at is not None and end_at < start_at:
        raise ScheduleError("end_at: before the start", field="end_at")


Schedule = Once | Rate | Cron
