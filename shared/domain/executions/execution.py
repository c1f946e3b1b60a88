"""The execution: its states, the one table of transitions, and the value itself."""

from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import Any

from shared.domain.delivery.async_policy import DEFAULT_ASYNC_POLICY, AsyncPolicy
from shared.domain.delivery.callback import GONE_STATUS
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.delivery.outcome_callbacks import INHERIT, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidValueError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.redrive import RedrivenBy, RedriveOf
from shared.domain.ids import ExecutionId
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.recurrence import Recurrence
from shared.domain.schedules.skipped_range import SkippedRange
from shared.names import Lane

LEASE_MARGIN_MS = 5_000
"""A lease outlasts the callback's timeout by this much: the time for waiting, completing and clock skew."""
EARLY_MS = 1_500
"""A message this early or less is claimed at once and waited for; an earlier one is put back."""
GUARDED_FROM = (1 << 50) - 1
"""From when a guarded execution may be claimed without having been admitted: never."""


class State(StrEnum):
    """Where an execution stands. The values are the API's words."""

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
"""What a redrive may follow: a dead letter, and a redrive of it that came to nothing."""


class Transition(Enum):
    """Every lawful change of state: (its name, from which states, to which). Filing comes before all of them.

    The stores derive their conditions from this table; nothing else may change a state.
    """

    CLAIM = ("claim", NOT_STARTED | {State.WAITING, State.RUNNING}, State.RUNNING)
    EXTEND = ("run_on", frozenset({State.RUNNING}), State.RUNNING)
    SUCCEED = ("succeed", frozenset({State.RUNNING}), State.SUCCEEDED)
    RETRY = ("retry", frozenset({State.RUNNING}), State.WAITING)
    FAIL = ("fail", frozenset({State.RUNNING}), State.FAILED)
    GIVE_UP = ("give_up", frozenset({State.RUNNING}), State.FAILED)
    CANCEL = ("cancel", NOT_STARTED | {State.WAITING}, State.CANCELLED)
    UNDO = ("undo", NOT_STARTED, State.CANCELLED)
    SKIP = ("skip", NOT_STARTED, State.SKIPPED)
    MOVE = ("move", NOT_STARTED, State.MOVED)
    END_CHAIN = ("end_chain", NOT_STARTED, State.CANCELLED)

    @property
    def sources(self) -> frozenset[State]:
        """The states from which the transition may start."""
        return self.value[1]

    @property
    def target(self) -> State:
        """The state in which it ends."""
        return self.value[2]

    @property
    def ends(self) -> bool:
        """Whether it ends the execution, and so starts its retention."""
        return self.target in TERMINAL


class EndReason(StrEnum):
    """Why an execution ended, where its state alone does not say it."""

    ATTEMPTS_USED_UP = "attempts_used_up"
    NOT_RETRYABLE = "not_retryable"
    STOPPED = "stopped"
    TOO_OLD = "too_old"
    """Another attempt would have begun later than its job, or Punctual, lets any begin."""
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


FRESH: dict[str, Any] = {
    "state": State.PENDING,
    "attempt": 0,
    "owner": None,
    "lease_until": None,
    "async_until": None,
    "next_attempt_at": None,
    "outcomes": (),
    "last_body": b"",
    "end_reason": None,
    "ends_chain": False,
    "stop_retries": False,
    "missed": None,
    "home_lane": None,
    "redriven_by": None,
    "notification": None,
}
"""What another execution of the same request begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One planned firing: due entry, lock and hot history in one. Instants are UTC in ms."""

    id: ExecutionId
    tenant_id: str
    job_id: str
    revision: int
    nominal_at: int
    created_at: int
    lane: Lane
    request: bytes
    """The sealed request, or nothing where it stands in an item of its own."""
    fingerprint: bytes
    retry: RetryPolicy
    timeout_ms: int
    async_policy: AsyncPolicy = DEFAULT_ASYNC_POLICY
    callbacks: OutcomeCallbacks = INHERIT
    """Who is told how it ended, where its job says so."""
    index_shard: int = 0
    name: str | None = None
    tags: tuple[str, ...] = ()
    payload_id: str | None = None
    """The name of that item."""
    destination: str = UNKNOWN
    """Where its calls go, as limits tell destinations apart."""
    recurrence: Recurrence | None = None
    state: State = State.PENDING
    attempt: int = 0
    """Tries begun so far; while RUNNING it is also the fencing token."""
    owner: str | None = None
    lease_until: int | None = None
    async_until: int | None = None
    """Set while an attempt runs on after its call: when it is over, whatever is heard of it."""
    next_attempt_at: int | None = None
    outcomes: tuple[AttemptOutcome, ...] = ()
    last_body: bytes = b""
    end_reason: EndReason | None = None
    ends_chain: bool = False
    stop_retries: bool = False
    missed: SkippedRange | None = None
    moved_to: ExecutionId | None = None
    """Where the job stands now: set exactly where the state is MOVED."""
    start_deadline_at: int | None = None
    """A one-off job that has not started by then ends as skipped."""
    job_created_at: int | None = None
    """When its one-off job was created, where it was moved since."""
    home_lane: Lane | None = None
    """The lane of its job, where this run was moved to another."""
    run: int = 1
    """Which run of its job this is, from 1; instants that a jump passes over are not counted."""
    redrive_of: RedriveOf | None = None
    redriven_by: RedrivenBy | None = None
    """Its own redrive, of which this record says where it stands; it says so without having changed its state."""
    notification: ExecutionId | None = None
    """The execution that tells of its end: chosen with the end, filed after it."""
    notification_of: ExecutionId | None = None
    """The execution of whose end it tells."""

    def __post_init__(self) -> None:
        """Refuse combinations that no transition makes."""
        if (self.state is State.RUNNING) != (self.owner is not None and self.lease_until is not None):
            raise InvalidValueError("exactly a running execution has an owner and a lease")
        if self.state is not State.RUNNING and self.async_until is not None:
            raise InvalidValueError("only a running execution has the deadline of its attempt")
        if self.state is State.WAITING and self.next_attempt_at is None:
            raise InvalidValueError("a waiting execution has the instant of its next attempt")
        if (self.state is State.MOVED) != (self.moved_to is not None):
            raise InvalidValueError("exactly a moved execution says where to")
        if not 0 <= self.attempt <= self.retry.max_attempts:
            raise InvalidValueError("attempt must be 0 to max_attempts")
        if self.redriven_by is not None and self.state not in REDRIVABLE:
            raise InvalidValueError("only what has ended without success is redriven")
        is_beside = self.redrive_of is not None or self.notification_of is not None
        if is_beside and self.recurrence is not None:
            raise InvalidValueError("neither a redrive nor a notification is a link of a chain")
        if self.notification is not None and self.state not in (State.SUCCEEDED, State.FAILED):
            raise InvalidValueError("only what has succeeded or failed has its outcome told")

    @property
    def has_attempts_left(self) -> bool:
        """Whether another claim would be lawful as far as the count of attempts goes."""
        return self.attempt < self.retry.max_attempts and not self.stop_retries

    def lease_is_dead(self, now_ms: int) -> bool:
        """Whether the execution runs under a lease that has ended."""
        return self.lease_until is not None and self.lease_until < now_ms

    @property
    def claimed_at(self) -> int | None:
        """When the running attempt was claimed; None where none runs.

        Until an attempt runs on, its lease is the one of its claim; from then on its deadline tells.
        """
        if self.async_until is not None:
            return self.async_policy.claimed_at(self.async_until)
        if self.lease_until is None:
            return None
        return self.lease_until - self.timeout_ms - LEASE_MARGIN_MS

    @property
    def attempt_deadline_at(self) -> int | None:
        """When the running attempt is over if its receiver works on; None where none runs."""
        return self.async_policy.deadline_at(self.claimed_at) if self.claimed_at is not None else None

    @property
    def receiver_gone(self) -> bool:
        """Whether it ended because its job's receiver asked to be called no more."""
        if self.notification_of is not None:
            return False
        is_final = self.state is State.FAILED and self.end_reason is EndReason.NOT_RETRYABLE
        return is_final and self.outcomes[-1:] != () and self.outcomes[-1].status == GONE_STATUS

    @property
    def aged_from(self) -> int:
        """From when its age counts: when it was due; a redrive that is filed long after it was chosen is new then."""
        due_at = self.id.dispatch_at
        return max(due_at, self.created_at) if self.redrive_of is not None else due_at

    @property
    def gives_up_at(self) -> int | None:
        """After this instant none of its attempts begins; None where none would be too late."""
        return self.retry.gives_up_at(self.aged_from)

    @property
    def not_before(self) -> int:
        """The instant before which the next call must not begin."""
        return max(self.id.dispatch_at, self.next_attempt_at or 0)

    @property
    def scheduled_at(self) -> int:
        """The instant that it is for, as its receiver and its owner are told: the nominal one, or a backfilled one."""
        return self.recurrence.scheduled_at(self.nominal_at) if self.recurrence else self.nominal_at

    @property
    def is_guarded(self) -> bool:
        """Whether its first attempt has to be admitted: it may have to be skipped, or to wait for another run."""
        overlaps = self.recurrence is None or self.recurrence.overlap_policy is OverlapPolicy.ALLOW
        return self.start_deadline_at is not None or not overlaps

    @property
    def awaits_admission(self) -> bool:
        """Whether a guard has to let it in before it can be claimed."""
        return self.is_guarded and self.state in NOT_STARTED

    @property
    def claimable_from(self) -> int | None:
        """From when a claim is lawful: at once at first, later by retry time or lease, at the end never."""
        if self.state in NOT_STARTED:
            return GUARDED_FROM if self.is_guarded else 0
        if self.state is State.WAITING and self.next_attempt_at is not None:
            return self.next_attempt_at - EARLY_MS
        return self.lease_until + 1 if self.lease_until is not None else None

    def occurrence(self, nominal_at: int, *, created_at: int) -> "Execution":
        """A fresh execution of the same job and revision at another nominal instant."""
        if self.recurrence is None:
            raise InvalidValueError("a one-off job has no other occurrence")
        return replace(
            self,
            id=self.recurrence.id_of(self.job_id, self.revision, nominal_at),
            nominal_at=nominal_at,
            created_at=created_at,
            **FRESH,
            lane=self.home_lane or self.lane,
            run=self.run + 1,
        )
