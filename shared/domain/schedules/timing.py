"""When a client wants a job to run, before a clock has made a schedule of it."""

from dataclasses import dataclass

from shared.domain.schedules.schedule_kinds import Cron, Once


@dataclass(frozen=True, slots=True)
class After:
    """Once, so many seconds after the request."""

    delay_seconds: int


@dataclass(frozen=True, slots=True)
class Every:
    """At a fixed rate, from `start_at` on, or from the second of the request; up to and including `end_at`."""

    rate_seconds: int
    start_at: int | None = None
    end_at: int | None = None


Timing = Once | After | Every | Cron
