"""Schemas of what a job shows of its runs, and of what becomes of a run that is due during a suspension."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from functions.api.models import InstantOut, Representation
from functions.api.resources.executions.models import StateOut

NoNextRunOut = Annotated[
    str | None, Field(description="Why there is no next due time, in words; null where there is one.")
]


class WhenSuspended(StrEnum):
    """What becomes of a one-off job that is due while its tenant is suspended: it ends, or runs afterwards."""

    SKIP = "skip"
    RUN = "run"


WhenSuspendedIn = Annotated[
    Annotated[WhenSuspended, Field(strict=False)] | None,
    Field(description="For a one-off job that is due while its tenant is suspended. Null: `skip`."),
]


class LastRunOut(Representation):
    """The latest run of a job that has started, or was skipped.

    For a recurring job, `GET /v1/jobs/{job_id}` reads its two latest instants, and so does a list with
    `include=last_run`. A list without it has the member for one-off jobs that have begun only.
    """

    execution_id: str
    scheduled_at: InstantOut
    state: StateOut
    started_at: InstantOut | None = Field(description="The start of the first recorded attempt.")
    lag_ms: int | None = Field(description="How late the first call began.")


_NOTHING: dict[str, Any] = {}
NOT_READ = LastRunOut.model_construct(**_NOTHING)
"""In place of the last run of a job whose runs were not read."""
LastRun = Annotated[
    LastRunOut | None,
    Field(
        default_factory=lambda: NOT_READ,
        exclude_if=lambda value: value is NOT_READ,
        description=(
            "Null before the first run of the present definition, and where the record of its last run has expired. "
            "Left out in responses to changes of a recurring job, which do not read its "
            "runs."
        ),
    ),
]
