"""Parked messages."""

from pydantic import BaseModel, Field

from functions.api.models.examples.parked import PARKED_PAGE
from functions.api.models.schema import InstantOut, shown_by
from shared.domain.dead_letters.parked_message import KEPT_CHARACTERS
from shared.names import QueueName


class ParkedOut(BaseModel):
    """A message of a dead-letter queue that could not be acted on."""

    id: str
    message_id: str
    lane: QueueName = Field(description="The queue that gave it up.")
    reason: str
    body: str = Field(
        description=f"The first {KEPT_CHARACTERS} characters; those that cannot be seen stand there as escapes."
    )
    size: int = Field(description="Of the whole body, in characters.")
    parked_at: InstantOut


class ParkedPageOut(BaseModel):
    """Newest first."""

    model_config = shown_by(PARKED_PAGE)

    messages: list[ParkedOut]
    next_cursor: str | None
