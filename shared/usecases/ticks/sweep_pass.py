"""The state of one pass over one shard, and the report of a run of the sweeper."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Self

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import SweepContext
from shared.domain.executions.execution import Execution
from shared.ports.dispatch import OpenShard, PassLease, PassProgress

if TYPE_CHECKING:
    from shared.usecases.workflows.repair_runs import UnsettledRuns

MAX_OPEN_ROWS = 256
"""The ledger row lists at most this many open rows; a shard with more is scanned at each pass."""


@dataclass(slots=True)
class SweepReport:
    shards_swept: int = 0
    suspended: int = 0
    """Passes that the end of the run cut: the next run continues."""
    closed: int = 0
    resent: int = 0
    send_failed: int = 0
    unavailable: int = 0
    held_back: int = 0
    open_breakers: int = 0
    lost: list[Execution] = field(default_factory=list)
    """Executions that failed, because their last attempts were lost with their workers."""
    index_repaired: int = 0
    """Entries in the index of failures that a throttled write had left behind."""
    quarantined: list[str] = field(default_factory=list)
    oldest_unclaimed_ms: int = 0
    """How long the oldest job is overdue that is neither claimed nor throttled."""
    oldest_waiting_ms: int = 0
    """How long the oldest throttled job is overdue."""

    @property
    def worker_lost(self) -> int:
        return len(self.lost)


@dataclass(slots=True)
class ShardPass:
    """The counts of a pass over one shard so far."""

    context: SweepContext
    began_at: int
    """When the pass began, by the earlier of the clock and the tick: whether the shard may be closed rests on it."""
    open_rows: list[str] | None = field(default_factory=list)
    unfinished: int = 0
    resent: int = 0
    failed: int = 0
    aged: int = 0
    next_actionable_at: int | None = None

    def keep(self, sort_key: str) -> None:
        """The row is unfinished: the shard stays open."""
        self.unfinished += 1
        if self.open_rows is not None:
            self.open_rows.append(sort_key)
            if len(self.open_rows) > MAX_OPEN_ROWS:
                self.open_rows = None

    def keep_runs(self, unsettled: UnsettledRuns, report: SweepReport) -> None:
        """Open runs, and ended tasks whose runs have not learned of the end, are unfinished."""
        for row in unsettled.rows:
            self.keep(row.sort_key)
        for run in unsettled.open_runs:
            self.keep(run.sort_key)
            if run.deadline_at > self.context.now_ms:
                self.look_again_at(run.deadline_at)
        report.quarantined.extend(unsettled.quarantined)
        report.unavailable += unsettled.failed
        self.failed += unsettled.failed

    def look_again_at(self, instant_ms: int) -> None:
        """A row may need a message then: the next pass comes no later."""
        if self.next_actionable_at is None or instant_ms < self.next_actionable_at:
            self.next_actionable_at = instant_ms

    @classmethod
    def begin(cls, shard: OpenShard, now_ms: int, ticked_at: int | None) -> Self:
        """A new pass, or the rest of a suspended pass."""
        context = SweepContext(
            now_ms=now_ms,
            is_first_pass=shard.passes == 0,
            scan_began_at=shard.scan_began_at,
            last_resend_at=shard.last_resend_at,
        )
        progress = shard.progress
        if progress is None:
            return cls(context=context, began_at=now_ms if ticked_at is None else min(now_ms, ticked_at))
        return cls(
            context=context,
            began_at=progress.began_at,
            open_rows=None if progress.open_rows is None else list(progress.open_rows),
            unfinished=progress.unfinished,
            resent=progress.resent,
            failed=progress.failed,
            next_actionable_at=progress.next_actionable_at,
        )

    @property
    def listed(self) -> tuple[str, ...] | None:
        """The open rows for the ledger; None if they are too many."""
        return None if self.open_rows is None else tuple(self.open_rows)

    def progress(self, lease: PassLease, cursor: str) -> PassProgress:
        """What the next run needs to continue after `cursor`."""
        return PassProgress(
            cursor=cursor,
            version=lease.version,
            began_at=self.began_at,
            unfinished=self.unfinished,
            open_rows=self.listed,
            next_actionable_at=self.next_actionable_at,
            resent=self.resent,
            failed=self.failed,
        )
