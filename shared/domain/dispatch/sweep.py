"""What a sweep does with each row of an ended bucket."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from shared.domain.bucket import GUARD_MS
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.executions.execution import GUARDED_FROM, Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.domain.limits.circuit_breaker import Phase
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import live
from shared.names import Lane

RESEND_AT_LEAST_MS = 900_000
"""A backed-up lane slows re-sending; every overdue row is sent again at least this often all the same."""
PROGRESS_FRESH_MS = 120_000
BACKED_UP_MS = 30_000
"""A lane that reported to be behind is taken to be so for this long; while it is, it reports twice as often."""
LATE_MS = 120_000
"""A message that was visible for so long goes on beside the fresh ones of its lane."""
YIELDS_AT_MOST_MS = 900_000
"""Work in bulk makes room for other lanes until it is overdue by so much."""
AGED_MS = 1_800_000
"""What is overdue by so much in the lane for bulk is woken through the standard lane too, some of it at a time."""
AGED_AT_ONCE = 100
OVERTAKEN_MS = 30_000
"""A row is passed over where later ones of its lane and tenant, by so much, have begun."""
LOOK_AGAIN_MS = 60_000
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
    destination: str = UNKNOWN
    reminder_target: ExecutionId | None = None
    notification: ExecutionId | None = None
    """What tells of its end, if anything does."""
    async_accepted: bool = False
    """An attempt runs on after its call, without a message that could come back."""
    begun_at: int | None = None
    """When the latest attempt began whose call was answered or given up by its worker."""

    @property
    def wakes(self) -> ExecutionId:
        """The execution that a message for this row names."""
        return self.reminder_target or self.id


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
    if row.reminder_target is not None:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneView:
    """What is known of a lane when one of its rows is judged."""

    progress: LaneProgress | None
    backlog: int
    """About how many messages could be received and were not."""
    reached: int | None
    """When the latest row of the lane and of the row's tenant was due that has begun; None where none has."""


def is_held_back(row: DueRow, lane: LaneView, hot_scopes: Mapping[str, int], context: SweepContext) -> bool:
    """Whether the row's message is surely still on its way, so that sending again would only add to what waits."""
    if context.now_ms >= let_through_at(row, context) or _was_never_sent(row, context):
        return False
    if may_wait(row, hot_scopes, context.now_ms):
        return True
    if (
        row.async_accepted
        and row.claimable_from is not None
        and row.claimable_from > (context.last_resend_at or 0)
    ):
        return False
    return _is_behind(row, lane.progress, context) or _stands_still(row, lane, context)


def is_slow_alone(state: ScopeState, now_ms: int) -> bool:
    """Whether nothing is known of a destination but that it is slow: its calls move, and none is ordered to wait."""
    circuit = state.circuit
    has_limit = circuit.limit is not None or live(state.leases, now_ms) != ()
    return circuit.slow and not has_limit and circuit.phase(now_ms) is Phase.CLOSED


def may_wait(row: DueRow, hot_scopes: Mapping[str, int], now_ms: int) -> bool:
    """Whether something waits where the row goes; then so may its message."""
    scopes = (destination_scope(row.destination), tenant_scope(row.tenant_id))
    return row.state is not State.RUNNING and any(now_ms < hot_scopes.get(scope, 0) for scope in scopes)


def _is_behind(row: DueRow, progress: LaneProgress | None, context: SweepContext) -> bool:
    """Whether the lane's workers have not come to the row's message yet."""
    if progress is None or context.now_ms - progress.reported_at > PROGRESS_FRESH_MS:
        return False
    return progress.visible_at < _visible_at(row, context)


def _stands_still(row: DueRow, lane: LaneView, context: SweepContext) -> bool:
    """Whether messages wait in a lane whose workers say nothing, and nothing that came after the row has begun."""
    if row.state is State.RUNNING or not lane.backlog:
        return False
    return lane.reached is None or lane.reached < _visible_at(row, context) + OVERTAKEN_MS


def has_aged(row: DueRow, now_ms: int) -> bool:
    """Whether a row of the lane for bulk has waited so long that it is woken through the standard lane too."""
    overdue_ms = now_ms - max(row.id.dispatch_at, row.next_attempt_at or 0)
    return row.lane is Lane.BULK and row.state is not State.RUNNING and overdue_ms >= AGED_MS


def _was_never_sent(row: DueRow, context: SweepContext) -> bool:
    """Whether it was left to a watcher, and none has come; there is no message that its lane could still come to."""
    return row.state is State.PENDING and context.scan_began_at is None and context.last_resend_at is None


def let_through_at(row: DueRow, context: SweepContext) -> int:
    """When a row is sent again however far behind its lane is: each quarter of an hour from when it was due.

    `last_resend_at` is the shard's, and may tell of other rows that are sent for each minute.
    """
    due_at = max(row.id.dispatch_at, row.next_attempt_at or 0, row.created_at)
    since_ms = max(0, (context.last_resend_at or 0) - due_at)
    return due_at + (since_ms // RESEND_AT_LEAST_MS + 1) * RESEND_AT_LEAST_MS


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


def reminder_is_settled(target: Execution | None, attempt: int) -> bool:
    """Whether a pointer's target no longer waits for the retry that followed `attempt`."""
    return target is None or target.state is not State.WAITING or target.attempt != attempt
