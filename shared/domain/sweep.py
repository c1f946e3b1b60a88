"""What a sweep does with each row of an ended bucket."""

from dataclasses import dataclass
from enum import Enum, auto

from shared.domain.bucket import GUARD_MS
from shared.domain.execution import GUARDED_FROM, NOT_STARTED, Execution, State
from shared.domain.ids import ExecutionId
from shared.names import Lane

RESEND_AT_LEAST_MS = 900_000
"""A backed-up lane slows re-sending; every overdue row is sent again at least this often all the same."""
PROGRESS_FRESH_MS = 120_000
HELD_BACK_MS = 60_000
"""A run that waits for another to end is looked at this often: the word that it may start could get lost."""
RETRY_GRACE_MS = 5_000
"""A retry whose own message may still be on its way is left alone for this long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRow:
    """What watchers and sweepers see of a row: enough to send for it, never its request."""

    id: ExecutionId
    """Where the row stands; for a pointer this is not the id of what it wakes."""
    sort_key: str
    tenant_id: str
    lane: Lane
    state: State
    created_at: int
    attempt: int
    max_attempts: int
    stop_retries: bool
    claimable_from: int | None
    next_attempt_at: int | None
    pointer_target: ExecutionId | None = None
    works_on: bool = False
    """An attempt runs on after its call, without a message that could come back."""

    @property
    def wakes(self) -> ExecutionId:
        """The execution that a message for this row names."""
        return self.pointer_target or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneProgress:
    """How far a backed-up lane has come: it was claiming messages that became visible at `visible_at`."""

    visible_at: int
    reported_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepContext:
    """What a pass over one shard knows."""

    now_ms: int
    is_first_pass: bool
    scan_began_at: int | None
    """When the watcher's scan began; None where none was finished, so that nothing was surely sent."""
    last_resend_at: int | None


class SweepAction(Enum):
    """What to do with one row."""

    LEAVE = auto()
    RESEND = auto()
    GIVE_UP = auto()
    CHECK_POINTER = auto()


def sweep_action(row: DueRow, context: SweepContext) -> SweepAction:
    """Decide for one open row; rows that have ended are not asked about."""
    if row.pointer_target is not None:
        return SweepAction.CHECK_POINTER
    if row.state in NOT_STARTED:
        return _unstarted(row, context)
    if row.state is State.WAITING:
        due = row.next_attempt_at is not None and row.next_attempt_at + RETRY_GRACE_MS <= context.now_ms
        return SweepAction.RESEND if due else SweepAction.LEAVE
    if row.claimable_from is not None and row.claimable_from <= context.now_ms:
        used_up = row.attempt >= row.max_attempts or row.stop_retries
        return SweepAction.GIVE_UP if used_up else SweepAction.RESEND
    return SweepAction.LEAVE


def _unstarted(row: DueRow, context: SweepContext) -> SweepAction:
    """On the first pass only what the scan cannot have sent: the rest is still on its way."""
    if not context.is_first_pass or row.state is State.QUEUED or context.scan_began_at is None:
        return SweepAction.RESEND
    unseen = row.created_at >= context.scan_began_at - GUARD_MS
    return SweepAction.RESEND if unseen else SweepAction.LEAVE


def is_held_back(row: DueRow, progress: LaneProgress | None, context: SweepContext) -> bool:
    """Whether the row's message is surely still in a backed-up lane, so that sending again would only add to it."""
    if progress is None or context.now_ms - progress.reported_at > PROGRESS_FRESH_MS:
        return False
    if context.now_ms >= let_through_at(row, context) or _was_never_sent(row, context):
        return False
    if row.works_on and row.claimable_from is not None and row.claimable_from > (context.last_resend_at or 0):
        return False
    return progress.visible_at < _visible_at(row, context)


def _was_never_sent(row: DueRow, context: SweepContext) -> bool:
    """Whether it was left to a watcher, and none has come; there is no message that its lane could still come to."""
    return row.state is State.PENDING and context.scan_began_at is None and context.last_resend_at is None


def let_through_at(row: DueRow, context: SweepContext) -> int:
    """When a row is sent again however far behind its lane is."""
    return _visible_at(row, context) + RESEND_AT_LEAST_MS


def _visible_at(row: DueRow, context: SweepContext) -> int:
    """When the latest message for the row became visible."""
    sent_at = max(row.created_at, context.last_resend_at or 0)
    return max(row.id.dispatch_at, row.next_attempt_at or 0, sent_at)


def actionable_at(row: DueRow, now_ms: int) -> int | None:
    """When a row that was left alone can next be helped; None where only the schedule of sweeps tells."""
    if row.state is State.WAITING and row.next_attempt_at is not None:
        return row.next_attempt_at + RETRY_GRACE_MS
    if row.claimable_from == GUARDED_FROM:
        return max(row.id.dispatch_at, now_ms) + HELD_BACK_MS
    return row.claimable_from if row.state is State.RUNNING else None


def pointer_is_settled(target: Execution | None, attempt: int) -> bool:
    """Whether a pointer's target no longer waits for the retry that followed `attempt`."""
    return target is None or target.state is not State.WAITING or target.attempt != attempt
