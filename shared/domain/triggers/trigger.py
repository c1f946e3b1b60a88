"""A trigger: which events start which job."""

from dataclasses import replace
from typing import Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.ids import backfilled_job, is_recurring_job_id
from shared.domain.schedules.own_calendar import CALENDAR_NAME, is_own_name
from shared.domain.triggers.event import Event
from shared.domain.triggers.pattern import Matching, compiled

TRIGGER_NAME: Final = CALENDAR_NAME
"""Names follow the rule of calendars."""
MAX_TRIGGERS: Final = 50
"""The most triggers that a tenant has at a time: an event is matched against all of them."""
MAX_DELAY_SECONDS: Final = 366 * 86_400


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

    def has_content_of(self, other: "Trigger") -> bool:
        return replace(other, version=self.version, changed_at=self.changed_at) == self

    def matches(self, matching: Matching) -> bool:
        """Whether the event matches; InvalidValueError if that takes too many comparisons."""
        return matching.is_match(compiled(self.pattern))

    def due_at(self, event: Event, now_ms: int) -> int:
        """When the run that the event starts is due, in UTC ms."""
        return max(now_ms, event.deliver_at or 0) + self.delay_seconds * 1000
