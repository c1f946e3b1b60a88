"""Dispatch: the ledger of shards, the queues of wake-ups, lane progress, and the reconciler's sources."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.domain.bucket import LEAST_COUNTS, ShardCounts
from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.dispatch.sweep import LaneProgress
from shared.domain.dispatch.wakeup import Wakeup
from shared.names import Lane, QueueName


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLease:
    """The right to scan one shard of one bucket; `fence` is a fencing token, and only the newest is valid."""

    bucket: int
    shard: int
    fence: int
    cursor: str | None
    scan_began_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShard:
    """A shard of an ended bucket that is still to be swept. `version` keeps a close from undoing a reopen."""

    bucket: int
    shard: int
    version: int
    scan_began_at: int | None
    """None unless a scan has finished."""
    passes: int
    next_pass_at: int
    last_resend_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptMark:
    """The last bucket whose shards are all listed, and the recorded shard counts by which they were listed."""

    bucket: int
    recorded: ShardCounts


class ShardCountStore(Protocol):
    """The grow-only record of the largest shard counts that any process has filed by."""

    def read(self) -> ShardCounts:
        """Strongly consistent; `LEAST_COUNTS` if there is no record."""
        ...

    def swap(self, before: ShardCounts, after: ShardCounts) -> bool:
        """Compare-and-swap; False if the record is not `before`. `after` must cover `before`."""
        ...


class ShardLedger(Protocol):
    """The durable list of shards: their scan leases, scan cursors, and shards that are still to be swept."""

    def take(self, bucket: int, shard: int, now_ms: int) -> WatchLease | None:
        """List the shard as open and lease its scan with a higher fence; None if it is scanned or leased."""
        ...

    def advance(self, lease: WatchLease, cursor: str) -> bool:
        """Move the cursor if the fence is still the newest; False: the lease is lost, so the caller stops."""
        ...

    def finish(self, lease: WatchLease) -> bool:
        """Mark the shard scanned; False: the lease is lost."""
        ...

    def reopen(self, bucket: int, shard: int, next_pass_at: int) -> None:
        """Ensure that the shard will be swept, even if it was closed."""
        ...

    def open_before(self, bucket: int) -> list[OpenShard]:
        """Every open shard of a bucket before this one, oldest first."""
        ...

    def swept_through(self) -> SweptMark | None:
        """None before the first sweep."""
        ...

    def note_swept_through(self, bucket: int, recorded: ShardCounts = LEAST_COUNTS) -> None:
        """Move `swept_through` forward, never back; the counts are those of the last move."""
        ...

    def record_pass(self, shard: OpenShard, *, next_pass_at: int, last_resend_at: int | None) -> bool:
        """Record a pass; False if the shard has changed since."""
        ...

    def close(self, shard: OpenShard) -> bool:
        """Remove the shard from the list, unless it was reopened since."""
        ...


class WakeupQueue(Protocol):
    """All queues. At-least-once, unordered; a message is delayed until its `not_before`, by at most 900 s."""

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        """Send each wake-up to its queue; returns the wake-ups that failed, and raises nothing for them."""
        ...

    def resend(self, queue: QueueName, message: NewerMessage) -> bool:
        """Send a newer message again, unchanged, with its delay; False if it was not accepted.

        The message may have been accepted all the same if the response was lost.
        """
        ...


class Backlog(Protocol):
    def visible(self, queue: QueueName) -> int:
        """Visible messages of a queue, approximately; UnavailableError."""
        ...


class Weights(Protocol):
    def __call__(self, tenant_ids: Collection[str]) -> Mapping[str, int]:
        """The weight of each of these tenants, cached for some minutes; 1 if unknown. Raises nothing."""
        ...


class ReconcileMark(Protocol):
    def reconciled_through(self) -> int | None:
        """The last checked bucket; None before the first run."""
        ...

    def note_reconciled_through(self, bucket: int) -> None:
        """Move `reconciled_through` forward, never back."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    tenant_id: str
    job_id: str


class AcceptedLog(Protocol):
    """The acknowledged jobs, from a source that is independent of the tables."""

    def between(self, from_at: int, until_at: int) -> Iterator[Accepted]:
        """Every acknowledgement in [from_at, until_at); logs are complete some minutes later."""
        ...


class LaneProgressStore(Protocol):
    """Reports of lanes that are behind. Best effort: a lost report costs only repeated messages."""

    def report(self, lane: Lane | QueueName, progress: LaneProgress) -> None: ...

    def read(self, lane: Lane | QueueName) -> LaneProgress | None:
        """The last report; None if the lane has never been behind."""
        ...


class MessageVisibility(Protocol):
    """Changes when a received message becomes visible again."""

    def __call__(self, queue: QueueName, receipt_handle: str, seconds: int) -> bool:
        """Hide the message for this long; False: the queue's own, longer timeout applies. Raises nothing."""
        ...
