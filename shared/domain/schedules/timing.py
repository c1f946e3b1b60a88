"""The timing in a request, before the request time turns it into a schedule."""

from shared.dataclass import dataclass
from shared.domain.schedules.schedule_kinds import Cron, Once


@dataclass(frozen=True, slots=True)
class After:
    """One run, `delay_seconds` after the request."""

    delay_seconds: int


@dataclass(frozen=True, slots=True)
class Every:
    """A fixed rate from `start_at`, or from the second of the request, up to and including `end_at`."""

    rate_seconds: int
    start_at: int | None = None
    end_at: int | None = None


Timing = Once | After | Every | Cron
