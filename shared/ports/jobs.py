"""Recurring jobs, idempotency records and run locks, and transactions over jobs and executions."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.job_health import JobHealth
from shared.domain.ids import ExecutionId, JobId
from shared.domain.jobs.job import Chain, Job
from shared.domain.jobs.job_key import KeyedId
from shared.domain.listings.position import IndexPosition

IdT = TypeVar("IdT")


@dataclass(frozen=True, slots=True)
class Payload:
    """A sealed request that gets an item of its own."""

    tenant_id: str
    payload_id: str
    sealed: bytes
    stored_at: int
    expires_at_s: int | None = None


class JobStore(Protocol):
    """Definitions of recurring jobs, and transactions over a definition and its executions."""

    def create(self, job: Job, first: Execution) -> Job | None:
        """Write both in one transaction; None if written, otherwise the existing definition."""
        ...

    def get(self, tenant_id: str, job_id: str) -> Job | None:
        """Strongly consistent."""
        ...

    def jump(self, skipped: Execution, target: Execution, expires_at_s: int) -> bool:
        """File `target` and skip the instants that `skipped` records, if the job is active at their revision.

        One transaction: the skip record at the immediate successor's key, the target, and the job's
        `chain_from`. False if the job is not active at that revision, or if the immediate successor exists.
        """
        ...

    def file_if_active(self, execution: Execution) -> bool:
        """File an execution if its key is free and its job is active at its revision, in one transaction."""
        ...

    def replace(
        self,
        before: Job,
        after: Job,
        *,
        past: Chain | None = None,
        executions: Sequence[Execution] = (),
        expires_at_s: int | None = None,
    ) -> bool:
        """Compare-and-swap of a definition, with the other writes in the same transaction, if there are any.

        False if the job has changed since (by state, revision or `chain_from`), or if an execution already
        exists. A swap without other writes also succeeds if `after` is already stored, because the response
        of the first try may have been lost. `expires_at_s` applies to executions filed in a terminal state,
        to a job that ends, and to the record of its key.
        """
        ...

    def file_beside(self, job: Job, execution: Execution, expires_at_s: int) -> bool:
        """File an execution outside the schedule, with the record by which its job finds it, in one
        transaction.

        False if the job is no longer ACTIVE or PAUSED at `job.revision`, or if the execution exists.
        `expires_at_s` is that of the record, which outlives the execution.
        """
        ...

    def create_backfill(self, job: Job, backfill: Job, first: Execution) -> bool:
        """Write the definition of a backfill of `job` and its first execution, in one transaction.

        False if the job is no longer ACTIVE, PAUSED or COMPLETED at `job.revision`, or if the backfill or the
        execution exists.
        """
        ...

    def backfills(self, tenant_id: str, job_id: str) -> list[str]:
        """The ids of the job's backfills that are not DELETED, in order, including backfills that cannot be
        decoded.

        Strongly consistent: a backfill whose creation has returned is listed, so that a deletion finds it.
        """
        ...

    def extras(
        self, tenant_id: str, job_id: str, *, before: IndexPosition | None, limit: int
    ) -> list[IndexPosition]:
        """Positions of the executions outside the schedule, latest first, strictly before a position.

        Strongly consistent; fewer than `limit` only at the end.
        """
        ...

    def past_chains(
        self, tenant_id: str, job_id: str, *, limit: int, before: int | None = None
    ) -> list[Chain]:
        """The latest chains that ended, newest first; with `before`, only chains of earlier revisions."""
        ...

    def put_payload(self, payload: Payload) -> None:
        """Store a sealed request that is too large for an item; must precede the item that refers to it.

        An existing payload of this id stays as it is: a replay must not shorten an expiry that was extended.
        """
        ...

    def get_payload(self, tenant_id: str, payload_id: str) -> bytes:
        """UnreadableItemError if the payload is missing."""
        ...

    def expire_payload(self, tenant_id: str, payload_id: str, expires_at_s: int) -> None:
        """Set an expiry on the payload of a definition that names it no more; never shortens an expiry."""
        ...

    def keep_payload(self, tenant_id: str, payload_id: str, expires_at_s: int) -> bool:
        """Extend the expiry of a payload, if it has one; False if the payload is gone."""
        ...

    def note_beside(self, execution: Execution, expires_at_s: int) -> None:
        """Write the record by which a job finds an execution outside its schedule, before the execution is
        filed.

        Idempotent. `expires_at_s` must outlive the execution.
        """
        ...


class JobKeys(Protocol):
    """The ids that are assigned to the keys of a tenant's jobs."""

    def find(self, tenant_id: str, key: str) -> KeyedId | None:
        """Strongly consistent."""
        ...

    def assign(self, tenant_id: str, key: str, before: KeyedId | None, after: KeyedId) -> bool:
        """Compare-and-swap; False if the key has another id than that of `before`.

        Also true if `after` is already stored, because the response of the first try may have been lost.
        """
        ...


class JobNames(Protocol):
    """Names of recurring jobs: their executions do not carry them."""

    def of(self, tenant_id: str, job_ids: Collection[str]) -> Mapping[str, str]:
        """The present names of at most 100 jobs by their ids; a job without a name is left out.

        Eventually consistent.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeRequest:
    """A request that is stored apart from its definition, and that has no expiry."""

    tenant_id: str
    payload_id: str
    stored_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveItem:
    """One entry of the index of live items."""

    cursor: str
    """A page continues after this item."""
    content: Job | LargeRequest | None
    """None for a definition that has ended meanwhile."""
    is_unreadable: bool = False


class LiveItems(Protocol):
    """What has not ended: definitions of all tenants, and large requests without an expiry.

    Listed by an eventually consistent index, so an entry of the last second may be missing. Definitions
    themselves are read strongly. Ended definitions and idempotency records cost nothing. Workflows have no next
    execution to be checked, and are left out.
    """

    def page(self, segment: int, *, after: str | None, limit: int) -> tuple[list[LiveItem], str | None]:
        """A page of one of `LIVE_SEGMENTS` segments in a fixed order, and the cursor of the next page.

        A page may be empty although a next page exists. All items of a tenant are in the same segment.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedId:
    """The id that was assigned to a job, and its first due time."""

    id: JobId
    due_at: int


@dataclass(frozen=True, slots=True)
class OverQuota:
    """Refusal of one job of a batch: the quota that was exceeded."""

    quota: str


Choice = AssignedId | OverQuota | None
"""The decision on one job of a batch; None if the job is invalid, which a replay finds again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord(Generic[IdT]):
    """The ids assigned under an Idempotency-Key, so that a replay files the same job or batch again."""

    fingerprint: bytes
    """Of the request. An equal fingerprint also means an id of the same kind."""
    id: IdT
    """Of a job, a triggered execution, a backfill or a bulk redrive; None for a batch."""
    created_at: int
    due_at: int
    expires_at: int
    batch: tuple[Choice, ...] = ()
    """One decision for each job of a batch, in order."""


class IdempotencyStore(Protocol):
    """Records by tenant and key. The store compares the expiry itself, because TTL deletes items late."""

    def find(self, tenant_id: str, key: str, now_ms: int) -> IdempotencyRecord[Any] | None:
        """The unexpired record, strongly consistent; UnreadableItemError for a malformed id."""
        ...

    def claim(
        self, tenant_id: str, key: str, record: IdempotencyRecord[IdT], now_ms: int
    ) -> IdempotencyRecord[IdT]:
        """Insert the record unless an unexpired one exists; returns the record that is stored afterwards."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLock:
    """The run that holds the lock, and the run that waits for it. A run that has ended has released both."""

    holder: ExecutionId | None = None
    waiting: ExecutionId | None = None


class JobHealthStore(Protocol):
    """Which jobs are failing, changed only by compare-and-swap."""

    def read(self, tenant_id: str, job_id: str) -> JobHealth:
        """Strongly consistent; a job without an item has version 0."""
        ...

    def swap(
        self, tenant_id: str, job_id: str, before: JobHealth, after: JobHealth, expires_at_s: int
    ) -> bool:
        """Compare-and-swap by the version of `before`; False if the stored version is another."""
        ...


class RunLockStore(Protocol):
    """One run lock for each job, changed only by compare-and-swap."""

    def read(self, tenant_id: str, job_id: str) -> RunLock:
        """Strongly consistent."""
        ...

    def swap(self, tenant_id: str, job_id: str, before: RunLock, after: RunLock) -> bool:
        """Compare-and-swap; False if the stored lock is not `before`."""
        ...
