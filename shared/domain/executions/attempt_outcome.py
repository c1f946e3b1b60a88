"""The outcome of one attempt, as stored in the history of its execution."""

from shared.dataclass import dataclass
from shared.domain.delivery.callback import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptOutcome:
    """One finished attempt. An attempt whose worker died has no outcome."""

    attempt: int
    started_at: int
    duration_ms: int
    status: int | None
    reason: Reason
