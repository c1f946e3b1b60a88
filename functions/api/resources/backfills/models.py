"""Schemas of backfills."""

from typing import Annotated, Self

from pydantic import Field, model_validator

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
from functions.api.resources.backfills import examples
from shared.domain.errors import raise_any
from shared.domain.jobs.new_backfill import NewBackfill
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule_kinds import MAX_BACKFILL_INTERVAL_MS
from shared.names import Lane

SHOWN_INSTANTS = 100


class BackfillIn(Schema):
    """A past range with at most 1,000 instants of a recurring job."""

    model_config = with_examples(examples.BACKFILL_IN)

    from_: Instant = Field(
        alias="from", description="Start of the range, inclusive: RFC 3339 with an offset."
    )
    to: Instant = Field(description="End of the range, exclusive; not in the future.")
    every_seconds: Annotated[Seconds, Field(ge=1, le=MAX_BACKFILL_INTERVAL_MS // 1000)] = Field(
        1, description="The time between the starts of two runs, whatever lies between their instants."
    )
    overlap_policy: Annotated[OverlapPolicy, Field(strict=False)] = Field(
        OverlapPolicy.ALLOW,
        description="The rule for a run whose predecessor in the backfill has not ended.",
    )
    lane: Annotated[Lane, Field(strict=False)] = Field(
        Lane.BULK, description="The queue and its workers. The bulk lane yields to work that is due."
    )
    dry_run: bool = Field(default=False, description="Only return the plan; create nothing.")

    @model_validator(mode="after")
    def _has_instants(self) -> Self:
        raise_any(instant_errors({"from": self.from_, "to": self.to}))
        return self

    def new_backfill(self) -> NewBackfill:
        """ScheduleError for an empty range."""
        return NewBackfill(
            from_at=read_instant("from", self.from_) or 0,
            to_at=read_instant("to", self.to) or 0,
            every_seconds=self.every_seconds,
            overlap_policy=self.overlap_policy,
            lane=self.lane,
        )


class BackfillOut(Representation):
    """The range of a backfill."""

    of: str = Field(description="The job that the backfill belongs to.")
    from_: InstantOut = Field(alias="from")
    to: InstantOut
    every_seconds: int
    count: int = Field(description="The number of instants in the range.")


class BackfillPlanOut(BackfillOut):
    """The runs that a backfill would have. Nothing was created."""

    model_config = with_examples(examples.BACKFILL_PLAN_OUT)

    first_at: InstantOut
    last_at: InstantOut
    instants: list[InstantOut] = Field(description=f"The first {SHOWN_INSTANTS} instants.")
