"""Executions."""

from pydantic import BaseModel, Field


class AttemptOut(BaseModel):
    """One attempt of an execution. An attempt whose worker died is counted but leaves no entry."""

    number: int
    started_at: str
    duration_ms: int
    status: int | None
    reason: str


class MissedOut(BaseModel):
    """Nominal instants that were passed over in one go."""

    count: int
    first_at: str
    last_at: str


class ExecutionOut(BaseModel):
    """One planned firing."""

    id: str
    job_id: str
    state: str
    scheduled_at: str
    due_at: str = Field(
        description="When it was or is due: later than `scheduled_at` by the jitter of its job."
    )
    attempts_begun: int
    attempts: list[AttemptOut]
    next_attempt_at: str | None
    end_reason: str | None
    last_response_body: str | None = Field(description="First 256 bytes of the last failing answer.")
    missed: MissedOut | None


class ExecutionPageOut(BaseModel):
    """Newest first. A page may be short while `next_cursor` is there."""

    executions: list[ExecutionOut]
    next_cursor: str | None
