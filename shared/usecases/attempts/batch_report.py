"""The messages of a batch, and what became of each."""

from dataclasses import field
from enum import Enum, auto

from shared.dataclass import dataclass
from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.ids import ExecutionId
from shared.ports.executions import WriteUnknown
from shared.usecases.attempts.make_attempt import AttemptResult
from shared.usecases.attempts.settle_refusal import RefusalResult
from shared.usecases.limits.throttle_batch import DeferredKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One received message. `wakeup` is None if the body cannot be read; `error` gives the reason.

    `newer` is set if a newer release can read the body.
    """

    message_id: str
    sent_at: int
    receive_count: int
    first_received_at: int | None = None
    """By the clock of SQS, as `sent_at`; None if the queue does not report the time."""
    wakeup: Wakeup | None
    error: str = ""
    newer: NewerMessage | None = None


class Verdict(Enum):
    DONE = auto()
    RETURN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledMessage:
    """The verdict on a message. A returned message becomes visible again after `visible_after_seconds`."""

    delivery: Delivery
    verdict: Verdict
    visible_after_seconds: int = 0


@dataclass(slots=True)
class BatchReport:
    settled: list[SettledMessage] = field(default_factory=list)
    attempts: list[AttemptResult] = field(default_factory=list)
    refusals: list[RefusalResult] = field(default_factory=list)
    undecided: dict[ExecutionId, WriteUnknown] = field(default_factory=dict)
    deferred: list[DeferredKey] = field(default_factory=list)
    waited: set[ExecutionId] = field(default_factory=set)
    """Keys of messages that were already deferred by a limit or by backpressure."""
    unreadable_messages: int = 0
    clock_skew_ms: int = 0
    """Positive if this process's clock is ahead of the clock of SQS, negative if it is behind."""

    def returned(self) -> list[SettledMessage]:
        """Messages that must stay in the queue."""
        return [settled for settled in self.settled if settled.verdict is Verdict.RETURN]
