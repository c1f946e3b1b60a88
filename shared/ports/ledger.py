"""The durable list of shards."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLease:
    """The right to scan one shard of one bucket, held by the newest fence."""

    bucket: int
    shard: int
    fence: int
    cursor: str | None
    scan_began_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShard:
    """A shard of an ended bucket that still has to be swept. `version` guards closing against reopening."""

    bucket: int
    shard: int
    version: int
    scan_began_at: int | None
    """None unless a scan was finished."""
    passes: int
    next_pass_at: int
    last_resend_at: int | None


class ShardLedger(Protocol):
    """The durable list of shards: who scans them, how far, and which still await sweeping."""

    def take(self, bucket: int, shard: int, now_ms: int) -> WatchLease | None:
        """Take the scan with a higher fence, opening the shard; None where it is done or another's lease is live."""
        ...

    def advance(self, lease: WatchLease, cursor: str) -> bool:
        """Move the cursor on condition of the fence; False: the lease is lost, stop."""
        ...

    def finish(self, lease: WatchLease) -> bool:
        """Mark the shard scanned; False: the lease is lost."""
        ...

    def reopen(self, bucket: int, shard: int, next_pass_at: int) -> None:
        """Make sure that the shard will be swept, whatever became of it."""
        ...

    def open_before(self, bucket: int) -> list[OpenShard]:
        """Every open shard of a bucket before this one, oldest first."""
        ...

    def swept_through(self) -> int | None:
        """The last bucket all of whose shards were listed; None before the first sweep ever."""
        ...

    def note_swept_through(self, bucket: int) -> None:
        """Move that mark forward, never back."""
        ...

    def record_pass(self, shard: OpenShard, *, next_pass_at: int, last_resend_at: int | None) -> bool:
        """Note a pass; False where the shard was changed meanwhile."""
        ...

    def close(self, shard: OpenShard) -> bool:
        """Take the shard off the list unless it was reopened meanwhile."""
        ...
