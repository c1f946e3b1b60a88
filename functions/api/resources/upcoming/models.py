"""Schemas of runs that are about to start."""

from typing import Literal

from pydantic import Field

from functions.api.models import InstantOut, Representation, with_examples
from functions.api.resources.executions.models import StateOut
from functions.api.resources.upcoming import examples
from shared.names import Lane
from shared.usecases.listings.count_upcoming import READS_AT_MOST


class UpcomingRunOut(Representation):
    """A call that will be made unless something changes before."""

    at: InstantOut
    basis: Literal["filed", "retry", "expected"] = Field(
        description="`filed`: a stored execution. `retry`: its next attempt. `expected`: an execution that a "
        "recurring job will create."
    )
    execution_id: str
    job_id: str
    scheduled_at: InstantOut
    attempt: int


class UpcomingPageOut(Representation):
    """By time. A page may be short while `next_cursor` is there."""

    model_config = with_examples(examples.UPCOMING_PAGE)

    runs: list[UpcomingRunOut]
    until: InstantOut
    complete: bool = Field(
        description="False where the tenant has more recurring jobs than can be enumerated, or more waiting "
        "retries than can be read. Of the other jobs only the next execution is listed."
    )
    next_cursor: str | None


class DensityStepOut(Representation):
    """A step: from `at` to the next step. The first one is counted from now on."""

    at: InstantOut
    count: int


class DensityOut(Representation):
    """The number of upcoming runs in each step, by time. Steps without runs are there, too."""

    model_config = with_examples(examples.DENSITY)

    steps: list[DensityStepOut]
    until: InstantOut = Field(
        description="Runs before this instant are counted. It is the end of the range, or where the request has "
        "reached its bounds; the last step is then counted in part."
    )
    complete: bool = Field(
        description="False where the range is not counted to its end, or where the tenant has more recurring jobs "
        "than can be enumerated, or more waiting retries than can be read."
    )
    estimated: bool = Field(
        description=f"Whether the counts follow from a sample: of more than {READS_AT_MOST} stored executions, "
        f"{READS_AT_MOST} at most are read."
    )


class DueRowOut(Representation):
    """A row of a bucket that is not yet due."""

    at: InstantOut
    tenant_id: str
    execution_id: str
    state: StateOut
    lane: Lane
    shard: int
    retry: bool


class DuePageOut(Representation):
    """By time, across tenants. A page may be short, or empty, while `next_cursor` is there."""

    model_config = with_examples(examples.DUE_PAGE)

    rows: list[DueRowOut]
    until: InstantOut
    next_cursor: str | None


class NextRunOut(Representation):
    """A run of a job: its nominal instant, its due time, and the local time of the nominal instant."""

    scheduled_at: InstantOut
    due_at: InstantOut
    local: str = Field(description="The local time of `scheduled_at`, without an offset.")
    offset: str = Field(description="The offset of that local time from UTC.")


class NextRunsOut(Representation):
    """The next runs of a job, in order."""

    model_config = with_examples(examples.NEXT_RUNS)

    job_id: str
    timezone: str
    runs: list[NextRunOut]
