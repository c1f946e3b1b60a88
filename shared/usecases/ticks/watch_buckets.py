"""WATCH: scan the shards of every bucket inside the look-ahead, and send for what is due there."""

from dataclasses import dataclass

from shared.domain.bucket import ShardPlan, ShardRange, buckets_to_watch
from shared.domain.dispatch.sweep import DueRow
from shared.domain.dispatch.wakeup import pack, single_wakeup
from shared.domain.errors import UnavailableError
from shared.domain.executions.states import State
from shared.ports.dispatch import ShardLedger, WakeupQueue, WatchLease
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock

PAGE_ROWS = 500
SEND_TRIES = 3


@dataclass(slots=True)
class WatchReport:
    """What one tick did."""

    shards_scanned: int = 0
    found: int = 0
    sent: int = 0
    send_failed: int = 0
    unreadable: int = 0


@dataclass(slots=True, kw_only=True)
class _Turn:
    """One shard in one tick: the lease that it was taken with, and why its last turn came to nothing."""

    bucket: int
    shard: int
    lease: WatchLease | None = None
    fault: UnavailableError | None = None


@dataclass(frozen=True, slots=True)
class WatchBuckets:
    """One tick of a watcher. A crash, a doubled or a missed tick costs duplicate messages at worst."""

    store: ExecutionStore
    queue: WakeupQueue
    ledger: ShardLedger
    clock: Clock
    plan: ShardPlan

    def execute(self, part: ShardRange) -> WatchReport:
        """Scan this part of the shards of each bucket that no tick has finished yet.

        A shard that did not answer has a second turn behind all the others: the next tick may be too late for it.
        UnavailableError where one did not answer then either.
        """
        report = WatchReport()
        run_locks = [
            _Turn(bucket=bucket, shard=shard)
            for bucket in buckets_to_watch(self.clock.now_ms())
            for shard in part.shards(self.plan.counts_at(bucket).of(bucket))
        ]
        missed = [turn for turn in run_locks if not self._is_answered(turn, report)]
        missed = [turn for turn in missed if not self._is_answered(turn, report)]
        if missed and missed[0].fault is not None:
            raise missed[0].fault
        return report

    def _is_answered(self, turn: _Turn, report: WatchReport) -> bool:
        try:
            self._watch(turn, report)
        except UnavailableError as fault:
            turn.fault = fault
            return False
        return True

    def _watch(self, turn: _Turn, report: WatchReport) -> None:
        """A second turn goes on with the lease of the first; what that one sent is sent twice at worst."""
        lease = turn.lease or self.ledger.take(turn.bucket, turn.shard, self.clock.now_ms())
        turn.lease = lease
        if lease is not None and self._scan(lease, report) and self.ledger.finish(lease):
            report.shards_scanned += 1

    def _scan(self, lease: WatchLease, report: WatchReport) -> bool:
        """Send page by page; the cursor moves only after the whole page was sent. False: stop, not done."""
        cursor = lease.cursor
        while True:
            page = self.store.scan(lease.bucket, lease.shard, after=cursor, limit=PAGE_ROWS)
            report.unreadable += len(page.unreadable)
            if not self._send([row for row in page.rows if row.state is State.PENDING], report):
                return False
            if page.next_after is None:
                return True
            cursor = page.next_after
            if not self.ledger.advance(lease, cursor):
                return False

    def _send(self, rows: list[DueRow], report: WatchReport) -> bool:
        report.found += len(rows)
        waiting = pack(
            single_wakeup(row.lane, row.tenant_id, row.wakes, row.id.dispatch_at, row.destination)
            for row in rows
        )
        wanted = len(waiting)
        for _ in range(SEND_TRIES):
            waiting = self.queue.send(waiting, self.clock.now_ms()) if waiting else []
        report.sent += wanted - len(waiting)
        report.send_failed += len(waiting)
        return not waiting
