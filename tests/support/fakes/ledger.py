"""The ledger of shards in memory."""

from dataclasses import dataclass

from shared.domain.bucket import FIRST_SWEEP_MS, LEAST_COUNTS, ShardCounts, bucket_end_ms
from shared.ports.dispatch import OpenShard, SweptMark, WatchLease

LEASE_MS = 55_000


@dataclass(slots=True)
class LedgerRow:
    """One open shard: the watcher's lease, the sweeper's passes, and the version for a close."""

    next_pass_at: int
    version: int = 0
    fence: int = 0
    lease_until: int = -1
    cursor: str | None = None
    scan_began_at: int | None = None
    is_scanned: bool = False
    passes: int = 0
    last_resend_at: int | None = None


class FakeShardLedger:
    """A closed shard has no row."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, int], LedgerRow] = {}
        self.mark: SweptMark | None = None
        self.reconciled: int | None = None

    def take(self, bucket: int, shard: int, now_ms: int) -> WatchLease | None:
        fresh = LedgerRow(next_pass_at=bucket_end_ms(bucket) + FIRST_SWEEP_MS)
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

    def reopen(self, bucket: int, shard: int, next_pass_at: int) -> None:
        self.rows.setdefault((bucket, shard), LedgerRow(next_pass_at=next_pass_at)).version += 1

    def open_before(self, bucket: int) -> list[OpenShard]:
        return [
            OpenShard(
                bucket=key[0],
                shard=key[1],
                version=row.version,
                scan_began_at=row.scan_began_at if row.is_scanned else None,
                passes=row.passes,
                next_pass_at=row.next_pass_at,
                last_resend_at=row.last_resend_at,
            )
            for key, row in sorted(self.rows.items(), key=lambda entry: entry[0])
            if key[0] < bucket
        ]

    def swept_through(self) -> SweptMark | None:
        return self.mark

    def note_swept_through(self, bucket: int, recorded: ShardCounts = LEAST_COUNTS) -> None:
        if self.mark is None or self.mark.bucket < bucket:
            self.mark = SweptMark(bucket=bucket, recorded=recorded)

    def reconciled_through(self) -> int | None:
        return self.reconciled

    def note_reconciled_through(self, bucket: int) -> None:
        self.reconciled = bucket if self.reconciled is None else max(self.reconciled, bucket)

    def record_pass(self, shard: OpenShard, *, next_pass_at: int, last_resend_at: int | None) -> bool:
        row = self._unchanged(shard)
        if row is None:
            return False
        row.passes += 1
        row.next_pass_at = next_pass_at
        if last_resend_at is not None:
            row.last_resend_at = last_resend_at
        return True

    def close(self, shard: OpenShard) -> bool:
        if self._unchanged(shard) is None:
            return False
        del self.rows[shard.bucket, shard.shard]
        return True

    def _unchanged(self, shard: OpenShard) -> LedgerRow | None:
        row = self.rows.get((shard.bucket, shard.shard))
        return row if row is not None and row.version == shard.version else None
