"""The outcome of one attempt, as the history of its execution has it."""

from dataclasses import dataclass

from shared.domain.delivery.callback import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptOutcome:
    """What is remembered of one attempt. An attempt whose worker died leaves none."""

    attempt: int
    started_at: int
    duration_ms: int
    status: int | None
    reason: Reason
