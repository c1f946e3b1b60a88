"""The states of an execution, and the one table of transitions between them."""

from enum import Enum, StrEnum


class State(StrEnum):
    """The state of an execution. The values are those of the API."""

    PENDING = "pending"
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    MOVED = "moved"

    @property
    def is_terminal(self) -> bool:
        """Whether no transition leaves this state."""
        return self in TERMINAL


TERMINAL = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED, State.SKIPPED, State.MOVED})
OPEN = frozenset(State) - TERMINAL
NOT_STARTED = frozenset({State.PENDING, State.QUEUED})
REDRIVABLE = frozenset({State.FAILED, State.CANCELLED})
"""The states that a redrive may follow: a dead letter, or an earlier redrive that was cancelled."""
NOTIFIED = frozenset({State.SUCCEEDED, State.FAILED, State.SKIPPED})
"""The states in which an execution may have a notification."""


class Transition(Enum):
    """Every allowed change of state: (name, source states, target state). Filing precedes all of them.

    The stores derive their conditions from this table, and no other write changes a state.
    """

    CLAIM = ("claim", NOT_STARTED | {State.WAITING, State.RUNNING}, State.RUNNING)
    EXTEND = ("run_on", frozenset({State.RUNNING}), State.RUNNING)
    SUCCEED = ("succeed", frozenset({State.RUNNING}), State.SUCCEEDED)
    RETRY = ("retry", frozenset({State.RUNNING}), State.WAITING)
    REFUND = ("refund", frozenset({State.RUNNING}), State.WAITING)
    EXPIRE = ("expire", frozenset({State.RUNNING}), State.SKIPPED)
    WITHDRAW = ("withdraw", frozenset({State.RUNNING}), State.CANCELLED)
    FAIL = ("fail", frozenset({State.RUNNING}), State.FAILED)
    GIVE_UP = ("give_up", frozenset({State.RUNNING}), State.FAILED)
    CANCEL = ("cancel", NOT_STARTED | {State.WAITING}, State.CANCELLED)
    UNDO = ("undo", NOT_STARTED, State.CANCELLED)
    SKIP = ("skip", NOT_STARTED, State.SKIPPED)
    MOVE = ("move", NOT_STARTED, State.MOVED)
    END_CHAIN = ("end_chain", NOT_STARTED, State.CANCELLED)

    def __init__(self, _name: str, sources: frozenset[State], target: State) -> None:
        self.sources = sources
        """The states in which the transition is allowed."""
        self.target = target
        self.ends = target in TERMINAL
        """Whether the target state is terminal, so that the retention of the record starts."""


class EndReason(StrEnum):
    """Why an execution ended, if the state alone does not tell."""

    ATTEMPTS_USED_UP = "attempts_used_up"
    NOT_RETRYABLE = "not_retryable"
    RESULT_INVALID = "result_invalid"
    """A task of a workflow was called with success, and answered nothing that it could hand on."""
    STOPPED = "stopped"
    TOO_OLD = "too_old"
    """The next attempt would have begun after the maximum age of the job or of Punctual."""
    WORKER_LOST = "worker_lost"
    UNREADABLE = "unreadable"
    CANCELLED = "cancelled"
    JOB_DELETED = "job_deleted"
    JOB_PAUSED = "job_paused"
    JOB_UPDATED = "job_updated"
    OVERLAP = "overlap"
    LATE = "late"
    COALESCED = "coalesced"
    CATCH_UP_SKIP = "catch_up_skip"
    CATCH_UP_WINDOW = "catch_up_window"
    CATCH_UP_LIMIT = "catch_up_limit"
    DST_GAP = "dst_gap"
    ZONE_RULES_CHANGED = "zone_rules_changed"
    SUSPENDED = "suspended"
    """The tenant was suspended when the execution was due."""
