"""When a job runs: once, at a fixed rate, or on a cron line. All instants are UTC in integer milliseconds.

Each kind is a fixed set of nominal instants; `schedule` answers questions about them.
"""

from dataclasses import dataclass
from typing import Final

from shared.domain.cron import parse_cron
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
    """The instants `anchor + n * interval_ms` for n = 0, 1, 2, ...: the anchor is the first of them.

    The interval is from 1 s to 366 days in whole seconds; ScheduleError (field `interval_seconds`) otherwise.
    """

    interval_ms: int
    anchor: int

    def __post_init__(self) -> None:
        if not MIN_INTERVAL_MS <= self.interval_ms <= MAX_INTERVAL_MS or self.interval_ms % 1000:
            raise ScheduleError(
                "interval_seconds: must be a whole number of seconds from 1 to 31622400 (366 days)",
                field="interval_seconds",
            )

    def index_at(self, instant_ms: int) -> int:
        """The n of the latest instant up to the given one; -1 before the anchor."""
        return max(-1, (instant_ms - self.anchor) // self.interval_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """The instants of a five-field line in an IANA zone, under the default DST policies (shift, first).

    Raises ScheduleError, with the field it found wrong, for a line or a zone that is not accepted.
    """

    line: str
    timezone: str

    def __post_init__(self) -> None:
        parse_cron(self.line)
        load_zone(self.timezone)


Schedule = Once | Rate | Cron
