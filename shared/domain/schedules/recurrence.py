"""The rules of a chain of executions: everything needed to compute the successor of an execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.bucket import ShardCounts
from shared.domain.ids import ExecutionId, occurrence_id
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUpPolicy
from shared.domain.schedules.overlap import OverlapPolicy

if TYPE_CHECKING:
    from shared.domain.schedules.schedule import Series


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """The rules of a chain. They never change within a chain; a change starts a new chain."""

    schedule: Series
    counts: ShardCounts
    """Frozen per chain, so that writers with different configurations compute the same keys."""
    jitter_ms: int = 0
    catch_up: CatchUpPolicy = DEFAULT_POLICY
    overlap_policy: OverlapPolicy = OverlapPolicy.ALLOW
    max_runs: int | None = None
    """The job ends after this many runs; skipped instants do not count."""

    def id_of(self, job_id: str, revision: int, nominal_at: int) -> ExecutionId:
        """Return the id of the occurrence at a nominal instant."""
        at = nominal_at
        if self.jitter_ms:
            # Imported late, as below: watchers compute no instants, and their start loads no cron lines.
            from shared.domain.schedules.jitter import dispatch_at

            at = dispatch_at(self.schedule, job_id, nominal_at, self.jitter_ms)
        return occurrence_id(job_id, revision, nominal_at, self.counts, at)

    @property
    def is_backfill(self) -> bool:
        """Whether the chain runs the instants of a past range, at a pace of its own."""
        from shared.domain.schedules.schedule_kinds import Backfill

        return isinstance(self.schedule, Backfill)

    def scheduled_at(self, nominal_at: int) -> int:
        """Return the instant that the occurrence covers; a run of a backfill covers a past instant."""
        from shared.domain.schedules.backfill import scheduled_at
        from shared.domain.schedules.schedule_kinds import Backfill

        return scheduled_at(self.schedule, nominal_at) if isinstance(self.schedule, Backfill) else nominal_at
