"""Schemas of pages of jobs."""

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import (
    LEFT_OUT,
    InstantOut,
    JobKey,
    Representation,
    SetName,
    is_none,
    with_examples,
)
from functions.api.resources.jobs import examples
from functions.api.resources.jobs.models import JobStateOut
from functions.api.resources.jobs.run_models import LastRunOut, NoNextRunOut
from functions.api.resources.jobs.target_views import AwsTargetOut
from functions.api.resources.schedules.models import ScheduleOut
from shared.domain.listings.filters import Kind
from shared.names import Lane


class JobSummaryOut(Representation):
    """A job in a list. `GET /v1/jobs/{job_id}` shows the other members."""

    model_config = ConfigDict(populate_by_name=True)

    id: str
    key: JobKey | SkipJsonSchema[None] = LEFT_OUT
    set_: SetName | SkipJsonSchema[None] = Field(None, alias="set", exclude_if=is_none)
    kind: Kind
    state: JobStateOut
    name: str | None
    tags: list[str]
    schedule: ScheduleOut
    next_due_at: InstantOut | None
    no_next_run: NoNextRunOut
    last_run: LastRunOut | SkipJsonSchema[None] = LEFT_OUT
    target: AwsTargetOut | SkipJsonSchema[None] = LEFT_OUT
    lane: Lane
    revision: int
    created_at: InstantOut


class JobPageOut(Representation):
    """Recurring jobs by id, then one-off jobs. A page may be short while `next_cursor` is there."""

    model_config = with_examples(examples.JOB_PAGE)

    jobs: list[JobSummaryOut]
    next_cursor: str | None
