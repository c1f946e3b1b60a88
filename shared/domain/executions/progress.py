"""The progress of an execution: its state, its lease, its attempts and its end."""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.stages import Stages
from shared.domain.executions.states import NOTIFIED, REDRIVABLE, EndReason, State
from shared.domain.ids import ExecutionId
from shared.domain.schedules.skipped_range import SkippedRange
from shared.names import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The fields that transitions change; a new execution has the defaults. Instants are UTC in ms."""

    state: State = State.PENDING
    claims: int = 0
    """The number of granted claims; with `owner`, the fencing token of a running execution. It only grows."""
    refunded: int = 0
    """Claims that made no call because Punctual could not make it; they cost the customer no attempt."""
    refunded_since: int | None = None
    """The start of the first refunded claim; set if and only if `refunded` is positive."""
    owner: str | None = None
    lease_until: int | None = None
    async_until: int | None = None
    """The deadline of an attempt that its receiver has accepted for asynchronous work."""
    next_attempt_at: int | None = None
    outcomes: tuple[AttemptOutcome, ...] = ()
    last_body: bytes = b""
    result: bytes = b""
    """What a task of a workflow hands on, sealed; empty for everything else."""
    end_reason: EndReason | None = None
    ends_chain: bool = False
    """A tombstone, or the last record of a chain: it files no successor."""
    stop_retries: bool = False
    missed: SkippedRange | None = None
    """The instants that this SKIPPED execution records."""
    moved_to: ExecutionId | None = None
    """The current execution of the one-off job; set if and only if the state is MOVED."""
    lane: Lane | None = None
    """The lane of a late run that catch-up moved out of its job's lane."""
    redriven_by: RedrivenBy | None = None
    """The redrive of this execution. Recording a redrive changes no state."""
    notification: ExecutionId | None = None
    """The execution that delivers the outcome or announces it: stored in the same write as the outcome, filed
    afterwards."""
    stages: Stages | None = None
    """How long the stages of its attempts took; None before the first outcome, and for an older release's."""
    successor_sent: bool = False
    """Whether the next run of the job was filed, and its message sent, before an outcome was recorded. False says
    nothing. Later messages of this run then send no other message of the next one."""

    def __post_init__(self) -> None:
        """Raises InvalidValueError for combinations that no transition makes."""
        if not 0 <= self.refunded <= self.claims or (self.refunded > 0) != (self.refunded_since is not None):
            raise InvalidValueError("only claims are refunded, and the first refund has an instant")
        if (self.state is State.RUNNING) != (self.owner is not None and self.lease_until is not None):
            raise InvalidValueError("exactly a running execution has an owner and a lease")
        if self.state is not State.RUNNING and self.async_until is not None:
            raise InvalidValueError("only a running execution has the deadline of its attempt")
        if self.state is State.WAITING and self.next_attempt_at is None:
            raise InvalidValueError("a waiting execution has the instant of its next attempt")
        if (self.state is State.MOVED) != (self.moved_to is not None):
            raise InvalidValueError("exactly a moved execution says where to")
        if self.redriven_by is not None and self.state not in REDRIVABLE:
            raise InvalidValueError("only what has ended without success is redriven")
        if self.result and self.state is not State.SUCCEEDED:
            raise InvalidValueError("only what has succeeded has a result")
        if self.notification is not None and self.state not in NOTIFIED:
            raise InvalidValueError("only what has succeeded, failed or been skipped is notified")

    @property
    def attempt(self) -> int:
        """The number of attempts that have begun, without refunded ones: users and receivers see this number."""
        return self.claims - self.refunded

    @property
    def tried_since(self) -> int | None:
        """The earliest known start of an attempt, refunded or not; None before the first."""
        starts = [outcome.started_at for outcome in self.outcomes[:1]]
        return min(starts if self.refunded_since is None else [*starts, self.refunded_since], default=None)
