"""Schemas of a tenant's own events."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import (
    LEFT_OUT,
    Instant,
    InstantOut,
    Representation,
    Schema,
    instant_out,
    read_instant,
    with_examples,
)
from functions.api.resources.events import examples
from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.triggers.event import MAX_DATA_BYTES, MAX_TEXT, Event
from shared.usecases.triggers.matches import Match, Outcome

Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]


class EventIn(Schema):
    """An event. Its source and its ID name it: for 24 hours, the same event again starts nothing more."""

    model_config = with_examples(examples.EVENT_IN)

    source: Text = Field(description="Where the event comes from.")
    type: Text = Field(description="What has happened.")
    id: Text = Field(description="Another one for each event of the source; the same one for a repetition.")
    data: dict[str, Any] = Field(
        default_factory=dict, description=f"At most {MAX_DATA_BYTES} bytes, as compact JSON."
    )
    deliver_at: Instant | None = Field(
        None, description="When the event counts, in place of now. Delays of triggers begin then."
    )

    def event(self) -> Event:
        """InvalidValueError with the path of the member."""
        try:
            deliver_at = read_instant("deliver_at", self.deliver_at)
        except ScheduleError as error:
            raise InvalidValueError(str(error), path=("deliver_at",)) from error
        return Event(source=self.source, type=self.type, id=self.id, data=self.data, deliver_at=deliver_at)


class MatchOut(Representation):
    """A trigger that the event matches."""

    trigger: str
    job_id: str
    outcome: Outcome = Field(
        description="`filed`: a run was filed. `repeated`: this event had filed or postponed the run before. "
        "`debounced`: a run that waits has got this event, and stands for it. `throttled`: the trigger has started all "
        "runs of its window, and nothing of the event is kept. `refused`: no run is filed, for the `reason`."
    )
    execution_id: str | SkipJsonSchema[None] = LEFT_OUT
    due_at: InstantOut | SkipJsonSchema[None] = LEFT_OUT
    reason: str | SkipJsonSchema[None] = LEFT_OUT
    throttled_until: InstantOut | SkipJsonSchema[None] = LEFT_OUT


class EventOut(Representation):
    """What the event has started. Each run in it is durable."""

    model_config = with_examples(examples.EVENT_OUT)

    source: str
    id: str
    matches: list[MatchOut] = Field(description="The triggers that the event matches, by name.")


def event_out(event: Event, matches: list[Match]) -> EventOut:
    return EventOut(source=event.source, id=event.id, matches=[_match_out(each) for each in matches])


def _match_out(match: Match) -> MatchOut:
    execution_id = match.execution_id
    return MatchOut(
        trigger=match.trigger.name,
        job_id=match.trigger.job_id,
        outcome=match.outcome,
        execution_id=None if execution_id is None else str(execution_id),
        due_at=instant_out(match.due_at),
        reason=match.reason,
        throttled_until=instant_out(match.throttled_until),
    )
