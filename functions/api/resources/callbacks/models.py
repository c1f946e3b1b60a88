"""Schemas of the reports that receivers send on long-running callbacks."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from functions.api.models import InstantOut, Representation, Schema, with_examples
from functions.api.resources.callbacks.examples import FAILURE_IN, HEARTBEAT_OUT, REPORT_OUT
from shared.domain.delivery.callback import STORED_BODY_BYTES


def _short(text: str) -> str:
    if len(text.encode()) > STORED_BODY_BYTES:
        raise ValueError(f"must be {STORED_BODY_BYTES} bytes at most, in UTF-8")
    return text


class NothingIn(Schema):
    """No body at all, or an empty object."""


class FailureIn(Schema):
    """The reason of a failure."""

    model_config = with_examples(FAILURE_IN)

    reason: Annotated[str, Field(max_length=STORED_BODY_BYTES), AfterValidator(_short)] = Field(
        "", description="Kept as `last_response_body`; at most 256 bytes."
    )
    retryable: bool = Field(True, description="Whether the job's retry policy applies.")


class HeartbeatOut(Representation):
    """The lease of a running attempt."""

    model_config = with_examples(HEARTBEAT_OUT)

    id: str
    attempt: int
    lease_until: InstantOut = Field(
        description="Without another heartbeat by then the attempt counts as lost."
    )
    deadline_at: InstantOut = Field(description="The end of the attempt, which no heartbeat extends.")


class ReportOut(Representation):
    """The recorded outcome of an attempt; the same for every repetition of the same report."""

    model_config = with_examples(REPORT_OUT)

    id: str
    attempt: int
    outcome: Literal["succeeded", "failed"]
