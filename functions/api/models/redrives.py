"""Bulk redrives: what is asked for, what would be redriven, and how far one has come."""

from typing import Annotated

from pydantic import BaseModel, Field

from functions.api.models.dead_letters import DeadLetterOut
from functions.api.models.examples import redrives as examples
from functions.api.models.schedules import Instant
from functions.api.models.schema import InstantOut, Schema, Seconds, shown_by
from shared.domain.dead_letters.redrive_task import MAX_RATE, TaskState
from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.ids import JOB_ID, is_job_id
from shared.domain.jobs.new_job import TAG, check_tags
from shared.domain.listings.filters import FAILURE_REASONS, DeadLetterFilter
from shared.domain.listings.position import BEGINNING, END, IndexPosition, PositionRange
from shared.domain.schedules.schedule import parse_instant
from shared.names import Lane
from shared.usecases.dead_letters.start_redrive import COUNTED_AT_MOST, NewRedrive

SAMPLE = 10
DEFAULT_RATE = 10


class RedriveIn(Schema):
    """Which dead letters, and how many of them in a second. Without a filter it is all of the tenant's."""

    model_config = shown_by(examples.REDRIVE_IN)

    job: str | None = Field(
        None, description="Only those of this job.", json_schema_extra={"pattern": JOB_ID}
    )
    tag: str | None = Field(
        None, description="Only those of jobs with this tag.", json_schema_extra={"pattern": TAG}
    )
    reason: str | None = Field(
        None,
        description="Only those that ended for this reason, or whose last attempt did.",
        json_schema_extra={"enum": [*FAILURE_REASONS, None]},
    )
    status: Annotated[Seconds, Field(ge=100, le=599)] | None = Field(
        None, description="Only those whose last attempt was answered so."
    )
    lane: Annotated[Lane, Field(strict=False)] | None = Field(None, description="Only those of this lane.")
    from_: Instant | None = Field(None, alias="from", description="Due from this instant on.")
    to: Instant | None = Field(None, description="Due before this instant; by default before this request.")
    rate: Annotated[Seconds, Field(ge=1, le=MAX_RATE)] = Field(
        DEFAULT_RATE, description="So many a second are due at the most, however many there are."
    )
    dry_run: bool = Field(default=False, description="Tell what would be redriven, and redrive nothing.")

    def new_redrive(self) -> NewRedrive:
        """The domain's value; InvalidValueError or ScheduleError for what is no filter."""
        if self.job is not None and not is_job_id(self.job):
            raise InvalidValueError("job is the id of a job")
        if self.reason is not None and self.reason not in FAILURE_REASONS:
            raise InvalidValueError(f"reason is one of {', '.join(FAILURE_REASONS)}")
        check_tags((self.tag,) if self.tag is not None else ())
        criteria = DeadLetterFilter(
            job_id=self.job,
            tag=self.tag,
            reason=self.reason,
            status=self.status,
            lane=self.lane,
            span=self._span(),
        )
        return NewRedrive(criteria=criteria, rate=self.rate)

    def _span(self) -> PositionRange:
        span = PositionRange(
            after=_place("from", self.from_) if self.from_ is not None else BEGINNING,
            before=_place("to", self.to) if self.to is not None else END,
        )
        if span.after >= span.before:
            raise ScheduleError("to: must be after from", field="to")
        return span


def _place(name: str, text: str) -> IndexPosition:
    try:
        return IndexPosition(at=max(0, parse_instant(text, None)))
    except ScheduleError as fault:
        raise ScheduleError(f"{name}: {str(fault).removeprefix('at: ')}", field=name) from fault


class RedrivePlanOut(BaseModel):
    """What would be redriven. Nothing was."""

    model_config = shown_by(examples.REDRIVE_PLAN)

    count: int = Field(description="How many match.")
    already_redriven: int = Field(
        description="How many of these have a redrive; it counts, unless it was cancelled."
    )
    complete: bool = Field(
        description=f"False where there may be more of both: {COUNTED_AT_MOST} are looked at, the oldest."
    )
    sample: list[DeadLetterOut] = Field(description=f"The first {SAMPLE} that would be, oldest first.")


class RedriveCountsOut(BaseModel):
    """What became of the dead letters so far."""

    redriven: int
    skipped: int = Field(
        description="They had a redrive that is open, has succeeded, or is a dead letter of its own."
    )
    refused: int = Field(description="Their jobs were deleted, or their requests are not kept any more.")
    cancelled: int = Field(description="Redrives that were undone.")
    already_started: int = Field(description="Redrives that had started when they were to be undone.")


class RedriveOut(BaseModel):
    """A bulk redrive."""

    model_config = shown_by(examples.REDRIVE_OUT)

    id: str
    state: TaskState = Field(
        description="`finished`: every redrive stands there, and runs when it is due. While it is `undoing` the last "
        "two counts are those of the walk under way."
    )
    job: str | None
    tag: str | None
    reason: str | None
    status: int | None
    lane: Lane | None
    from_: InstantOut | None = Field(alias="from")
    to: InstantOut
    rate: int
    counts: RedriveCountsOut
    progress_at: InstantOut | None = Field(
        description="Dead letters up to this instant were looked at; null where all were."
    )
    due_until: InstantOut = Field(description="No redrive that it has filed so far is due later.")
    created_at: InstantOut
    ended_at: InstantOut | None
