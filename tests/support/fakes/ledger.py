"""The ledger of shards in memory."""

from dataclasses import dataclass

from shared.domain.bucket import (
    EVERY_SHARD,
    FIRST_SWEEP_MS,
    LEAST_COUNTS,
    ShardCounts,
    ShardRange,
    bucket_end_ms,
)
from shared.names import LEDGER_PARTITIONS
from shared.ports.dispatch import OpenShard, PassLease, PassProgress, SweptMark, WatchLease

LEASE_MS = 55_000
PASS_LEASE_MS = 50_000


@dataclass(slots=True)
class LedgerRow:
    """One open shard: the watcher's lease, the sweeper's lease and passes, and the version for a close."""

    next_pass_at: int
    version: int
    fence: int = 0
    lease_until: int = -1
    cursor: str | None = None
    scan_began_at: int | None = None
    is_scanned: bool = False
    passes: int = 0
    last_resend_at: int | None = None
    open_until: int | None = None
    open_rows: tuple[str, ...] | None = None
    full_scan_at: int | None = None
    pass_fence: int = 0
    pass_lease_until: int = -1
    progress: PassProgress | None = None


class FakeShardLedger:
    """A closed shard has no row."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, int], LedgerRow] = {}
        self.mark: SweptMark | None = None

    def take(self, bucket: int, shard: int, now_ms: int) -> WatchLease | None:
        fresh = LedgerRow(next_pass_at=bucket_end_ms(bucket) + FIRST_SWEEP_MS, version=now_ms)
        row = self.rows.get((bucket, shard), fresh)
        if row.is_scanned or row.lease_until > now_ms:
            return None
        self.rows[bucket, shard] = row
        row.fence += 1
        row.version += 1
        row.lease_until = now_ms + LEASE_MS
        began_at = row.scan_began_at = now_ms if row.scan_began_at is None else row.scan_began_at
        return WatchLease(
            bucket=bucket, shard=shard, fence=row.fence, cursor=row.cursor, scan_began_at=began_at
        )

    def advance(self, lease: WatchLease, cursor: str) -> bool:
        row = self._held(lease)
        if row is None:
            return False
        row.cursor = cursor
        return True

    def finish(self, lease: WatchLease) -> bool:
        row = self._held(lease)
        if row is None:
            return False
        row.is_scanned, row.cursor, row.lease_until = True, None, -1
        return True

    def _held(self, lease: WatchLease) -> LedgerRow | None:
        row = self.rows.get((lease.bucket, lease.shard))
        return row if row is not None and row.fence == lease.fence else None

    def open_until(self, bucket: int, shard: int) -> int | None:
        row = self.rows.get((bucket, shard))
        return row.open_until if row is not None else None

    def reopen(self, bucket: int, shard: int, *, next_pass_at: int, open_until: int) -> None:
        row = self._listed(bucket, shard, next_pass_at, open_until)
        row.open_until = max(row.open_until or 0, open_until)
        row.open_rows = None

    def list_shard(self, bucket: int, shard: int, next_pass_at: int) -> None:
        row = self._listed(bucket, shard, next_pass_at, next_pass_at)
        if not row.passes:
            row.next_pass_at = min(row.next_pass_at, next_pass_at)

    def _listed(self, bucket: int, shard: int, next_pass_at: int, version: int) -> LedgerRow:
        """The version of a new row begins with an instant, so that it is not that of a closed one."""
        fresh = LedgerRow(next_pass_at=next_pass_at, version=version)
        row = self.rows.setdefault((bucket, shard), fresh)
        row.version += 1
        return row

    def open_before(self, bucket: int, part: ShardRange = EVERY_SHARD) -> list[OpenShard]:
        partitions = set(part.shards(LEDGER_PARTITIONS))
        return [
            _open_shard(key, row)
            for key, row in sorted(self.rows.items(), key=lambda entry: entry[0])
            if key[0] < bucket and key[1] % LEDGER_PARTITIONS in partitions
        ]

    def swept_through(self) -> SweptMark | None:
        return self.mark

    def note_swept_through(self, bucket: int, recorded: ShardCounts = LEAST_COUNTS) -> None:
        if self.mark is None or self.mark.bucket < bucket:
            self.mark = SweptMark(bucket=bucket, recorded=recorded)

    def take_pass(self, shard: OpenShard, now_ms: int) -> PassLease | None:
        key = (shard.bucket, shard.shard)
        row = self.rows.get(key)
        if row is None or row.next_pass_at > now_ms or row.pass_lease_until > now_ms:
            return None
        row.pass_fence = (row.pass_fence or now_ms) + 1
        row.pass_lease_until = now_ms + PASS_LEASE_MS
        return PassLease(shard=_open_shard(key, row), fence=row.pass_fence)

    def suspend_pass(self, lease: PassLease, progress: PassProgress | None) -> bool:
        row = self._leased(lease)
        if row is None:
            return False
        row.progress, row.pass_lease_until = progress, -1
        return True

    def record_pass(
        self,
        lease: PassLease,
        *,
        next_pass_at: int,
        full_scan_at: int | None = None,
        last_resend_at: int | None = None,
        open_rows: tuple[str, ...] | None = None,
    ) -> bool:
        row = self._leased(lease)
        if row is None:
            return False
        row.passes += 1
        row.next_pass_at, row.pass_lease_until, row.progress = next_pass_at, -1, None
        row.open_rows = open_rows if row.version == lease.version else None
        row.full_scan_at = full_scan_at
        if last_resend_at is not None:
            row.last_resend_at = last_resend_at
        return True

    def close(self, lease: PassLease) -> bool:
        row = self._leased(lease)
        if row is None or row.version != lease.version:
            return False
        del self.rows[lease.shard.bucket, lease.shard.shard]
        return True

    def _leased(self, lease: PassLease) -> LedgerRow | None:
        row = self.rows.get((lease.shard.bucket, lease.shard.shard))
        return row if row is not None and row.pass_fence == lease.fence else None


def _open_shard(key: tuple[int, int], row: LedgerRow) -> OpenShard:
    return OpenShard(
        bucket=key[0],
        shard=key[1],
        version=row.version,
        scan_began_at=row.scan_began_at if row.is_scanned else None,
        passes=row.passes,
        next_pass_at=row.next_pass_at,
        last_resend_at=row.last_resend_at,
        open_until=row.open_until,
        open_rows=row.open_rows,
        full_scan_at=row.full_scan_at,
        progress=row.progress,
    )
