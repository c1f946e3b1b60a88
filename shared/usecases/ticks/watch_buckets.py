"""The watcher: scan the shards of every bucket inside the look-ahead, and send messages for pending rows.

Some shards of a bucket are scanned side by side in order of time, so that rows of one tenant, lane and second
share messages although they are in different pages and shards. The cursor of a shard moves only past pages
whose rows were all sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.bucket import ShardPlan, ShardRange, buckets_to_watch
from shared.domain.dispatch.pack_filler import FilledPack, PackFiller
from shared.domain.dispatch.wakeup import single_wakeup
from shared.domain.errors import ServiceError
from shared.domain.executions.states import State
from shared.ports.dispatch import ShardLedger, WakeupQueue, WatchLease
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.filing.scanned_shards import ScannedShards
from shared.usecases.ticks.shard_scan import ScannedPage, ShardScan

PAGE_ROWS = 500
SEND_TRIES = 3
MERGED_SHARDS = 8
"""Shards that are scanned side by side. A watcher holds at most one page more of rows, and as many leases."""


@dataclass(slots=True)
class WatchReport:
    shards_scanned: int = 0
    found: int = 0
    sent: int = 0
    send_failed: int = 0
    unreadable: int = 0


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
            [
                ShardScan(bucket=bucket, shard=shard)
                for shard in part.shards(plan.counts_at(bucket).of(bucket))
            ]
            for bucket in buckets_to_watch(self.clock.now_ms())
        ]
        groups = [
            of_bucket[start : start + MERGED_SHARDS]
            for of_bucket in scans
            for start in range(0, len(of_bucket), MERGED_SHARDS)
        ]
        for group in groups:
            self._watch(group, report)
        failed = [scan for group in groups for scan in group if scan.error is not None]
        for scan in failed:
            self._watch([scan], report)
        error = next((scan.error for scan in failed if scan.error is not None), unread)
        if error is not None:
            raise error
        return report

    def _plan(self) -> tuple[ShardPlan, ServiceError | None]:
        """The plan to scan by. If the record cannot be read, scan what is known, and fail the tick after."""
        try:
            return self.scanned.scan_plan(), None
        except ServiceError as error:
            return self.scanned.known_plan(), error

    def _watch(self, group: Sequence[ShardScan], report: WatchReport) -> None:
        """Scan these shards of one bucket. The shard that was read least far is read next, so that no pack of
        an earlier second can grow any more."""
        filler: PackFiller[ScannedPage] = PackFiller()
        reading = [scan for scan in group if self._take(scan)]
        scanning = list(reading)
        while reading:
            self._read(min(reading, key=lambda scan: scan.read_until), filler, report)
            reading = [scan for scan in reading if scan.error is None and not scan.is_read]
            complete_until = min((scan.read_until for scan in reading), default=None)
            self._send(filler.take(complete_until), report)
            scanning = [scan for scan in scanning if self._settle(scan, report)]
            reading = [scan for scan in reading if scan in scanning]
        # The last shard that was read may have failed, and then the others still hold rows.
        self._send(filler.take(None), report)
        for scan in scanning:
            self._settle(scan, report)

    def _take(self, scan: ShardScan) -> bool:
        """Whether this tick scans the shard. A second try keeps the lease of the first; messages of the first
        are sent twice at worst."""
        try:
            lease = scan.lease or self.ledger.take(scan.bucket, scan.shard, self.clock.now_ms())
        except ServiceError as error:
            scan.error = error
            return False
        scan.error = None
        if lease is not None:
            scan.begin(lease)
        return lease is not None

    def _read(self, scan: ShardScan, filler: PackFiller[ScannedPage], report: WatchReport) -> None:
        try:
            page = self.store.scan(scan.bucket, scan.shard, after=scan.read_after, limit=PAGE_ROWS)
        except ServiceError as error:
            scan.error = error
            return
        report.unreadable += len(page.unreadable)
        pending = [row for row in page.rows if row.state is State.PENDING]
        report.found += len(pending)
        singles = [
            single_wakeup(row.lane, row.tenant_id, row.wakes, row.id.dispatch_at, row.destination)
            for row in pending
        ]
        filler.add(singles, scan.add(page, len(singles)))

    def _send(self, packs: Sequence[FilledPack[ScannedPage]], report: WatchReport) -> None:
        """Send packs. A page has failed if a pack with one of its rows was refused in each try."""
        unsent = [pack.wakeup for pack in packs]
        for _ in range(SEND_TRIES):
            unsent = self.queue.send(unsent, self.clock.now_ms()) if unsent else []
        report.sent += len(packs) - len(unsent)
        report.send_failed += len(unsent)
        refused = set(unsent)
        for pack in packs:
            # Nearly always none is refused, and then no wake-up has to be hashed.
            is_refused = bool(refused) and pack.wakeup in refused
            for page in pack.pages:
                page.unsent -= not is_refused
                page.has_failed |= is_refused

    def _settle(self, scan: ShardScan, report: WatchReport) -> bool:
        """Move the cursor past the pages that are sent, or finish the shard; whether the scan goes on."""
        if scan.error is not None or scan.has_failed or scan.lease is None:
            return False
        try:
            return self._move(scan, scan.lease, report)
        except ServiceError as error:
            scan.error = error
            return False

    def _move(self, scan: ShardScan, lease: WatchLease, report: WatchReport) -> bool:
        if scan.is_sent:
            report.shards_scanned += self.ledger.finish(lease)
            return False
        position = scan.sent_through()
        return position is None or self.ledger.advance(lease, position)
