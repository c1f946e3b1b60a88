"""Schemas of dead letters."""

from typing import Annotated

from pydantic import Field

from functions.api.models import Representation, with_examples
from functions.api.resources.dead_letters import examples
from functions.api.resources.executions.models import ExecutionOut
from shared.domain.delivery.callback import Reason
from shared.names import Lane

REDACTED = "[redacted]"
ReasonOut = Annotated[str, Field(json_schema_extra={"enum": [reason.word for reason in Reason]})]


class DeadLetterOut(ExecutionOut):
    """An execution that failed for good."""

    lane: Lane
    last_status: int | None = Field(
        description="The HTTP status of the last attempt; null where there was no response."
    )
    last_reason: ReasonOut | None = Field(
        description="The outcome of the last attempt; null where its worker was lost."
    )


class DeadLetterPageOut(Representation):
    """Newest first. A page may be short while `next_cursor` is there."""

    model_config = with_examples(examples.DEAD_LETTER_PAGE)

    executions: list[DeadLetterOut]
    next_cursor: str | None


class HeaderOut(Representation):
    """A header of a request."""

    name: str
    value: str = Field(description=f"`{REDACTED}` unless the request is revealed.")


class FailedRequestOut(Representation):
    """The request of a dead letter."""

    method: str = Field(description="The service of AWS, such as `sqs`, where the job has a target.")
    url: str = Field(description="The ARN of the target, where the job has one.")
    headers: list[HeaderOut]
    body: str | None = Field(description="Null unless the request is revealed.")
    body_bytes: int
    revealed: bool


class InspectedOut(DeadLetterOut):
    """A dead letter with its request. Header values and body are withheld unless it is revealed."""

    model_config = with_examples(examples.INSPECTED)

    request: FailedRequestOut | None = Field(description="Null where it is no longer stored.")
