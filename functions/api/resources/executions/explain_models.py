"""Schemas of the explanation of an execution."""

from typing import Annotated, Literal

from pydantic import Field

from functions.api.models import InstantOut, Representation, with_examples
from functions.api.resources.executions.examples import EXPLANATION
from functions.api.resources.executions.models import EndReasonOut, StateOut, WaitOut
from shared.domain.executions.stages import Stage, WaitCause

StageOut = Annotated[str, Field(json_schema_extra={"enum": [stage.value for stage in Stage]})]
CauseOut = Annotated[str, Field(json_schema_extra={"enum": [cause.word for cause in WaitCause]})]


class SpanOut(Representation):
    """One stage of an attempt."""

    stage: StageOut
    cause: CauseOut | None = Field(description="Of the stage `wait`: why the call was not let through.")
    text: str = Field(description="The stage in words; of the stage `wait`, what the call waited for.")
    began_at: InstantOut | None
    ended_at: InstantOut | None
    duration_ms: int | None = Field(description="Null where it is unknown.")
    precision: Literal["exact", "about", "unknown"] = Field(
        description="`about`: a duration may be 3.2 % off, and the instants with it."
    )


class LongestOut(Representation):
    """The longest stage before the call."""

    stage: StageOut
    cause: CauseOut | None
    duration_ms: int
    text: str = Field(description="In words, such as `41 s: breaker open`.")


class AttemptStagesOut(Representation):
    """One attempt with its stages, from its due time to the end of its call."""

    number: int
    due_at: InstantOut | None = Field(
        description="Null while the execution waits for the attempt after it, whose due time took its place."
    )
    started_at: InstantOut | None = Field(description="When the call began.")
    lag_ms: int | None = Field(description="From `due_at` to `started_at`.")
    longest: LongestOut | None
    stages: list[SpanOut]


class ExplanationOut(Representation):
    """Why an execution was late, has not started, or did not run."""

    model_config = with_examples(EXPLANATION)

    id: str
    job_id: str
    name: str | None = Field(description="The name of its job.")
    state: StateOut
    end_reason: EndReasonOut | None
    due_at: InstantOut
    lag_ms: int | None = Field(description="How late the first call began; null where that is not known yet.")
    summary: str = Field(description="The state and the main reason in words.")
    longest: LongestOut | None = Field(
        description="What took longest: before the first call, or until now for an execution that is due."
    )
    waiting_for: WaitOut | None = Field(description="As in `GET /v1/executions/{execution_id}`.")
    attempts: list[AttemptStagesOut] = Field(
        description="The first attempt and the latest one; empty before the first."
    )
