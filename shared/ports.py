"""The seams between the use cases and the world. Each has a fake in the tests and an adapter in `adapters`.

Unless said otherwise a call may raise UnavailableError: the effect is then unknown, and the same call may be
repeated. Instants are UTC in milliseconds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ParamSpec, Protocol, TypeVar

from shared.domain.delivery import Answer, Callback
from shared.domain.execution import AttemptOutcome, EndReason, Execution, Pointer, Transition
from shared.domain.ids import ExecutionId
from shared.domain.job import Job
from shared.domain.sweep import DueRow, LaneProgress
from shared.domain.tenant import ApiKey, Tenant
from shared.domain.wakeup import Wakeup
from shared.names import Lane

P = ParamSpec("P")
T = TypeVar("T")


class Clock(Protocol):
    """The only source of time."""

    def now_ms(self) -> int:
        """The wall clock."""
        ...

    async def sleep_ms(self, duration_ms: int) -> None:
        """Let at least this much time pass."""
        ...


class Entropy(Protocol):
    """The only source of randomness."""

    def bits(self, count: int) -> int:
        """A whole number of `count` random bits, fit for secrets."""
        ...

    def draw(self) -> float:
        """Uniform in [0, 1)."""
        ...


class Offload(Protocol):
    """Runs blocking port calls beside the event loop."""

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The function's result; its exceptions pass through."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The end of an attempt: which transition, and what to remember of it."""

    transition: Transition
    outcomes: tuple[AttemptOutcome, ...]
    last_body: bytes = b""
    next_attempt_at: int | None = None
    end_reason: EndReason | None = None
    expires_at_s: int | None = None
    """When the record may be dropped, epoch seconds; set exactly where the transition ends the execution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPage:
    """One page of a shard. `next_after` is None on the last one; rows that cannot be read are named in `unreadable`."""

    rows: tuple[DueRow, ...]
    unreadable: tuple[str, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPage:
    """One page of whole executions. `unreadable` counts the rows that could not be read."""

    executions: tuple[Execution, ...]
    unreadable: int
    next_after: str | None


class ExecutionStore(Protocol):
    """The truth about executions. Every write is one conditional write; every read is strongly consistent."""

    def put_if_absent(self, execution: Execution, *, expires_at_s: int | None = None) -> Execution | None:
        """File an execution; None when it was written, otherwise what stands there, unchanged.

        `expires_at_s` goes with an execution that is filed in a terminal state, and with no other.
        """
        ...

    def put_pointer(self, pointer: Pointer) -> bool:
        """File a pointer; False where one stands there already."""
        ...

    def end_pointer(
        self, location: ExecutionId, target: ExecutionId, attempt: int, expires_at_s: int
    ) -> None:
        """Mark a pointer as done."""
        ...

    def get(self, execution_id: ExecutionId) -> Execution | None:
        """Read one; UnreadableItemError where the item is of an unknown version or broken."""
        ...

    def get_many(self, execution_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        """Read up to 100; ids without an item are left out."""
        ...

    def finish(self, execution: Execution, finish: Finish) -> Execution | None:
        """End the attempt that `execution` was claimed for, on condition of its number and owner.

        None when it was written; otherwise what stands there. A RETRY is also refused once retries are stopped.
        """
        ...

    def give_up(self, execution: Execution, *, reason: EndReason, now_ms: int, expires_at_s: int) -> bool:
        """RUNNING under a dead lease at this very attempt → FAILED."""
        ...

    def cancel(
        self, execution_id: ExecutionId, transition: Transition, *, reason: EndReason, expires_at_s: int
    ) -> Execution | None:
        """CANCEL or END_CHAIN; None when it was written, otherwise what stands there. NotFoundError where nothing does.

        END_CHAIN leaves a tombstone: its reader files no successor.
        """
        ...

    def stop_retries(self, execution_id: ExecutionId) -> bool:
        """Let the attempt that is running be the last; False where none is running."""
        ...

    def mark_unreadable(self, execution_id: ExecutionId, expires_at_s: int) -> bool:
        """Fail an item of a known version that breaks its own invariants; False where that does not apply."""
        ...

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        """One page of the rows of a shard, in order of time, `limit` examined at most."""
        ...

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        """One page of whole executions of a shard; pointers are left out."""
        ...

    def failed(
        self, tenant_id: str, *, after: str | None, limit: int
    ) -> tuple[list[ExecutionId], str | None]:
        """Ids of a tenant's dead letters, newest first; eventually consistent, unlike every other read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A request to run one execution. `owner` is a fresh random token of this very try."""

    execution_id: ExecutionId
    owner: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A claim that was not granted, and what stands there (None: nothing)."""

    existing: Execution | None


@dataclass(frozen=True, slots=True)
class Undecided:
    """A claim of which nothing is known: throttled or failed on the way. It is retried, never read as a refusal."""

    reason: str


class Claimer(Protocol):
    """Takes the right to run executions: at most one live owner each, the attempt counted before the call."""

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[Execution | Refused | Undecided]:
        """One answer for each claim, in order. The claimed execution is returned as it stands after the claim.

        A refusal that shows the claim's own owner token is returned as the success that it was. Raises nothing.
        """
        ...


class JobStore(Protocol):
    """Definitions of recurring jobs, and the transactions that touch a definition and an execution at once."""

    def create(self, job: Job, first: Execution) -> Job | None:
        """Write definition and first execution together; None when written, else the definition that stands there."""
        ...

    def get(self, tenant_id: str, job_id: str) -> Job | None:
        """Read one definition, strongly."""
        ...

    def jump(self, skipped: Execution, target: Execution, expires_at_s: int) -> bool:
        """File `target`, passing over the instants that `skipped` records, if the job is active at their revision.

        One transaction: the skip record at the immediate successor's key, the target, and the job's `chain_from`.
        False where the job is not active at that revision or the immediate successor was already filed.
        """
        ...

    def active(self, *, after: str | None, limit: int) -> tuple[list[Job], str | None]:
        """A page of the definitions of all tenants that are ACTIVE, in no order; the text leads to the next page.

        A page may be empty though there is a next one. Definitions that cannot be read are left out.
        """
        ...

    def file_if_active(self, execution: Execution) -> bool:
        """File an execution if its key is free and its job is active at its revision, in one transaction."""
        ...

    def begin_delete(self, tenant_id: str, job_id: str) -> Job | None:
        """ACTIVE → DELETING; the definition as it stands afterwards (DELETING or DELETED), None where there is none."""
        ...

    def end_delete(self, job: Job, expires_at_s: int) -> None:
        """DELETING → DELETED."""
        ...

    def put_payload(self, tenant_id: str, job_id: str, sealed: bytes) -> None:
        """Store a sealed request that is too large for the execution item; written before the item that names it."""
        ...

    def get_payload(self, tenant_id: str, job_id: str) -> bytes:
        """Read it back; UnreadableItemError where it is missing."""
        ...

    def expire_payload(self, tenant_id: str, job_id: str, expires_at_s: int) -> None:
        """Let it go with the record that used it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord:
    """What an Idempotency-Key chose, so that a replay files the very same job again."""

    fingerprint: bytes
    job_id: str
    created_at: int
    due_at: int
    expires_at: int


class IdempotencyStore(Protocol):
    """Records by tenant and key. Expiry is compared here, not left to the TTL sweep."""

    def find(self, tenant_id: str, key: str, now_ms: int) -> IdempotencyRecord | None:
        """The record in force, read strongly."""
        ...

    def claim(self, tenant_id: str, key: str, record: IdempotencyRecord, now_ms: int) -> IdempotencyRecord:
        """The record in force afterwards: the given one where none was, or only an expired one."""
        ...


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


class ProgressBoard(Protocol):
    """How far the lanes have come. Best effort: a lost report slows nothing but the gate on re-sending."""

    def report(self, lane: Lane, progress: LaneProgress) -> None:
        """Overwrite the lane's report."""
        ...

    def read(self, lane: Lane) -> LaneProgress | None:
        """The last report."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A message that could not be acted on, kept for people to look at."""

    message_id: str
    lane: Lane
    body: str
    reason: str
    parked_at: int


class ParkingLot(Protocol):
    """Where such messages are kept."""

    def park(self, message: Parked) -> None:
        """Keep a message; should it come twice, it may be kept twice."""
        ...

    def parked(self, limit: int) -> list[Parked]:
        """The newest ones."""
        ...


class TenantStore(Protocol):
    """Tenants and API keys."""

    def get(self, tenant_id: str) -> Tenant | None:
        """Read a tenant."""
        ...

    def get_key(self, key_id: str) -> ApiKey | None:
        """Read a key."""
        ...

    def create(self, tenant: Tenant, key: ApiKey) -> bool:
        """Write a tenant with its first key; False where the tenant exists."""
        ...


class WakeupQueue(Protocol):
    """The lanes. At least once, in no order, each message held until its `not_before`, 900 s at most."""

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        """Send all; the ones that were not accepted are returned. Raises nothing for a failed send."""
        ...


class Vault(Protocol):
    """Envelope encryption: a data key for each tenant, wrapped by the deployment's key."""

    def new_data_key(self, tenant_id: str) -> bytes:
        """A fresh data key, wrapped."""
        ...

    def seal(self, tenant: Tenant, context: str, plain: bytes) -> bytes:
        """Encrypt for a tenant, bound to a context such as the job id."""
        ...

    def unseal(self, tenant: Tenant, context: str, sealed: bytes) -> bytes:
        """Decrypt; UnreadableItemError for anything that was not sealed for this tenant and context."""
        ...

    def fingerprint(self, tenant: Tenant, data: bytes) -> bytes:
        """16 bytes that tell requests apart and say nothing of them without the tenant's key."""
        ...


class Sender(Protocol):
    """Makes the calls."""

    async def send(self, callback: Callback, *, timeout_seconds: float) -> Answer:
        """One attempt, within the deadline in total; every failure is an answer, nothing is raised."""
        ...
