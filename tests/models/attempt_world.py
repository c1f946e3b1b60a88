"""What there is in the model of one execution: the item, the workers, the messages, and what the receiver has seen."""

from enum import Enum, IntEnum, auto
from typing import NamedTuple

from tests.models.attempt_rules import Item


class Phase(IntEnum):
    """Where a worker stands."""

    IDLE = auto()
    GOT = auto()
    """It holds a message, and has not been told whether it may run."""
    CLAIMED = auto()
    READY = auto()
    """It has looked at its lease, which covers the call."""
    CALLING = auto()
    WORKED = auto()
    """The receiver was content."""
    FAILED = auto()
    UNSENT = auto()
    """Its lease was too short for the call, so there was none."""
    HEARD = auto()
    """The receiver works on, and that is not yet written down."""
    RECORDED = auto()
    """A retry is recorded, and its message not yet sent."""
    FOUND_LOST = auto()
    """It was refused, and saw a dead lease with no attempt left."""

    @property
    def trusts_its_lease(self) -> bool:
        """Whether it acts on a lease, as long as that lives."""
        return self in (Phase.CLAIMED, Phase.READY, Phase.CALLING)


class Seen(IntEnum):
    """What the receiver has seen of an attempt."""

    NOTHING = auto()
    BEGUN = auto()
    WORKS = auto()
    """It has answered that it works on, and will report."""
    ANSWERED_OK = auto()
    ENDED = auto()
    NEVER_TO_BE = auto()
    """The lease was too short for the call."""


class Flaw(Enum):
    """Faults that the model can be given; each must break a promise."""

    NO_CLAIM = "the call is made without a claim"
    NO_LIMIT = "a claim does not count the attempts that are left"
    COUNTED_AFTER = "the attempt is counted after the call"
    LIVE_LEASE_TAKEN = "a claim does not respect a live lease"
    NO_FENCE = "a completion does not look whose attempt it is"
    STOP_IGNORED = "a retry is recorded though retries were stopped"
    NO_LEASE_CHECK = "the call is made though the lease does not cover it"
    LIVE_ATTEMPT_GIVEN_UP = "giving up does not look at the lease"
    DROPPED_WHILE_LEASED = "the message is dropped while another's lease lives"
    EARLY_RETRY_DROPPED = "the message of a retry that is not due is dropped"
    DELETED_BEFORE_COMPLETION = "the message is deleted before the completion"
    LEASE_OF_ANOTHER_PROLONGED = "a lease is prolonged without a look at whose it is"
    REPORT_UNFENCED = "a report counts though its attempt was overtaken"
    NOT_REFUNDED = "a claim without a call counts as an attempt"
    REFUND_LOWERS_THE_FENCE = "a refund lowers the number of claims"
    OWN_CLAIM_UNKNOWN = "one's own claim is taken for another's when its answer was lost"


class Worker(NamedTuple):
    """One executor. `owns`: the item carries the token of this very try."""

    phase: Phase = Phase.IDLE
    attempt: int = 0
    left: int = 0
    owns: bool = False


IDLE = Worker()


class World(NamedTuple):
    """Everything. `last` is the highest attempt that may be called after an acknowledged cancel, -1 before one."""

    item: Item
    workers: tuple[Worker, ...]
    messages: int
    seen: tuple[Seen, ...]
    last: int = -1
    answers_lost: int = 0

    def saw(self, attempt: int, what: Seen) -> "World":
        """The same after the receiver, or the record, has seen this of an attempt."""
        return self._replace(seen=(*self.seen[:attempt], what, *self.seen[attempt + 1 :]))

    def __str__(self) -> str:
        """Short enough for a line of a trace."""
        item, busy = self.item, [worker for worker in self.workers if worker != IDLE]
        workers = ", ".join(
            f"{worker.phase.name.lower()} {worker.attempt or ''}{'*' if worker.owns else ''} left {worker.left}"
            for worker in busy
        )
        seen = " ".join(seen.name.lower() for seen in self.seen[1:])
        stopped = " stopped" if item.stop else ""
        stands = f"{item.state.value} attempt {item.attempt} left {item.left} due in {item.due_in}{stopped}"
        return f"{stands} | messages {self.messages} | {workers} | receiver: {seen}"
