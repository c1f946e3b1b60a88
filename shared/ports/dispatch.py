"""The durable list of shards.
The queues of wake-ups.
What the reconciler compares the tables with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.domain.dispatch.sweep import LaneProgress
from shared.domain.dispatch.wakeup import Wakeup
from shared.names import Lane, QueueName


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


class WakeupQueue(Protocol):
    """All queues. At least once, in no order, each message held until its `not_before`, 900 s at most."""

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        """Send each through its queue; those that were not accepted are returned. Raises nothing for a failed send."""
        ...


class Backlog(Protocol):
    """How much waits."""

    def visible(self, queue: QueueName) -> int:
        """About how many messages of a queue could be received and were not; UnavailableError."""
        ...


class Weights(Protocol):
    """How large the fair share of each tenant is."""

    def __call__(self, tenant_id: str) -> int:
        """The tenant's weight, as it was a while ago at worst; 1 where it is not known. Raises nothing."""
        ...


class ReconcileMark(Protocol):
    """How far the reconciler has come."""

    def reconciled_through(self) -> int | None:
        """The last bucket that was looked at; None before the first run ever."""
        ...

    def note_reconciled_through(self, bucket: int) -> None:
        """Move the mark forward, never back."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A job that was acknowledged to a client."""

    tenant_id: str
    job_id: str


class AcceptedLog(Protocol):
    """What was acknowledged, from a source that knows nothing of the tables."""

    def between(self, from_at: int, until_at: int) -> Iterator[Accepted]:
        """Every acknowledgement in [from_at, until_at); complete once logs have arrived, some minutes later."""
        ...


class LaneProgressStore(Protocol):
    """How far the lanes have come. Best effort: a lost report slows nothing but the gate on re-sending."""

    def report(self, lane: Lane | QueueName, progress: LaneProgress) -> None:
        """Overwrite the lane's report."""
        ...

    def read(self, lane: Lane | QueueName) -> LaneProgress | None:
        """The last report."""
        ...


class MessageVisibility(Protocol):
    """The time at which a received message comes back."""

    def __call__(self, queue: QueueName, receipt_handle: str, seconds: int) -> bool:
        """Hide the message for this long; False leaves it to the queue's own, longer timeout. Raises nothing."""
        ...
