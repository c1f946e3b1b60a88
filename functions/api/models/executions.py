"""Executions."""

from typing import Annotated

from pydantic import BaseModel, Field

from functions.api.models.examples.executions import EXECUTION_DETAIL, EXECUTION_OUT, EXECUTION_PAGE
from functions.api.models.schema import InstantOut, shown_by
from shared.domain.delivery.callback import Reason
from shared.domain.dispatch.wait_hint import WaitingFor
from shared.domain.executions.states import EndReason
from shared.domain.listings.filters import EXECUTION_STATES

StateOut = Annotated[str, Field(json_schema_extra={"enum": [state.value for state in EXECUTION_STATES]})]
WaitReasonOut = Annotated[str, Field(json_schema_extra={"enum": [reason.value for reason in WaitingFor]})]
EndReasonOut = Annotated[str, Field(json_schema_extra={"enum": [reason.value for reason in EndReason]})]


class AttemptOut(BaseModel):
    """One attempt of an execution. An attempt whose worker died is counted but leaves no entry."""

    number: int
    started_at: InstantOut
    duration_ms: int
    status: int | None = Field(description="The HTTP status; null where no answer came.")
    reason: Annotated[str, Field(json_schema_extra={"enum": [reason.word for reason in Reason]})] = Field(
        description="How the attempt ended; `ok` for success."
    )


class MissedOut(BaseModel):
    """Nominal instants that were passed over in one go."""

    count: int
    first_at: InstantOut
    last_at: InstantOut


class NotificationOut(BaseModel):
    """The execution that tells of the end of another."""

    id: str
    state: StateOut | None = Field(
        description="Null where none stands, and in answers to anything but a GET, which do not look."
    )


class ExecutionOut(BaseModel):
    """One planned firing."""

    model_config = shown_by(EXECUTION_OUT)

    id: str
    job_id: str
    state: StateOut
    backfill_of: str | None = Field(description="The job that it makes up for, where it is of a backfill.")
    scheduled_at: InstantOut = Field(
        description="The nominal instant; of a backfill, the past one it is for."
    )
    due_at: InstantOut = Field(
        description="When it was or is due: later than `scheduled_at` by the jitter of its job."
    )
    attempts_begun: int = Field(description="Counts those whose worker died too.")
    attempts: list[AttemptOut]
    next_attempt_at: InstantOut | None
    end_reason: EndReasonOut | None = Field(
        description="Why it ended, where its state alone does not say it."
    )
    last_response_body: str | None = Field(description="First 256 bytes of the last failing answer.")
    missed: MissedOut | None = Field(description="What a `skipped` execution stands for, if for many.")
    redrive_of: str | None = Field(description="The failed execution whose request it runs once more.")
    redriven_by: str | None = Field(description="The execution that runs its request once more.")
    notification: NotificationOut | None = Field(description="What tells of its outcome, if anybody is told.")
    notification_of: str | None = Field(description="The execution of whose outcome it tells.")


class WaitOut(BaseModel):
    """What an execution waits for that is due: a hint of what is known in this moment."""

    reason: WaitReasonOut
    until: InstantOut | None = Field(
        description="It does not begin before, as things stand; null where that is not known."
    )


class ExecutionDetailOut(ExecutionOut):
    """One planned firing, asked for by itself."""

    model_config = shown_by(EXECUTION_DETAIL)

    waiting_for: WaitOut | None = Field(
        description=(
            "Why its next attempt is due and has not begun, as far as that is known in this moment. A hint: it "
            "may lag by a few seconds. Null for what is not due or has begun, and where nothing is known."
        )
    )


class ExecutionPageOut(BaseModel):
    """Newest first. A page may be short while `next_cursor` is there."""

    model_config = shown_by(EXECUTION_PAGE)

    executions: list[ExecutionOut]
    next_cursor: str | None
