"""Reports of receivers on attempts that went on after their calls."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from functions.api.models.schema import Schema
from shared.domain.delivery import KEPT_BODY_BYTES


def _short(text: str) -> str:
    if len(text.encode()) > KEPT_BODY_BYTES:
        raise ValueError(f"must be {KEPT_BODY_BYTES} bytes at most, in UTF-8")
    return text


class NothingIn(Schema):
    """No body at all, or an empty object."""


class FailureIn(Schema):
    """Why the work has failed."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"reason": "the warehouse is closed", "retryable": False}]}
    )

    reason: Annotated[str, Field(max_length=KEPT_BODY_BYTES), AfterValidator(_short)] = Field(
        "", description="Kept as `last_response_body`; 256 bytes at most."
    )
    retryable: bool = Field(True, description="Whether it is tried again, as far as the job's policy goes.")


class HeartbeatOut(BaseModel):
    """An attempt that goes on."""

    id: str
    attempt: int
    lease_until: str = Field(description="Without another heartbeat by then the attempt counts as lost.")
    deadline_at: str = Field(description="When the attempt is over, whatever is heard of it.")


class ReportOut(BaseModel):
    """What was recorded of an attempt; the same for every repetition of the same report."""

    id: str
    attempt: int
    outcome: Literal["succeeded", "failed"]
