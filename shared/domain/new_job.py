"""What a client asks for: the description of a job before it has an identity."""

import json
from dataclasses import dataclass, field

from shared.domain.errors import InvalidValueError
from shared.domain.request import Request, encode_request
from shared.domain.retry import RetryPolicy
from shared.domain.schedule import Cron, Once, Rate, check_once, encode_schedule
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, Lane

MAX_NAME_LENGTH = 128
DEFAULT_TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class After:
    """Once, so many seconds after the request."""

    delay_seconds: int


@dataclass(frozen=True, slots=True)
class Every:
    """At a fixed rate, anchored at the second of the request."""

    rate_seconds: int


Timing = Once | After | Every | Cron


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job as asked for."""

    timing: Timing
    request: Request
    name: str | None = None
    lane: Lane = Lane.STANDARD
    timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS
    retry: RetryPolicy = field(default_factory=RetryPolicy)

    def __post_init__(self) -> None:
        """Refuse what no worker could keep."""
        if not 1 <= self.timeout_seconds <= MAX_CALLBACK_TIMEOUT_SECONDS:
            raise InvalidValueError(f"timeout_seconds must be 1 to {MAX_CALLBACK_TIMEOUT_SECONDS}")
        if self.name is not None and not 1 <= len(self.name) <= MAX_NAME_LENGTH:
            raise InvalidValueError(f"a name is 1 to {MAX_NAME_LENGTH} characters")

    def schedule_at(self, now_ms: int) -> Once | Rate | Cron:
        """The schedule that this means when asked for at `now_ms`; ScheduleError where it cannot be accepted."""
        match self.timing:
            case After(delay_seconds):
                schedule = Once(at=now_ms + delay_seconds * 1000)
            case Every(rate_seconds):
                return Rate(interval_ms=rate_seconds * 1000, anchor=now_ms // 1000 * 1000)
            case Once():
                schedule = self.timing
            case Cron():
                return self.timing
        check_once(schedule.at, now_ms)
        return schedule


def encode_new_job(new: NewJob) -> bytes:
    """One spelling of everything that was asked for, to tell two requests apart."""
    match new.timing:
        case After(delay_seconds):
            timing: object = ["after", delay_seconds]
        case Every(rate_seconds):
            timing = ["every", rate_seconds]
        case _:
            timing = encode_schedule(new.timing)
    retry = [new.retry.max_attempts, new.retry.base_seconds, new.retry.factor, new.retry.cap_seconds]
    parts = [timing, encode_request(new.request).decode(), new.name, new.lane, new.timeout_seconds, retry]
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
