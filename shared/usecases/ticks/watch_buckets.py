"""The watcher: scan the shards of every bucket inside the look-ahead, and send messages for pending rows.

Several shards of a bucket are scanned side by side in order of time, so that rows of one tenant, lane and
second share messages although they are in different pages and shards. The cursor of a shard moves only past
pages whose rows were all sent.
"""

from collections.abc import Sequence
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, ShardRange, buckets_to_watch
from shared.domain.dispatch.pack_filler import FilledPack, PackFiller
from shared.domain.errors import ServiceError
from shared.ports.dispatch import ShardLedger
from shared.ports.executions import ExecutionStore, PendingPage
from shared.ports.runtime import Clock, Spread
from shared.usecases.filing.scanned_shards import ScannedShards
from shared.usecases.ticks.shard_scan import ScannedPage, ShardScan
from shared.usecases.ticks.window_sends import WindowSends

PAGE_ROWS = 500
SEND_TRIES = 3
MERGED_SHARDS = 8
"""Shards that are scanned side by side."""
HELD_PAGES = 2
"""A shard with so many pages that wait for their packs is read on only if every other shard has as many."""
MAX_HELD_ROWS = 20_000
"""Rows that wait for their packs, some 10 MB. Packs are sent as they are when more rows wait."""
HOLD_MS = 20_000
"""A third of the minute until the next tick. After it, every message is sent at once."""


@dataclass(slots=True)
class WatchReport:
    shards_scanned: int = 0
    found: int = 0
    sent: int = 0
    send_failed: int = 0
    unreadable: list[str] = field(default_factory=list)
    """The bucket, the shard and the sort key of each row that cannot be read."""


@dataclass(frozen=True, slots=True)
class WatchBuckets:
    """One tick of a watcher. A crash, a doubled or a missed tick costs at most duplicate messages."""

    store: ExecutionStore
    sends: WindowSends
    ledger: ShardLedger
    clock: Clock
    scanned: ScannedShards
    spread: Spread

    def execute(self, part: ShardRange) -> WatchReport:
        """Scan this part of the shards of each bucket that no tick has finished yet.

        A failed shard is tried again after all others: the next tick may be too late for it. ServiceError
        where the second try fails as well, or the record of the shard counts cannot be read.
        """
        report, hold_until = WatchReport(), self.clock.now_ms() + HOLD_MS
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
            self._watch(group, report, hold_until)
        failed = [scan for group in groups for scan in group if scan.error is not None]
        for scan in failed:
            self._watch([scan], report, hold_until)
        report.shards_scanned = sum(scan.is_finished for group in groups for scan in group)
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

    def _watch(self, group: Sequence[ShardScan], report: WatchReport, hold_until: int) -> None:
        """Scan these shards of one bucket, pages of several shards side by side.

        A shard that was read further than another waits, so that packs of an earlier second are sent first.
        """
        filler: PackFiller[ScannedPage] = PackFiller()
        taken = self.spread(self._take, group)
        scanning = [scan for scan, is_taken in zip(group, taken, strict=True) if is_taken]
        reading = scanning
        while reading:
            behind = [scan for scan in reading if len(scan.pages) < HELD_PAGES]
            behind = behind or [min(reading, key=lambda scan: scan.read_until)]
            for scan, page in zip(behind, self.spread(self._read, behind), strict=True):
                if page is not None:
                    report.unreadable += [f"{scan.bucket}#{scan.shard}/{key}" for key in page.unreadable]
                    report.found += len(page.rows)
                    filler.add(page.rows, scan.add(page))
            reading = [scan for scan in reading if scan.error is None and not scan.is_read]
            complete_until = min((scan.read_until for scan in reading), default=None)
            is_full = filler.held >= MAX_HELD_ROWS
            self._send(filler.take(None if is_full else complete_until), report, hold_until)
            scanning = self._settle(scanning)
            reading = [scan for scan in reading if scan in scanning]
        # The last shard that was read may have failed, and then the others still hold rows.
        self._send(filler.take(None), report, hold_until)
        self._settle(scanning)

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

    def _read(self, scan: ShardScan) -> PendingPage | None:
        """The next page; None where it could not be read."""
        try:
            return self.store.scan_pending(scan.bucket, scan.shard, after=scan.read_after, limit=PAGE_ROWS)
        except ServiceError as error:
            scan.error = error
            return None

    def _send(self, packs: Sequence[FilledPack[ScannedPage]], report: WatchReport, hold_until: int) -> None:
        """Send packs. A page has failed if a pack with one of its rows was refused in each try."""
        unsent = [pack.wakeup for pack in packs]
        for _ in range(SEND_TRIES):
            unsent = self.sends.send(unsent, hold_until) if unsent else []
        report.sent += len(packs) - len(unsent)
        report.send_failed += len(unsent)
        refused = set(unsent)
        for pack in packs:
            # Nearly always none is refused, and then no wake-up has to be hashed.
            is_refused = bool(refused) and pack.wakeup in refused
            for page in pack.pages:
                page.unsent -= not is_refused
                page.has_failed |= is_refused

    def _settle(self, scans: Sequence[ShardScan]) -> list[ShardScan]:
        """Move the cursors past the pages that are sent, or finish the shards; the scans that go on."""
        go_on = self.spread(self._move, scans)
        return [scan for scan, goes_on in zip(scans, go_on, strict=True) if goes_on]

    def _move(self, scan: ShardScan) -> bool:
        if scan.error is not None or scan.has_failed or scan.lease is None:
            return False
        try:
            if scan.is_sent:
                scan.is_finished = self.ledger.finish(scan.lease)
                return False
            position = scan.sent_through()
            return position is None or self.ledger.advance(scan.lease, position)
        except ServiceError as error:
            scan.error = error
            return False
