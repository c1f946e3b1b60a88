"""A requested backfill of past instants of a job."""

from shared.dataclass import dataclass
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.errors import (
    ScheduleError,
    ScheduleInPastError,
    ScheduleNeverFiresError,
    ScheduleTooFarError,
)
from shared.domain.jobs.job import Definition, Job
from shared.domain.schedules.catch_up import (
    MAX_CATCH_UP_LIMIT,
    MAX_CATCH_UP_WINDOW_MS,
    CatchUp,
    CatchUpPolicy,
)
from shared.domain.schedules.instants import FARTHEST_MS
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import Backfill, Cron, Rate, count_between
from shared.domain.schedules.schedule_kinds import MAX_BACKFILLED
from shared.domain.schedules.zone_changes import with_frozen_rules
from shared.names import Lane

ALL_RUNS = CatchUpPolicy(mode=CatchUp.ALL, limit=MAX_CATCH_UP_LIMIT, window_ms=MAX_CATCH_UP_WINDOW_MS)
"""Delayed runs of a backfill are never skipped: each run is for a different instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBackfill:
    """The nominal instants in [from_at, to_at), one run every `every_seconds`."""

    from_at: int
    to_at: int
    every_seconds: int = 1
    overlap_policy: OverlapPolicy = OverlapPolicy.ALLOW
    lane: Lane = Lane.BULK

    def schedule_of(self, of: Rate | Cron, anchor: int, now_ms: int) -> Backfill:
        """The schedule of the backfill, whose first run is at the anchor. Takes bounded time.

        Raises ScheduleError if the range is empty or has too many instants, ScheduleTooFarError if the range
        is not entirely in the past, ScheduleInPastError if it begins more than ten years ago, and
        ScheduleNeverFiresError if it contains no instant.
        """
        self._check_range(now_ms)
        of = with_frozen_rules(of, self.from_at, now_ms)
        count = count_between(of, self.from_at - 1, self.to_at - 1, MAX_BACKFILLED + 1)
        if count == 0:
            raise ScheduleNeverFiresError("from: the schedule has no instant in this range", field="from")
        if count > MAX_BACKFILLED:
            raise ScheduleError(
                f"to: the range has more than {MAX_BACKFILLED} instants; backfill it in parts", field="to"
            )
        return Backfill(
            of=of,
            from_at=self.from_at,
            to_at=self.to_at,
            count=count,
            interval_ms=self.every_seconds * 1000,
            anchor=anchor,
        )

    def definition(self, of: Job, schedule: Backfill, call: CallSpec) -> Definition:
        """The definition of the backfill; `call` is the call of the job, sealed for the backfill."""
        return Definition(
            schedule=schedule,
            call=call,
            name=of.name,
            tags=of.tags,
            catch_up=ALL_RUNS,
            overlap_policy=self.overlap_policy,
        )

    def _check_range(self, now_ms: int) -> None:
        if self.from_at >= self.to_at:
            raise ScheduleError("to: must be after from", field="to")
        if self.to_at > now_ms:
            raise ScheduleTooFarError("to: only what is past can be backfilled", field="to")
        if self.from_at < now_ms - FARTHEST_MS:
            raise ScheduleInPastError("from: more than ten years ago", field="from")


def encode_new_backfill(job_id: str, new: NewBackfill) -> bytes:
    """Canonical encoding of a backfill request, for comparison."""
    parts = (job_id, new.from_at, new.to_at, new.every_seconds, new.overlap_policy.value, new.lane.value)
    return "|".join(("backfill", *map(str, parts))).encode()
