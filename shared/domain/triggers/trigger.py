"""A trigger: which events start which job."""

from dataclasses import replace
from typing import Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.ids import ExecutionId, backfilled_job, is_recurring_job_id
from shared.domain.schedules.own_calendar import CALENDAR_NAME, is_own_name
from shared.domain.triggers.event import Event
from shared.domain.triggers.pattern import Matching, compiled

TRIGGER_NAME: Final = CALENDAR_NAME
"""Names follow the rule of calendars."""
MAX_TRIGGERS: Final = 50
"""The most triggers that a tenant has at a time: an event is matched against all of them."""
MAX_DELAY_SECONDS: Final = 366 * 86_400
MAX_DEBOUNCE_SECONDS: Final = 3_600
MAX_DEBOUNCED_SECONDS: Final = 86_400
DEFAULT_DEBOUNCES: Final = 10
"""How many times `debounce_seconds` a run is postponed at most, where the trigger does not say how long."""
MAX_THROTTLE_COUNT: Final = 10_000
MAX_THROTTLE_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """At most so many runs in a window. The first run behind a window begins the next one. InvalidValueError."""

    count: int
    per_seconds: int

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MAX_THROTTLE_COUNT:
            raise InvalidValueError(f"must be 1 to {MAX_THROTTLE_COUNT}", path=("throttle", "count"))
        if not 1 <= self.per_seconds <= MAX_THROTTLE_SECONDS:
            raise InvalidValueError(f"must be 1 to {MAX_THROTTLE_SECONDS}", path=("throttle", "per_seconds"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """What a version of a trigger has started, as far as its limits need it."""

    run: ExecutionId | None = None
    """The latest run. With `debounce_seconds` it may still wait, and further events then postpone it."""
    event: str | None = None
    """Identifies the event that has started it."""
    window_from: int | None = None
    """The start of the latest window of its throttle, in UTC ms."""
    count: int = 0
    """The runs of that window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """Starts a recurring job, outside its schedule, for each event that matches.

    InvalidValueError for a name, a job or a delay that cannot be.
    """

    name: str
    version: int
    """Grows with each change, from 1."""
    changed_at: int
    pattern: str
    """In the form of `encode_pattern`."""
    job_id: str
    delay_seconds: int = 0
    """How long after the event the run is due."""
    debounce_seconds: int = 0
    """How long no further event may come before the run is due; 0 for a run of each event."""
    debounce_max_seconds: int | None = None
    """How long after the first event the run is due at the latest; None for ten times `debounce_seconds`."""
    throttle: Throttle | None = None
    set_name: str | None = None
    """The set to which the trigger belongs, such as one file."""
    started: Started = Started()
    """No part of the content: each start may change it, and a change of the trigger begins anew."""

    def __post_init__(self) -> None:
        if not is_own_name(self.name):
            raise InvalidValueError(
                "a trigger has a name of 1 to 63 lower-case letters, digits and hyphens", path=("name",)
            )
        if not is_recurring_job_id(self.job_id) or backfilled_job(self.job_id) is not None:
            raise InvalidValueError(
                "must be the ID of a recurring job, which begins with job_r", path=("job_id",)
            )
        if not 0 <= self.delay_seconds <= MAX_DELAY_SECONDS:
            raise InvalidValueError(f"must be 0 to {MAX_DELAY_SECONDS}", path=("delay_seconds",))
        self._check_debounce()

    def _check_debounce(self) -> None:
        seconds, most_seconds = self.debounce_seconds, self.debounce_max_seconds
        if not 0 <= seconds <= MAX_DEBOUNCE_SECONDS:
            raise InvalidValueError(f"must be 0 to {MAX_DEBOUNCE_SECONDS}", path=("debounce_seconds",))
        if seconds and self.delay_seconds:
            raise InvalidValueError(
                "takes the place of delay_seconds: give one of them", path=("debounce_seconds",)
            )
        if most_seconds is None:
            return
        if not seconds:
            raise InvalidValueError("needs debounce_seconds", path=("debounce_max_seconds",))
        if not seconds <= most_seconds <= MAX_DEBOUNCED_SECONDS:
            raise InvalidValueError(
                f"must be debounce_seconds to {MAX_DEBOUNCED_SECONDS}", path=("debounce_max_seconds",)
            )

    def has_content_of(self, other: "Trigger") -> bool:
        return replace(other, version=self.version, changed_at=self.changed_at, started=self.started) == self

    @property
    def records_starts(self) -> bool:
        """Whether each start is recorded with the trigger, before its run is filed."""
        return self.throttle is not None or self.debounce_seconds > 0

    @property
    def longest_debounce_seconds(self) -> int:
        """How long events can postpone a run, from the first one."""
        if self.debounce_max_seconds is not None:
            return self.debounce_max_seconds
        return self.debounce_seconds * DEFAULT_DEBOUNCES

    @property
    def window_ends_at(self) -> int | None:
        """The end of the latest window of the throttle; None before the first one."""
        since = self.started.window_from
        return None if self.throttle is None or since is None else since + self.throttle.per_seconds * 1000

    def throttled_until(self, now_ms: int) -> int | None:
        """When the window ends, if it has all its runs; None if another run may start."""
        ends_at = self.window_ends_at
        if self.throttle is None or ends_at is None or now_ms >= ends_at:
            return None
        return ends_at if self.started.count >= self.throttle.count else None

    def counted_run_of(self, event: str, now_ms: int) -> ExecutionId | None:
        """The latest run, if this event has started it in the present window of the throttle."""
        ends_at = self.window_ends_at
        is_counted = ends_at is not None and now_ms < ends_at
        return self.started.run if is_counted and self.started.event == event else None

    def after_start(self, run: ExecutionId, event: str, now_ms: int) -> "Trigger":
        """The trigger after this event has started one more run, which its throttle must allow."""
        ends_at = self.window_ends_at
        if self.throttle is None:
            return replace(self, started=Started(run=run, event=event))
        if ends_at is None or now_ms >= ends_at:
            return replace(self, started=Started(run=run, event=event, window_from=now_ms, count=1))
        return replace(
            self, started=replace(self.started, run=run, event=event, count=self.started.count + 1)
        )

    def has_started(self, version: "Trigger", run: ExecutionId) -> bool:
        """Whether this is that version of the trigger, and the run is its latest one."""
        same = (self.version, self.changed_at) == (version.version, version.changed_at)
        return same and self.started.run == run

    def matches(self, matching: Matching) -> bool:
        """Whether the event matches; InvalidValueError if that takes too many comparisons."""
        return matching.is_match(compiled(self.pattern))

    def due_at(self, event: Event, now_ms: int) -> int:
        """When the run that the event starts is due, in UTC ms."""
        wait_seconds = self.debounce_seconds or self.delay_seconds
        return max(now_ms, event.deliver_at or 0) + wait_seconds * 1000
