"""What makes an execution one of a series: everything that its successor is computed from."""

from dataclasses import dataclass

from shared.domain.bucket import ShardCounts
from shared.domain.ids import ExecutionId, occurrence_id
from shared.domain.schedules.backfill import scheduled_at
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUpPolicy
from shared.domain.schedules.jitter import dispatch_at
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import Backfill, Series


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """The rules of a chain. They are frozen while it lasts: another chain begins where they are changed."""

    schedule: Series
    counts: ShardCounts
    """Frozen, so that writers with different configurations name the same keys."""
    jitter_ms: int = 0
    catch_up: CatchUpPolicy = DEFAULT_POLICY
    overlap_policy: OverlapPolicy = OverlapPolicy.ALLOW
    max_runs: int | None = None
    """The job ends with the run of this number; instants that a jump passes over are not counted."""

    def id_of(self, job_id: str, revision: int, nominal_at: int) -> ExecutionId:
        """The id of the occurrence at a nominal instant."""
        at = dispatch_at(self.schedule, job_id, nominal_at, self.jitter_ms) if self.jitter_ms else nominal_at
        return occurrence_id(job_id, revision, nominal_at, self.counts, at)

    def scheduled_at(self, nominal_at: int) -> int:
        """The instant that the occurrence is for; a backfill's runs come later than the instants they are for."""
        return scheduled_at(self.schedule, nominal_at) if isinstance(self.schedule, Backfill) else nominal_at
