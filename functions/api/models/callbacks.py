"""Reports of receivers on attempts that went on after their calls."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from functions.api.models.examples.executions import FAILURE_IN, HEARTBEAT_OUT, REPORT_OUT
from functions.api.models.schema import InstantOut, Schema, shown_by
from shared.domain.delivery.callback import STORED_BODY_BYTES


def _short(text: str) -> str:
    if len(text.encode()) > STORED_BODY_BYTES:
        raise ValueError(f"must be {STORED_BODY_BYTES} bytes at most, in UTF-8")
    return text


class NothingIn(Schema):
    """No body at all, or an empty object."""


class FailureIn(Schema):
    """Why the work has failed."""

    model_config = shown_by(FAILURE_IN)

    reason: Annotated[str, Field(max_length=STORED_BODY_BYTES), AfterValidator(_short)] = Field(
        "", description="Kept as `last_response_body`; 256 bytes at most."
    )
    retryable: bool = Field(True, description="Whether it is tried again, as far as the job's policy goes.")


class HeartbeatOut(BaseModel):
    """An attempt that goes on."""

    model_config = shown_by(HEARTBEAT_OUT)

    id: str
    attempt: int
    lease_until: InstantOut = Field(
        description="Without another heartbeat by then the attempt counts as lost."
    )
    deadline_at: InstantOut = Field(description="When the attempt is over, whatever is heard of it.")


class ReportOut(BaseModel):
    """What was recorded of an attempt; the same for every repetition of the same report."""

    model_config = shown_by(REPORT_OUT)

    id: str
    attempt: int
    outcome: Literal["succeeded", "failed"]
