"""Definitions of recurring jobs, and the transactions that touch a definition and an execution at once.
What each Idempotency-Key chose.
Which run of a job may start where runs must not overlap."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId, JobId
from shared.domain.jobs.job import Chain, Job
from shared.domain.listings.position import IndexPosition

IdT = TypeVar("IdT")


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
        """A page of the definitions of all tenants that are ACTIVE or changing, in no order.

        The text leads to the next page. A page may be empty though there is a next one. Definitions that cannot be
        read are left out.
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
        """Put `after` in the place of `before` and file all the rest, in one transaction where there is a rest.

        False where the job is not `before` any more (by state, revision or `chain_from`), or where one of the
        executions stands already. A change alone that stands there already is as good as made, since its answer may
        have been lost on the way. `expires_at_s` goes with executions that are filed as ended, and with a job
        that ends.
        """
        ...

    def file_beside(self, job: Job, execution: Execution, expires_at_s: int) -> bool:
        """File an execution that is no occurrence of the schedule, with the record by which its job finds it.

        One transaction. False where the job is not ACTIVE or PAUSED at `job.revision` any more, or where the
        execution stands already. `expires_at_s` is the record's: it outlives the execution.
        """
        ...

    def create_backfill(self, job: Job, backfill: Job, first: Execution) -> bool:
        """Write the definition of a backfill of `job` and its first execution, in one transaction.

        False where the job is not ACTIVE, PAUSED or COMPLETED at `job.revision` any more, or where the backfill or
        the execution stands already.
        """
        ...

    def backfills(self, tenant_id: str, job_id: str) -> list[str]:
        """The ids of the job's backfills that are not DELETED, in order; also of those that cannot be read.

        Read strongly: a backfill whose creation has returned is there.
        """
        ...

    def extras(
        self, tenant_id: str, job_id: str, *, before: IndexPosition | None, limit: int
    ) -> list[IndexPosition]:
        """Where executions stand that were filed beside the schedule, the latest first, strictly before a place.

        Read strongly; fewer than `limit` only where there are no more.
        """
        ...

    def past_chains(
        self, tenant_id: str, job_id: str, *, limit: int, before: int | None = None
    ) -> list[Chain]:
        """The latest chains that ended, the newest first; where `before` is given, only those of earlier revisions."""
        ...

    def put_payload(self, tenant_id: str, payload_id: str, sealed: bytes) -> None:
        """Store a sealed request that is too large for the execution item; written before the item that names it."""
        ...

    def get_payload(self, tenant_id: str, payload_id: str) -> bytes:
        """Read it back; UnreadableItemError where it is missing."""
        ...

    def expire_payload(self, tenant_id: str, payload_id: str, expires_at_s: int) -> None:
        """Let it go with the record that used it; where it is to stay longer already, it does."""
        ...

    def keep_payload(self, tenant_id: str, payload_id: str, expires_at_s: int) -> bool:
        """Let one that is to go stay until then at least; one that is not to go stays. False where it has gone."""
        ...

    def note_beside(self, execution: Execution, expires_at_s: int) -> None:
        """Write the record by which a job finds an execution beside its schedule; before the execution is filed.

        To write it twice changes nothing. `expires_at_s` outlives the execution.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The identity that was chosen for a job, and when it is first due."""

    id: JobId
    due_at: int


@dataclass(frozen=True, slots=True)
class OverQuota:
    """In the place of an identity: the quota that was used up."""

    quota: str


Choice = Chosen | OverQuota | None
"""What became of one job of a batch; None where it broke a rule, which it will break again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord(Generic[IdT]):
    """The identity that the first request with an Idempotency-Key chose; a replay files the same identity again."""

    fingerprint: bytes
    """Of the request. An equal fingerprint also means an id of the same kind."""
    id: IdT
    """Of a job, a triggered execution, a backfill or a bulk redrive; None for a batch."""
    created_at: int
    due_at: int
    expires_at: int
    batch: tuple[Choice, ...] = ()
    """One for each job of a batch, in order."""


class IdempotencyStore(Protocol):
    """Records by tenant and key. Expiry is compared here, not left to the TTL sweep."""

    def find(self, tenant_id: str, key: str, now_ms: int) -> IdempotencyRecord[Any] | None:
        """The record in force, read strongly; UnreadableItemError where its id has no known form."""
        ...

    def claim(
        self, tenant_id: str, key: str, record: IdempotencyRecord[IdT], now_ms: int
    ) -> IdempotencyRecord[IdT]:
        """The record in force afterwards: the given one where none was, or only an expired one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLock:
    """The run that has the turn, and the one that waits for it. Whoever has ended has given up both."""

    holder: ExecutionId | None = None
    waiting: ExecutionId | None = None


class RunLockStore(Protocol):
    """One turn for each job, changed by compare-and-swap alone."""

    def read(self, tenant_id: str, job_id: str) -> RunLock:
        """The turn as it stands, read strongly."""
        ...

    def swap(self, tenant_id: str, job_id: str, before: RunLock, after: RunLock) -> bool:
        """Put `after` in the place of `before`; False where something else stands there."""
        ...
