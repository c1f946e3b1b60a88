"""The truth about executions.
The right to run executions.
Changes of one-off jobs that have not started.
Many new executions at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.states import EndReason, Transition
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import IndexPage, PositionRange


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
    notification: ExecutionId | None = None
    """What will tell of the end, if anything does."""


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

    def put_reminder(self, pointer: RetryReminder) -> bool:
        """File a pointer; False where one stands there already."""
        ...

    def end_reminder(
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

    def extend_lease(
        self, execution: Execution, *, lease_until: int, async_until: int | None = None
    ) -> Execution | None:
        """Prolong the lease of the attempt that `execution` was claimed for, on condition of its number and owner.

        None when it was written; otherwise what stands there. A lease is never made shorter: refused where it lasts
        longer. With `async_until` the attempt runs on after its call, until then at the most. Without it a call is
        still to be made, and that is also refused once retries are stopped.
        """
        ...

    def give_up(
        self,
        execution: Execution,
        *,
        reason: EndReason,
        now_ms: int,
        expires_at_s: int,
        notification: ExecutionId | None = None,
    ) -> bool:
        """RUNNING under a dead lease at this very attempt → FAILED, with what will tell of it."""
        ...

    def cancel(
        self,
        execution_id: ExecutionId,
        transition: Transition,
        *,
        reason: EndReason,
        expires_at_s: int,
        revision: int | None = None,
    ) -> Execution | None:
        """CANCEL, UNDO, END_CHAIN or SKIP; None when written, else what stands there. NotFoundError where nothing does.

        END_CHAIN leaves a tombstone: its reader files no successor. With a `revision` it is written at this one alone.
        """
        ...

    def stop_retries(self, execution_id: ExecutionId) -> bool:
        """Let the attempt that is running be the last; False where none is running."""
        ...

    def mark_redriven(self, execution_id: ExecutionId, redriven_by: RedrivenBy) -> Execution | None:
        """Say in the record of what has ended without success which execution runs its request again, once for all.

        None when written, else what stands there: its own mark, if it had one. NotFoundError where nothing does.
        """
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

    def failed(self, tenant_id: str, span: PositionRange, *, newest_first: bool, limit: int) -> IndexPage:
        """Where a tenant's dead letters stand within a span; eventually consistent, unlike every other read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A request to run one execution. `owner` is a fresh random token of this very try."""

    execution_id: ExecutionId
    owner: str
    admitted: bool = False
    """Whether a guard has let a guarded execution in; such a claim is granted to its first attempt alone."""


@dataclass(frozen=True, slots=True)
class ClaimRejected:
    """A claim that was not granted, and what stands there (None: nothing)."""

    existing: Execution | None


@dataclass(frozen=True, slots=True)
class WriteUnknown:
    """A write of which nothing is known: throttled or failed on the way. It is retried, never read as a refusal."""

    reason: str


class Claimer(Protocol):
    """Takes the right to run executions: at most one live owner each, the attempt counted before the call."""

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[Execution | ClaimRejected | WriteUnknown]:
        """One answer for each claim, in order. The claimed execution is returned as it stands after the claim.

        A refusal that shows the claim's own owner token is returned as the success that it was. Raises nothing.
        """
        ...


class OneOffStore(Protocol):
    """Each change is on condition that the job has not started and is at the revision that was read."""

    def edit(self, before: Execution, after: Execution) -> bool:
        """Put `after` in the place of `before`, at the same key; False where the job is not `before` any more."""
        ...

    def move(self, before: Execution, after: Execution, expires_at_s: int) -> bool:
        """File `after` at its own key and leave a record at the old one that says so, in one transaction.

        The record where the job was created says it too, however often it is moved. Both outlive `after`.
        False where the job is not `before` any more.
        """
        ...


class OneOffBatches(Protocol):
    """Puts many executions in few calls. Each put stands for itself: they are no transaction."""

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[Execution | WriteUnknown | None]:
        """One answer for each, in order: None when it was written, otherwise what stands there, unchanged.

        WriteUnknown where it may or may not be written, and where what stands there cannot be read; it may be put
        again. The ids are all different, and none of the executions has ended. Raises nothing.
        """
        ...
