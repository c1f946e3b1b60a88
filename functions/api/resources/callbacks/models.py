"""Schemas of the reports that receivers send on long-running callbacks."""

import json
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from functions.api.models import InstantOut, Representation, Schema, with_examples
from functions.api.resources.callbacks.examples import COMPLETION_IN, FAILURE_IN, HEARTBEAT_OUT, REPORT_OUT
from shared.domain.delivery.callback import MAX_RESULT_BYTES, STORED_BODY_BYTES
from shared.domain.errors import InvalidValueError
from shared.domain.workflows.results import read_result

_RESULT = re.compile(rb'\s*\{\s*"result"\s*:\s*(.*?)\s*\}\s*', re.DOTALL)
"""Strict JSON with this only member: what is between the colon and the last brace is its value."""


def _short(text: str) -> str:
    if len(text.encode()) > STORED_BODY_BYTES:
        raise ValueError(f"must be {STORED_BODY_BYTES} bytes at most, in UTF-8")
    return text


class NothingIn(Schema):
    """No body at all, or an empty object."""


class CompletionIn(Schema):
    """The end of the work, and what a task of a workflow hands on."""

    model_config = with_examples(COMPLETION_IN)

    result: Any = Field(
        None,
        description=(
            f"Any JSON value of at most {MAX_RESULT_BYTES:,} bytes. It is required if another task of the workflow "
            "needs the result, and dropped otherwise."
        ),
    )

    def result_text(self, body: bytes) -> bytes:
        """The JSON text of the result as it was sent, without white space around it; empty without a result."""
        if "result" not in self.model_fields_set:
            return b""
        found = _RESULT.fullmatch(body)
        text = found[1] if found else json.dumps(self.result, ensure_ascii=False).encode()
        try:
            return read_result(text)
        except InvalidValueError as error:
            raise InvalidValueError(str(error), path=("result",)) from None


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
