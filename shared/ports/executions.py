"""Stores of executions: the source of truth, claims, changes of one-off jobs, and inserts in batches."""

from collections.abc import Sequence
from typing import Protocol

from shared.dataclass import dataclass
from shared.domain.dispatch.pending_row import PendingRow
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.stages import Stages
from shared.domain.executions.states import EndReason, Transition
from shared.domain.ids import ExecutionId
from shared.ports.jobs import Payload
from shared.ports.triggers import PostponableRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The outcome of an attempt: its transition and the data that the write stores."""

    transition: Transition
    outcomes: tuple[AttemptOutcome, ...]
    last_body: bytes = b""
    result: bytes = b""
    """What a task of a workflow hands on, sealed: stored in the same write as its success."""
    next_attempt_at: int | None = None
    end_reason: EndReason | None = None
    expires_at_s: int | None = None
    """When the record may expire, in epoch seconds; set if and only if the transition is terminal."""
    notification: ExecutionId | None = None
    """The id of the notification, if any: stored in the same write as the outcome (transactional outbox)."""
    refunded_since: int | None = None
    """The start of the first refunded claim; set if and only if the transition is REFUND, EXPIRE or WITHDRAW."""
    stages: Stages | None = None
    """None keeps the stored stages."""
    successor_sent: bool = False
    """Whether the successor had been filed, and its message sent, before this write. False keeps what is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """What a sweeper reads of the run of a workflow that lies in a shard."""

    id: ExecutionId
    sort_key: str
    is_open: bool
    deadline_at: int
    """UTC ms."""
    parent: ExecutionId | None = None
    """The execution that started it, which lies in the same shard."""
    notification: ExecutionId | None = None
    """Of the end of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPage:
    """One page of a shard; `next_after` is None on the last. `unreadable` are the sort keys of undecodable
    rows."""

    rows: tuple[DueRow, ...]
    unreadable: tuple[str, ...]
    next_after: str | None
    runs: tuple[RunRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingPage:
    """The pending rows of one page of a shard, and the sort keys of undecodable rows; `next_after` is None on the
    last."""

    rows: tuple[PendingRow, ...]
    unreadable: tuple[str, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPage:
    """One page of complete executions, and the sort keys of undecodable rows."""

    executions: tuple[Execution, ...]
    unreadable: tuple[str, ...]
    next_after: str | None


class ExecutionReader(Protocol):
    """Reads of executions; strongly consistent, unless the implementation says how old an answer may be."""

    def get(self, execution_id: ExecutionId) -> Execution | None:
        """UnreadableItemError for an item of an unknown version, or a broken one."""
        ...

    def get_many(self, execution_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        """Read at most 100 executions; ids without an item are missing from the result."""
        ...


class ExecutionStore(ExecutionReader, PostponableRuns, Protocol):
    """The source of truth. Every write is one conditional write; every read is strongly consistent.

    `finish`, `give_up` and `cancel` also change the execution's entry in the index of failures. Where the index
    throttles, they leave the entry as it is, and mark the row (`DueRow.index_is_stale`).
    """

    def put_if_absent(self, execution: Execution, *, expires_at_s: int | None = None) -> Execution | None:
        """Insert an execution if its key is free; None if written, otherwise the existing execution,
        unchanged.

        `expires_at_s` is set if and only if the execution is filed in a terminal state.
        """
        ...

    def put_reminder(self, reminder: RetryReminder) -> bool:
        """File a retry reminder, which expires by itself; False if the same reminder exists."""
        ...

    def finish(self, execution: Execution, finish: Finish) -> Execution | None:
        """Write the outcome of the attempt that `execution` was claimed for, under its fencing token.

        The fencing token is the number of claims and the owner. None if written, otherwise the existing
        execution. A RETRY or REFUND is also refused once retries are stopped. A REFUND, EXPIRE or WITHDRAW refunds
        the claim: it raises the number of claims that may be granted by one. The number of claims never falls.
        """
        ...

    def extend_lease(
        self,
        execution: Execution,
        *,
        lease_until: int,
        async_until: int | None = None,
        stages: Stages | None = None,
        successor_sent: bool = False,
    ) -> Execution | None:
        """Extend the lease of the attempt that `execution` was claimed for, under its fencing token.

        None if written, otherwise the existing execution. A lease is never shortened: the write is refused if
        the existing lease ends later. With `async_until`, the attempt outlives its call, at most until then.
        Without `async_until`, the call is still to be made, and the write is also refused once retries are
        stopped. `stages` and `successor_sent` are stored in the same write, as those of `Finish`.
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
        """From RUNNING to FAILED if the lease of this attempt has expired; stores the notification's id."""
        ...

    def cancel(
        self,
        execution_id: ExecutionId,
        transition: Transition,
        *,
        reason: EndReason,
        expires_at_s: int,
        revision: int | None = None,
        notification: ExecutionId | None = None,
    ) -> Execution | None:
        """CANCEL, UNDO, END_CHAIN or SKIP. None if written, otherwise the existing execution; NotFoundError
        if none exists.

        END_CHAIN writes a tombstone, which has no successor. With `revision`, the write requires this
        revision. SKIP stores the notification's id, if any.
        """
        ...

    def stop_retries(self, execution_id: ExecutionId) -> bool:
        """Make the running attempt the last; False if no attempt is running."""
        ...

    def keep_result(self, execution_id: ExecutionId, expires_at_s: int) -> bool:
        """Extend the expiry of a record with a result; False if there is no such record."""
        ...

    def mark_redriven(self, execution_id: ExecutionId, redriven_by: RedrivenBy) -> Execution | None:
        """Store the redrive of an execution that ended without success. The mark is written once and never
        changes.

        None if written, otherwise the existing execution with its own mark, if any. NotFoundError if none
        exists.
        """
        ...

    def mark_unreadable(self, execution_id: ExecutionId, expires_at_s: int) -> bool:
        """Fail an item of a known version that breaks its own invariants; False if the item is not broken."""
        ...

    def repair_index(self, row: DueRow) -> bool:
        """Make the entry of a row with `index_is_stale` match the row's state; False if the row has changed
        since. ThrottledError while the index throttles."""
        ...

    def scan(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ScanPage:
        """One page of the rows of a shard in order of time; examines at most `limit` rows."""
        ...

    def scan_pending(self, bucket: int, shard: int, *, after: str | None, limit: int) -> PendingPage:
        """The pending rows among the rows of such a page."""
        ...

    def read_rows(self, bucket: int, shard: int, sort_keys: Sequence[str]) -> ScanPage:
        """The rows of a shard with these sort keys, at most 100, in order of time; missing rows are left out."""
        ...

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        """One page of complete executions of a shard; retry reminders are left out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A request to run one execution. `owner` is a random token, fresh for every claim."""

    execution_id: ExecutionId
    owner: str
    admitted: bool = False
    """Whether a guard has admitted a guarded execution; such a claim is granted to the first attempt only."""


@dataclass(frozen=True, slots=True)
class ClaimRejected:
    """A refused claim with the existing execution, or None if a strong read shows that none exists."""

    existing: Execution | None


@dataclass(frozen=True, slots=True)
class WriteUnknown:
    """A write with an unknown result (throttled or lost). The caller retries; it is never a refusal."""

    reason: str
    is_permanent: bool = False
    """Whether a retry cannot help: the item cannot be decoded, or the store rejects the request itself."""
    is_newer: bool = False
    """Whether only a worker of a newer release can decode the item; the write changed nothing."""
    is_throttled: bool = False
    """Whether the last try was throttled. An earlier try may have had its effect."""
    error: Exception | None = None
    """The bug that prevented the write; its text may quote a payload."""


class Claimer(Protocol):
    """Grants the right to run executions: at most one live owner each, attempt counted before the call."""

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[Execution | ClaimRejected | WriteUnknown]:
        """One result for each claim, in order: a granted claim returns the execution as it is after the
        claim.

        A refusal whose existing item has the claim's own owner token is a success whose response was lost,
        and is returned as a success. Raises nothing.
        """
        ...


class OneOffStore(Protocol):
    """Changes of one-off jobs, each on condition that the job has not started and has the same revision."""

    def edit(self, before: Execution, after: Execution) -> bool:
        """Replace `before` by `after` at the same key; False if the job has changed since."""
        ...

    def move(self, before: Execution, after: Execution, expires_at_s: int) -> bool:
        """File `after` at its own key and turn `before` into a forwarding record, in one transaction.

        The record at the job's original key is updated as well, so that the job's id always leads to `after`.
        Both records outlive `after`. False if the job has changed since.
        """
        ...


class OneOffBatches(Protocol):
    """Inserts many items in few requests. The inserts are independent: they form no transaction."""

    def put_payloads(self, payloads: Sequence[Payload]) -> list[WriteUnknown | None]:
        """`JobStore.put_payload` for each, in order: None if the payload is stored, now or before.

        WriteUnknown if it may or may not be stored; the put may be repeated. The ids must be distinct. Raises
        nothing.
        """
        ...

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[Execution | WriteUnknown | None]:
        """One result for each execution, in order: None if written, otherwise the existing execution,
        unchanged.

        WriteUnknown if the write may or may not have happened, or if the existing item cannot be read; the
        put may be repeated. The ids must be distinct, and no execution may be in a terminal state. Raises
        nothing.
        """
        ...
