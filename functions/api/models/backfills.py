"""Backfills: what is asked for, what would be run, and what a backfill's job shows of it."""

from typing import Annotated

from pydantic import BaseModel, Field

from functions.api.models.examples import backfills as examples
from functions.api.models.schedules import Instant
from functions.api.models.schema import InstantOut, Schema, Seconds, shown_by
from shared.domain.errors import ScheduleError
from shared.domain.jobs.new_backfill import NewBackfill
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import parse_instant
from shared.domain.schedules.schedule_kinds import MAX_BACKFILL_INTERVAL_MS
from shared.names import Lane

SHOWN_INSTANTS = 100


class BackfillIn(Schema):
    """A past range of a recurring job's instants, at most 1,000 of them."""

    model_config = shown_by(examples.BACKFILL_IN)

    from_: Instant = Field(alias="from", description="From this instant on: RFC 3339 with an offset.")
    to: Instant = Field(description="Before this instant, which is not in the future.")
    every_seconds: Annotated[Seconds, Field(ge=1, le=MAX_BACKFILL_INTERVAL_MS // 1000)] = Field(
        1, description="How far apart the runs are made, whatever lies between their instants."
    )
    overlap_policy: Annotated[OverlapPolicy, Field(strict=False)] = Field(
        OverlapPolicy.ALLOW, description="What happens while an earlier run of the backfill has not ended."
    )
    lane: Annotated[Lane, Field(strict=False)] = Field(
        Lane.BULK,
        description="Which queue and workers; by default those that keep out of the way of what is due.",
    )
    dry_run: bool = Field(default=False, description="Tell what would be run, and make nothing.")

    def new_backfill(self) -> NewBackfill:
        """The domain's value; ScheduleError for what is no instant."""
        return NewBackfill(
            from_at=_instant("from", self.from_),
            to_at=_instant("to", self.to),
            every_seconds=self.every_seconds,
            overlap_policy=self.overlap_policy,
            lane=self.lane,
        )


def _instant(name: str, text: str) -> int:
    try:
        return parse_instant(text, None)
    except ScheduleError as fault:
        raise ScheduleError(f"{name}: {str(fault).removeprefix('at: ')}", field=name) from fault


class BackfillOut(BaseModel):
    """What makes a job the backfill of another."""

    of: str = Field(description="The job whose instants are made up for.")
    from_: InstantOut = Field(alias="from")
    to: InstantOut
    every_seconds: int
    count: int = Field(description="How many instants the range has.")


class BackfillPlanOut(BackfillOut):
    """What a backfill would run. Nothing was made."""

    model_config = shown_by(examples.BACKFILL_PLAN_OUT)

    first_at: InstantOut
    last_at: InstantOut
    instants: list[InstantOut] = Field(description=f"The first {SHOWN_INSTANTS} of them.")
