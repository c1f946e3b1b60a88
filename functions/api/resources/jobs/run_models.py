"""Schemas of what a job shows of its runs."""

from typing import Annotated

from pydantic import Field

from functions.api.models import InstantOut, Representation
from functions.api.resources.executions.models import StateOut

NoNextRunOut = Annotated[
    str | None, Field(description="Why there is no next due time, in words; null where there is one.")
]


class LastRunOut(Representation):
    """The latest run of a job that has started, or was skipped.

    For a recurring job, `GET /v1/jobs/{job_id}` reads its two latest instants. A list has the member for one-off
    jobs that have begun, and leaves it out for all others.
    """

    execution_id: str
    scheduled_at: InstantOut
    state: StateOut
    started_at: InstantOut | None = Field(description="The start of the first recorded attempt.")
    lag_ms: int | None = Field(description="How late the first call began.")
