"""What the model knows of one execution: the calls that the receiver got, and where they must have led."""

from dataclasses import dataclass, field


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
    """One execution that has begun. The words are the API's."""

    id: str
    scheduled_at: int
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

    def begin(self, call: Call) -> None:
        """The receiver gets a call."""
        self.calls.append(call)
        self.state = "running"
        self.retry_at = None

    def answered(self, max_attempts: int) -> None:
        """The receiver has answered."""
        last = self.calls[-1]
        if last.status == 200:
            self.state = "succeeded"
        elif last.status == 410:
            self.state, self.end_reason = "failed", "not_retryable"
        elif last.attempt >= max_attempts:
            self.state, self.end_reason = "failed", "attempts_used_up"
        elif self.is_last_attempt:
            self.state, self.end_reason = "failed", "stopped"
        else:
            self.state = "waiting"

    def stop(self, reason: str) -> None:
        """The end of its job was acknowledged: nothing begins any more."""
        if self.state == "running":
            self.is_last_attempt = True
        elif self.state == "waiting":
            self.state, self.end_reason, self.retry_at = "cancelled", reason, None
