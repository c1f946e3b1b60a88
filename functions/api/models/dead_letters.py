"""Dead letters: executions that failed for good, and what they asked for."""

from typing import Annotated

from pydantic import BaseModel, Field

from functions.api.models.examples import dead_letters as examples
from functions.api.models.executions import ExecutionOut
from functions.api.models.schema import shown_by
from shared.domain.delivery.callback import Reason
from shared.names import Lane

REDACTED = "[redacted]"
ReasonOut = Annotated[str, Field(json_schema_extra={"enum": [reason.word for reason in Reason]})]


class DeadLetterOut(ExecutionOut):
    """An execution that failed for good."""

    lane: Lane
    last_status: int | None = Field(
        description="What its last attempt was answered; null where no answer came."
    )
    last_reason: ReasonOut | None = Field(
        description="How its last attempt ended; null where its worker died with it."
    )


class DeadLetterPageOut(BaseModel):
    """Newest first. A page may be short while `next_cursor` is there."""

    model_config = shown_by(examples.DEAD_LETTER_PAGE)

    executions: list[DeadLetterOut]
    next_cursor: str | None


class HeaderOut(BaseModel):
    """A header of a request."""

    name: str
    value: str = Field(description=f"`{REDACTED}` unless the request is revealed.")


class FailedRequestOut(BaseModel):
    """What a dead letter asked for."""

    method: str
    url: str
    headers: list[HeaderOut]
    body: str | None = Field(description="Null unless the request is revealed.")
    body_bytes: int
    revealed: bool


class InspectedOut(DeadLetterOut):
    """A dead letter with its request, of which headers and body are withheld unless they are asked for."""

    model_config = shown_by(examples.INSPECTED)

    request: FailedRequestOut | None = Field(description="Null where it is not kept any more.")
