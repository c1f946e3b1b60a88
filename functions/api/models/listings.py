"""Answers of the listings: jobs, what is about to run, and previews of schedules."""

from typing import Literal

from pydantic import BaseModel, Field

from functions.api.models.examples import executions as examples
from functions.api.models.examples.jobs import JOB_PAGE
from functions.api.models.executions import StateOut
from functions.api.models.jobs import JobStateOut
from functions.api.models.schedules import ScheduleOut
from functions.api.models.schema import InstantOut, shown_by
from shared.domain.listings.filters import Kind
from shared.domain.schedules.dst import DstEffect
from shared.domain.schedules.schedule_warnings import WarningCode
from shared.names import Lane


class JobSummaryOut(BaseModel):
    """A job in a list; `GET /v1/jobs/{id}` has the rest."""

    id: str
    kind: Kind
    state: JobStateOut
    name: str | None
    tags: list[str]
    schedule: ScheduleOut
    next_due_at: InstantOut | None
    lane: Lane
    revision: int
    created_at: InstantOut


class JobPageOut(BaseModel):
    """Recurring jobs by id, then those that run once. A page may be short while `next_cursor` is there."""

    model_config = shown_by(JOB_PAGE)

    jobs: list[JobSummaryOut]
    next_cursor: str | None


class UpcomingRunOut(BaseModel):
    """A call that is about to be made, unless something changes before."""

    at: InstantOut
    basis: Literal["filed", "retry", "expected"] = Field(
        description="An execution that stands there, the retry of one, or one that a recurring job will file."
    )
    execution_id: str
    job_id: str
    scheduled_at: InstantOut
    attempt: int


class UpcomingPageOut(BaseModel):
    """In order of time. A page may be short while `next_cursor` is there."""

    model_config = shown_by(examples.UPCOMING_PAGE)

    runs: list[UpcomingRunOut]
    until: InstantOut
    complete: bool = Field(
        description="False where the tenant has more recurring jobs than are enumerated; of the others the next "
        "execution is among the filed ones."
    )
    next_cursor: str | None


class DueRowOut(BaseModel):
    """A row of a bucket that waits for its time."""

    at: InstantOut
    tenant_id: str
    execution_id: str
    state: StateOut
    lane: Lane
    shard: int
    retry: bool


class DuePageOut(BaseModel):
    """In order of time, across tenants. A page may be short, or empty, while `next_cursor` is there."""

    model_config = shown_by(examples.DUE_PAGE)

    rows: list[DueRowOut]
    until: InstantOut
    next_cursor: str | None


class NextRunOut(BaseModel):
    """A run of a job: its nominal instant, when it is due, and the local time of the nominal instant."""

    scheduled_at: InstantOut
    due_at: InstantOut
    local: str = Field(description="The local time of `scheduled_at`, without an offset.")
    offset: str = Field(description="Of that local time from UTC.")


class NextRunsOut(BaseModel):
    """The next runs of a job, in order."""

    model_config = shown_by(examples.NEXT_RUNS)

    job_id: str
    timezone: str
    runs: list[NextRunOut]


class PreviewedRunOut(BaseModel):
    """A run of a schedule. With jitter it begins from `scheduled_at` on and before `begins_before`."""

    scheduled_at: InstantOut
    local: str
    offset: str
    begins_before: InstantOut | None


class ClockChangeOut(BaseModel):
    """A change of the clocks that touches runs: local times that are skipped or come twice."""

    at: InstantOut
    local_before: str
    local_after: str
    effect: DstEffect
    count: int
    local_times: list[str] = Field(description="The first of them.")
    runs_at: InstantOut | None = Field(description="When it runs instead; null where it does not.")


class CautionOut(BaseModel):
    """What one may not expect of the schedule. None of it is an error."""

    code: WarningCode
    text: str


class SchedulePreviewOut(BaseModel):
    """What a schedule would do."""

    model_config = shown_by(examples.PREVIEW_OUT)

    description: str
    timezone: str
    runs: list[PreviewedRunOut]
    clock_changes: list[ClockChangeOut]
    warnings: list[CautionOut]
