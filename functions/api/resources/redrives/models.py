"""Schemas of bulk redrives."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, model_validator

from functions.api.http.filters import OWNER_ID, word_errors
from functions.api.models import (
    Instant,
    InstantOut,
    Representation,
    Schema,
    Seconds,
    instant_errors,
    read_instant,
    with_examples,
)
from functions.api.resources.dead_letters.models import DeadLetterOut
from functions.api.resources.redrives import examples
from shared.domain.dead_letters.redrive_task import MAX_RATE, TaskState
from shared.domain.errors import InvalidValueError, ScheduleError, raise_any
from shared.domain.jobs.new_job import TAG
from shared.domain.listings.filters import FAILURE_REASONS, DeadLetterFilter
from shared.domain.listings.position import BEGINNING, END, IndexPosition, PositionRange
from shared.names import Lane
from shared.usecases.dead_letters.start_redrive import COUNTED_AT_MOST, NewRedrive

SAMPLE = 10
DEFAULT_RATE = 10


class RedriveIn(Schema):
    """The dead letters to redrive, and the pace. Without a filter: all dead letters of the tenant."""

    model_config = with_examples(examples.REDRIVE_IN)

    job: Annotated[str, Field(json_schema_extra={"pattern": OWNER_ID})] | None = Field(
        None, description="Only dead letters of this job, or of the tasks of this workflow."
    )
    tag: Annotated[str, Field(json_schema_extra={"pattern": TAG})] | None = Field(
        None, description="Only dead letters of jobs with this tag."
    )
    reason: str | None = Field(
        None,
        description="Only dead letters that ended for this reason, or whose last attempt did.",
        json_schema_extra={"enum": [*FAILURE_REASONS, None]},
    )
    status: Annotated[Seconds, Field(ge=100, le=599)] | None = Field(
        None, description="Only dead letters whose last attempt got this HTTP status."
    )
    lane: Annotated[Lane, Field(strict=False)] | None = Field(
        None, description="Only dead letters of this lane."
    )
    from_: Instant | None = Field(None, alias="from", description="Due at this instant or later.")
    to: Instant | None = Field(
        None, description="Due before this instant; by default before the time of the request."
    )
    rate: Annotated[Seconds, Field(ge=1, le=MAX_RATE)] = Field(
        DEFAULT_RATE, description="At most this many redrives are due in one second."
    )
    dry_run: bool = Field(default=False, description="Only count the dead letters; redrive nothing.")

    @model_validator(mode="after")
    def _has_lawful_filters(self) -> Self:
        raise_any(self._errors())
        return self

    def _errors(self) -> Iterator[InvalidValueError]:
        yield from word_errors(job=self.job, tag=self.tag, reason=self.reason, workflows=True)
        bounds = [*instant_errors({"from": self.from_, "to": self.to})]
        yield from bounds
        if not bounds and self._span.after >= self._span.before:
            yield ScheduleError("to: must be after from", field="to")

    def new_redrive(self) -> NewRedrive:
        criteria = DeadLetterFilter(
            job_id=self.job,
            tag=self.tag,
            reason=self.reason,
            status=self.status,
            lane=self.lane,
            span=self._span,
        )
        return NewRedrive(criteria=criteria, rate=self.rate)

    @property
    def _span(self) -> PositionRange:
        from_at, to_at = read_instant("from", self.from_), read_instant("to", self.to)
        return PositionRange(
            after=BEGINNING if from_at is None else IndexPosition(at=max(0, from_at)),
            before=END if to_at is None else IndexPosition(at=max(0, to_at)),
        )


class RedrivePlanOut(Representation):
    """The dead letters that would be redriven. Nothing was redriven."""

    model_config = with_examples(examples.REDRIVE_PLAN)

    count: int = Field(description="The number of dead letters that match.")
    already_redriven: int = Field(
        description="The number of matching dead letters with a redrive that was not cancelled. Of a task: those "
        "whose run is open, has succeeded, or is redriven at another dead letter."
    )
    redrives: int = Field(
        description="The number of redrives that would be tried: one for each other dead letter, but one for each run "
        "of a workflow."
    )
    complete: bool = Field(
        description=f"False where these are lower bounds: only the oldest {COUNTED_AT_MOST} are counted."
    )
    sample: list[DeadLetterOut] = Field(
        description=f"The first {SAMPLE} that would be redriven, oldest first."
    )


class RedriveCountsOut(Representation):
    """What happened to the dead letters so far."""

    redriven: int
    skipped: int = Field(
        description="Dead letters with a redrive that is open, has succeeded, or is a dead letter itself."
    )
    refused: int = Field(
        description="Dead letters whose job was deleted or whose request is no longer stored."
    )
    cancelled: int = Field(description="Redrives that were undone.")
    already_started: int = Field(
        description="Redrives that could not be undone, because they had already started."
    )


class RedriveOut(Representation):
    """A bulk redrive."""

    model_config = with_examples(examples.REDRIVE_OUT)

    id: str
    state: TaskState = Field(
        description="`finished`: every redrive was created and runs when it is due. While the state is "
        "`undoing`, `cancelled` and `already_started` count the pass in progress."
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
        description="Dead letters up to this instant are done; null where all are done."
    )
    due_until: InstantOut = Field(description="No redrive created so far is due later.")
    created_at: InstantOut
    ended_at: InstantOut | None
