"""WATCH: scan the shards of every bucket inside the look-ahead, and send for what is due there."""

from dataclasses import dataclass

from shared.domain.bucket import ShardPlan, ShardRange, buckets_to_watch
from shared.domain.errors import UnavailableError
from shared.domain.execution import State
from shared.domain.sweep import DueRow
from shared.domain.wakeup import pack, single_wakeup
from shared.ports.executions import ExecutionStore
from shared.ports.ledger import ShardLedger, WatchLease
from shared.ports.queue import WakeupQueue
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


@dataclass(frozen=True, slots=True)
class WatchBuckets:
    """One tick of a watcher. A crash, a doubled or a missed tick costs duplicate messages at worst."""

    store: ExecutionStore
    queue: WakeupQueue
    ledger: ShardLedger
    clock: Clock
    plan: ShardPlan

    def __call__(self, part: ShardRange) -> WatchReport:
        """Scan this part of the shards of each bucket that no tick has finished yet.

        UnavailableError where one did not answer, after all the others had their turn.
        """
        report = WatchReport()
        unanswered: UnavailableError | None = None
        for bucket in buckets_to_watch(self.clock.now_ms()):
            for shard in part.shards(self.plan.counts_at(bucket).of(bucket)):
                try:
                    self._watch(bucket, shard, report)
                except UnavailableError as fault:
                    unanswered = fault
        if unanswered is not None:
            raise unanswered
        return report

    def _watch(self, bucket: int, shard: int, report: WatchReport) -> None:
        lease = self.ledger.take(bucket, shard, self.clock.now_ms())
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
        waiting = pack(single_wakeup(row.lane, row.tenant_id, row.wakes, row.id.dispatch_at) for row in rows)
        wanted = len(waiting)
        for _ in range(SEND_TRIES):
            waiting = self.queue.send(waiting, self.clock.now_ms()) if waiting else []
        report.sent += wanted - len(waiting)
        report.send_failed += len(waiting)
        return not waiting
