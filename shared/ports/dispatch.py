"""Dispatch: the ledger of shards, the queues of wake-ups, lane progress, and the reconciler's sources."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from shared.dataclass import dataclass
from shared.domain.bucket import EVERY_SHARD, LEAST_COUNTS, ShardCounts, ShardRange
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
class PassProgress:
    """A pass that ran out of time: the next run continues after `cursor`. All instants in UTC ms."""

    cursor: str
    version: int
    """The version of the shard when the pass began."""
    began_at: int
    unfinished: int
    open_rows: tuple[str, ...] | None
    """The sort keys of the unfinished rows so far; None if there are too many."""
    next_actionable_at: int | None
    resent: int
    failed: int
    """Rows whose message was refused, or that could not be read or written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShard:
    """A shard of an ended bucket that is still to be swept. `version` keeps a close from undoing a reopen."""

    bucket: int
    shard: int
    version: int
    """Never used twice for the same shard, even after a close."""
    scan_began_at: int | None
    """When the watcher's scan began; None unless a scan has finished."""
    passes: int
    next_pass_at: int
    last_resend_at: int | None
    open_until: int | None = None
    """The latest instant of a reopening's guarantee; None if the shard was never reopened."""
    open_rows: tuple[str, ...] | None = None
    """The sort keys of the unfinished rows; None if unknown, so that the shard must be scanned. A reopening
    discards them."""
    full_scan_at: int | None = None
    """When all rows must be scanned again; None if `open_rows` is complete."""
    progress: PassProgress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassLease:
    """The right to sweep one shard; `shard` was read after every earlier reopening."""

    shard: OpenShard
    fence: int

    @property
    def version(self) -> int:
        """The version of the shard when the pass began, in this run or in an earlier one."""
        return self.shard.progress.version if self.shard.progress else self.shard.version


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptMark:
    """The last bucket whose shards are all listed, and the recorded shard counts by which they were listed."""

    bucket: int
    recorded: ShardCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRecord:
    """The largest shard counts that any process has filed by, and the bucket from which a sweep must list."""

    counts: ShardCounts
    open_from: int | None
    """No row was filed into an earlier bucket without listing it; None in the record of an older release."""


class ShardCountStore(Protocol):
    """The record of a region. Its counts only grow; its `open_from` never changes."""

    def read(self) -> ShardRecord | None:
        """Strongly consistent; None if no process has filed anything yet."""
        ...

    def begin(self, record: ShardRecord) -> bool:
        """Create the record; False if there is a record already."""
        ...

    def swap(self, before: ShardCounts, after: ShardCounts) -> bool:
        """Compare-and-swap of the counts; False if they are not `before`. `after` must cover `before`."""
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

    def open_until(self, bucket: int, shard: int) -> int | None:
        """The latest instant until which a reopening keeps the shard open; strongly consistent. None if the
        shard was never reopened, or is closed."""
        ...

    def reopen(self, bucket: int, shard: int, *, next_pass_at: int, open_until: int) -> None:
        """Ensure that the shard will be swept, even if it was closed, and that no scan that begins before
        `open_until` closes it."""
        ...

    def list_shard(self, bucket: int, shard: int, next_pass_at: int) -> None:
        """List the shard as open, with its first pass at `next_pass_at` at the latest. A listed shard gets
        another version; a shard that was swept keeps its schedule."""
        ...

    def open_before(self, bucket: int, part: ShardRange = EVERY_SHARD) -> list[OpenShard]:
        """Every open shard of a bucket before this one whose ledger partition belongs to this part, oldest
        first."""
        ...

    def swept_through(self) -> SweptMark | None:
        """None before the first sweep."""
        ...

    def note_swept_through(self, bucket: int, recorded: ShardCounts = LEAST_COUNTS) -> None:
        """Move `swept_through` forward, never back; the counts are those of the last move."""
        ...

    def take_pass(self, shard: OpenShard, now_ms: int) -> PassLease | None:
        """Lease the next pass over a shard with a higher fence, and read the shard again; None if it is
        closed, leased, or not due."""
        ...

    def suspend_pass(self, lease: PassLease, progress: PassProgress | None) -> bool:
        """Keep the progress of a pass, if any, and end the lease; the shard stays due. False: the lease is
        lost."""
        ...

    def record_pass(
        self,
        lease: PassLease,
        *,
        next_pass_at: int,
        full_scan_at: int | None = None,
        last_resend_at: int | None = None,
        open_rows: tuple[str, ...] | None = None,
    ) -> bool:
        """Record a pass and end the lease; False: the lease is lost.

        `open_rows` are kept unless the shard was reopened since the pass began; the rest always is.
        """
        ...

    def close(self, lease: PassLease) -> bool:
        """Remove the shard from the list, unless it was reopened since the pass began."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileCycle:
    """One walk over all live items of a segment. All instants in UTC ms."""

    began_at: int
    until_at: int
    """The walk accounts for the instants of chains before this one."""
    cursor: str | None = None
    unavailable: int = 0
    """Checks that failed because a store did not respond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentProgress:
    """How far a segment of the live items is reconciled. All instants in UTC ms."""

    covered_at: int
    """When the last complete cycle began: every item that was live then has been checked since. Before the
    first complete cycle, when the first cycle began."""
    checked_until: int
    """Every instant of a chain before this one is accounted for."""
    cycle: ReconcileCycle | None = None
    """The cycle under way."""
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MinuteProgress:
    """The last minute whose acknowledgements and rows are compared, and the sample of the next one."""

    through: int
    sample_level: int = 0
    """One in 2^level acknowledgements and shards is compared."""


class ReconcileProgressStore(Protocol):
    def segments(self) -> Mapping[int, SegmentProgress]:
        """The progress of every segment that was ever begun; strongly consistent."""
        ...

    def move_segment(
        self, segment: int, before: SegmentProgress | None, after: SegmentProgress
    ) -> SegmentProgress | None:
        """Compare-and-swap by version; the stored progress, or None if another run has moved it since."""
        ...

    def minutes(self) -> MinuteProgress | None:
        """None before the first run."""
        ...

    def note_minutes(self, progress: MinuteProgress) -> None:
        """Move `through` forward, never back; the sample level is that of the last move."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    tenant_id: str
    job_id: str


class AcceptedLog(Protocol):
    """The acknowledged jobs, from a source that is independent of the tables."""

    def between(self, from_at: int, until_at: int, sample_level: int = 0) -> Iterator[Accepted]:
        """Every acknowledgement in [from_at, until_at) of a job in this sample; logs are complete some
        minutes later."""
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
