"""Schemas of parked messages."""

from pydantic import Field

from functions.api.models import InstantOut, Representation, with_examples
from functions.api.resources.parked.examples import PARKED, PARKED_PAGE
from shared.domain.dead_letters.parked_message import KEPT_CHARACTERS
from shared.names import QueueName


class ParkedOut(Representation):
    """A message of a dead-letter queue that could not be handled."""

    model_config = with_examples(PARKED)

    id: str
    message_id: str
    lane: QueueName = Field(description="The queue that the message came from.")
    reason: str
    body: str = Field(
        description=f"The first {KEPT_CHARACTERS} characters; those that cannot be displayed are escaped."
    )
    size: int = Field(description="The length of the whole body, in characters.")
    parked_at: InstantOut


class ParkedPageOut(Representation):
    """Newest first."""

    model_config = with_examples(PARKED_PAGE)

    messages: list[ParkedOut]
    next_cursor: str | None
