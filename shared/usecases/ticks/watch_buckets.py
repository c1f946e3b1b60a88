"""The watcher: scan the shards of every bucket inside the look-ahead, and send messages for pending rows."""

from dataclasses import dataclass

from shared.domain.bucket import ShardPlan, ShardRange, buckets_to_watch
from shared.domain.dispatch.sweep import DueRow
from shared.domain.dispatch.wakeup import pack, single_wakeup
from shared.domain.errors import ServiceError
from shared.domain.executions.states import State
from shared.ports.dispatch import ShardLedger, WakeupQueue, WatchLease
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.filing.scanned_shards import ScannedShards

PAGE_ROWS = 500
SEND_TRIES = 3


@dataclass(slots=True)
class WatchReport:
    shards_scanned: int = 0
    found: int = 0
    sent: int = 0
    send_failed: int = 0
    unreadable: int = 0


@dataclass(slots=True, kw_only=True)
class _ShardScan:
    """One shard in one tick: its lease, and the error of its last try."""

    bucket: int
    shard: int
    lease: WatchLease | None = None
    error: ServiceError | None = None


@dataclass(frozen=True, slots=True)
class WatchBuckets:
    """One tick of a watcher. A crash, a doubled or a missed tick costs at most duplicate messages."""

    store: ExecutionStore
    queue: WakeupQueue
    ledger: ShardLedger
    clock: Clock
    scanned: ScannedShards

    def execute(self, part: ShardRange) -> WatchReport:
        """Scan this part of the shards of each bucket that no tick has finished yet.

        A failed shard is tried again after all others: the next tick may be too late for it. ServiceError
        where the second try fails as well, or the record of the shard counts cannot be read.
        """
        report = WatchReport()
        plan, unread = self._plan()
        scans = [
            _ShardScan(bucket=bucket, shard=shard)
            for bucket in buckets_to_watch(self.clock.now_ms())
            for shard in part.shards(plan.counts_at(bucket).of(bucket))
        ]
        failed = [scan for scan in scans if not self._try(scan, report)]
        failed = [scan for scan in failed if not self._try(scan, report)]
        if failed and failed[0].error is not None:
            raise failed[0].error
        if unread is not None:
            raise unread
        return report

    def _plan(self) -> tuple[ShardPlan, ServiceError | None]:
        """The plan to scan by. If the record cannot be read, scan what is known, and fail the tick after."""
        try:
            return self.scanned.scan_plan(), None
        except ServiceError as error:
            return self.scanned.known_plan(), error

    def _try(self, scan: _ShardScan, report: WatchReport) -> bool:
        try:
            self._watch(scan, report)
        except ServiceError as error:
            scan.error = error
            return False
        return True

    def _watch(self, scan: _ShardScan, report: WatchReport) -> None:
        """A second try keeps the lease of the first; messages of the first are sent twice at worst."""
        lease = scan.lease or self.ledger.take(scan.bucket, scan.shard, self.clock.now_ms())
        scan.lease = lease
        if lease is not None and self._scan(lease, report) and self.ledger.finish(lease):
            report.shards_scanned += 1

    def _scan(self, lease: WatchLease, report: WatchReport) -> bool:
        """Send page by page; the cursor moves only after the whole page was sent. False: not finished."""
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
        unsent = pack(
            single_wakeup(row.lane, row.tenant_id, row.wakes, row.id.dispatch_at, row.destination)
            for row in rows
        )
        total = len(unsent)
        for _ in range(SEND_TRIES):
            unsent = self.queue.send(unsent, self.clock.now_ms()) if unsent else []
        report.sent += total - len(unsent)
        report.send_failed += len(unsent)
        return not unsent
