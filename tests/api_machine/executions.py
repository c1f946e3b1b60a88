"""What the model knows of one execution: the calls that the receiver got, and where they must have led."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.api_machine.chains import PromisedChain
    from tests.api_machine.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """How the receiver answers the attempts of an execution: HTTP statuses, the last one for all that follow."""

    statuses: tuple[int, ...]
    retry_after_seconds: int | None = None
    """Comes with each 429."""

    def to(self, attempt: int) -> int:
        """The answer to an attempt; 0 stands for no answer at all."""
        return self.statuses[min(attempt, len(self.statuses)) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that the receiver got, and its answer."""

    attempt: int
    began_at: int
    status: int
    retry_after_seconds: int | None


@dataclass(slots=True, kw_only=True)
class PromisedExecution:
    """One execution that has begun, or that was asked for by a trigger. The words are the API's."""

    id: str
    scheduled_at: int
    terms: Terms
    """What it runs by, however its job is changed."""
    chain: PromisedChain
    """The chain that it belongs to, or that stood when it was triggered."""
    is_beside: bool = False
    """Whether it was triggered, and stands beside the schedule."""
    calls: list[Call] = field(default_factory=list)
    state: str = "running"
    end_reason: str | None = None
    is_last_attempt: bool = False
    """Whether it was acknowledged, while an attempt ran, that no other follows."""
    retry_at: int | None = None
    """When its next attempt is due, as the API has shown."""
    is_open: bool = False
    """Its job was deleted, and how it ends is up to the moment at which a worker looks at it again."""
    has_crossed: bool = False
    """Its claim and its job's deletion crossed: the attempt may or may not have been called."""

    @property
    def has_ended(self) -> bool:
        """Whether nothing may come any more."""
        return self.state in ("succeeded", "failed", "cancelled")

    @property
    def next_call_at(self) -> int | None:
        """When it is called next, as far as one can tell; None where it is not."""
        return self.scheduled_at if self.state == "queued" else self.retry_at

    def begin(self, call: Call) -> None:
        """The receiver gets a call."""
        self.calls.append(call)
        self.state = "running"
        self.retry_at = None

    def answered(self) -> None:
        """The receiver has answered."""
        last = self.calls[-1]
        if last.status == 200:
            self.state = "succeeded"
        elif last.status == 410:
            self.state, self.end_reason = "failed", "not_retryable"
        elif last.attempt >= self.terms.retry["max_attempts"]:
            self.state, self.end_reason = "failed", "attempts_used_up"
        elif self.is_last_attempt:
            self.state, self.end_reason = "failed", "stopped"
        else:
            self.state = "waiting"

    def stop(self, reason: str) -> None:
        """The end of its job was acknowledged: nothing begins any more."""
        if self.state == "running":
            self.is_last_attempt = True
        elif self.state in ("waiting", "queued"):
            self.state, self.end_reason, self.retry_at = "cancelled", reason, None
