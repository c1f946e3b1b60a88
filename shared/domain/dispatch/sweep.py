"""The sweeper's decision for each row of an ended bucket: leave it, send its message again, or give up."""

from collections.abc import Mapping
from enum import Enum, auto

from shared.dataclass import dataclass
from shared.domain.bucket import GUARD_MS
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.delivery.trace import Trace
from shared.domain.executions.execution import GUARDED_FROM, Execution, TaskRef
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.domain.limits.circuit_breaker import Phase
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import live
from shared.names import Lane

RESEND_AT_LEAST_MS = 900_000
"""Every overdue row is sent again at least this often, however far behind its lane is."""
PROGRESS_FRESH_MS = 120_000
BACKED_UP_MS = 30_000
"""A lane counts as behind for this long after its report; while it is behind, it reports twice as often."""
LATE_MS = 120_000
"""A message visible for this long may move to another queue, beside the fresh messages of its lane."""
MAX_YIELD_MS = 900_000
"""Bulk work that is overdue by more is no longer deferred for other lanes."""
AGED_MS = 1_800_000
"""Bulk work overdue by this much is sent through the standard queue too, `AGED_AT_ONCE` rows at a time."""
AGED_AT_ONCE = 100
OVERTAKEN_MS = 30_000
"""A message counts as lost once rows of its lane and tenant that are due this much later have started."""
LOOK_AGAIN_MS = 60_000
HELD_BACK_MS = 60_000
"""How often a run that waits for another run is checked: the message that lets it start may get lost."""
RETRY_GRACE_MS = 5_000
"""No re-send for this long after a retry is due: its own message may still be on its way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRow:
    """What watchers and sweepers read of a row: enough to send a message for it, never its request."""

    id: ExecutionId
    """The row's key; for a retry reminder this is not the execution that it wakes."""
    sort_key: str
    tenant_id: str
    lane: Lane
    state: State
    created_at: int
    claims: int
    max_claims: int
    """The claims that may be granted: the attempts of the policy and the refunded claims."""
    stop_retries: bool
    claimable_from: int | None
    next_attempt_at: int | None
    destination: str = UNKNOWN
    trace: Trace | None = None
    reminder_target: ExecutionId | None = None
    notification: ExecutionId | None = None
    """The notification of its outcome, if there is one."""
    async_accepted: bool = False
    """The receiver accepted the attempt (202), so no message is left that could come back."""
    begun_at: int | None = None
    """When the latest finished attempt started."""
    index_is_stale: bool = False
    """The entry in the index of failures does not match the state: the index throttled the write."""
    task: TaskRef | None = None
    """The task that an execution is: its run must learn of the end."""

    @property
    def wakes(self) -> ExecutionId:
        """The execution that a message for this row names: the target of a reminder, otherwise the row."""
        return self.reminder_target or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneProgress:
    """A lane that is behind: at `reported_at` it claimed messages that were visible since `visible_at`."""

    visible_at: int
    reported_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepContext:
    now_ms: int
    is_first_pass: bool
    scan_began_at: int | None
    """When the watcher's scan began; None where no scan finished, so that any message may be missing."""
    last_resend_at: int | None


class SweepAction(Enum):
    LEAVE = auto()
    RESEND = auto()
    GIVE_UP = auto()
    CHECK_REMINDER = auto()
    SETTLED = auto()
    """A reminder whose target has moved on: nothing is left to do."""


def sweep_action(row: DueRow, context: SweepContext) -> SweepAction:
    """Decide for one row that has not ended."""
    if row.reminder_target is not None:
        return SweepAction.CHECK_REMINDER
    if row.state in NOT_STARTED:
        return _unstarted(row, context)
    if row.state is State.WAITING:
        due = row.next_attempt_at is not None and row.next_attempt_at + RETRY_GRACE_MS <= context.now_ms
        return SweepAction.RESEND if due else SweepAction.LEAVE
    if row.claimable_from is not None and row.claimable_from <= context.now_ms:
        used_up = row.claims >= row.max_claims or row.stop_retries
        return SweepAction.GIVE_UP if used_up else SweepAction.RESEND
    return SweepAction.LEAVE


def _unstarted(row: DueRow, context: SweepContext) -> SweepAction:
    """On the first pass re-send only rows that the scan cannot have seen: other messages are on their way."""
    if not context.is_first_pass or row.state is State.QUEUED or context.scan_began_at is None:
        return SweepAction.RESEND
    unseen = row.created_at >= context.scan_began_at - GUARD_MS
    return SweepAction.RESEND if unseen else SweepAction.LEAVE


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneView:
    """The state of a lane, as seen by one of its rows."""

    progress: LaneProgress | None
    backlog: int
    """Visible messages, approximately."""
    reached: int | None
    """Due time of the latest started row of the lane and tenant; None where no row has started."""


def is_held_back(row: DueRow, lane: LaneView, hot_scopes: Mapping[str, int], context: SweepContext) -> bool:
    """Whether the row's message must still be on its way, so that a re-send would only add to the backlog."""
    if context.now_ms >= forced_resend_at(row, context) or _was_never_sent(row, context):
        return False
    if may_wait(row, hot_scopes, context.now_ms):
        return True
    if (
        row.async_accepted
        and row.claimable_from is not None
        and row.claimable_from > (context.last_resend_at or 0)
    ):
        return False
    return _is_behind(row, lane.progress, context) or _is_stalled(row, lane, context)


def is_slow_alone(state: ScopeState, now_ms: int) -> bool:
    """Whether a destination is only slow: its calls move to the slow path, but no call is deferred."""
    circuit = state.circuit
    has_limit = circuit.limit is not None or live(state.leases, now_ms) != ()
    return circuit.slow and not has_limit and circuit.phase(now_ms) is Phase.CLOSED


def is_hot(row: DueRow, hot_scopes: Mapping[str, int], now_ms: int) -> bool:
    """Whether the row's tenant or destination is hot: no call of it may begin now."""
    scopes = (destination_scope(row.destination), tenant_scope(row.tenant_id))
    return any(now_ms < hot_scopes.get(scope, 0) for scope in scopes)


def may_wait(row: DueRow, hot_scopes: Mapping[str, int], now_ms: int) -> bool:
    """Whether the row's message may have been deferred. A lost worker's message may be in no queue at all."""
    return row.state is not State.RUNNING and is_hot(row, hot_scopes, now_ms)


def _is_behind(row: DueRow, progress: LaneProgress | None, context: SweepContext) -> bool:
    """Whether the lane's workers have not reached the row's message yet, by the lane's own report."""
    if progress is None or context.now_ms - progress.reported_at > PROGRESS_FRESH_MS:
        return False
    return progress.visible_at < _visible_at(row, context)


def _is_stalled(row: DueRow, lane: LaneView, context: SweepContext) -> bool:
    """Whether a lane without reports has visible messages, and no later row has overtaken this one."""
    if row.state is State.RUNNING or not lane.backlog:
        return False
    return lane.reached is None or lane.reached < _visible_at(row, context) + OVERTAKEN_MS


def has_aged(row: DueRow, now_ms: int) -> bool:
    """Whether a bulk row is overdue by `AGED_MS`, and is sent through the standard queue too."""
    overdue_ms = now_ms - max(row.id.dispatch_at, row.next_attempt_at or 0)
    return row.lane is Lane.BULK and row.state is not State.RUNNING and overdue_ms >= AGED_MS


def _was_never_sent(row: DueRow, context: SweepContext) -> bool:
    """Whether no watcher has finished a scan: there may be no message that the lane could reach."""
    return row.state is State.PENDING and context.scan_began_at is None and context.last_resend_at is None


def forced_resend_at(row: DueRow, context: SweepContext) -> int:
    """When a row is sent again however far behind its lane is: every `RESEND_AT_LEAST_MS` from its due time.

    Counted from the due time, because `last_resend_at` is the shard's: other rows of it may be sent each
    minute.
    """
    due_at = max(row.id.dispatch_at, row.next_attempt_at or 0, row.created_at)
    since_ms = max(0, (context.last_resend_at or 0) - due_at)
    return due_at + (since_ms // RESEND_AT_LEAST_MS + 1) * RESEND_AT_LEAST_MS


def _visible_at(row: DueRow, context: SweepContext) -> int:
    sent_at = max(row.created_at, context.last_resend_at or 0)
    return max(row.id.dispatch_at, row.next_attempt_at or 0, sent_at)


def actionable_at(row: DueRow, now_ms: int) -> int | None:
    """When a row that is left alone may need a message; None where the regular sweeps are enough."""
    if row.state is State.WAITING and row.next_attempt_at is not None:
        return row.next_attempt_at + RETRY_GRACE_MS
    if row.claimable_from == GUARDED_FROM:
        return max(row.id.dispatch_at, now_ms) + HELD_BACK_MS
    return row.claimable_from if row.state is State.RUNNING else None


def reminder_is_settled(target: Execution | None, claims: int) -> bool:
    """Whether a reminder's target no longer waits for the retry after its claim number `claims`."""
    return target is None or target.state is not State.WAITING or target.progress.claims != claims
