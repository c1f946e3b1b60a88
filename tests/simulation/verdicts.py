"""What the oracle may find."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Which promise is broken."""

    LOST = "lost"
    EARLY = "early"
    LATE = "late"
    DOUBLED = "doubled"
    OVERLAP = "overlap"
    ATTEMPTS = "attempts"
    CANCEL = "cancel"
    PAUSE = "pause"
    UPDATE = "update"
    TRIGGER = "trigger"
    BACKFILL = "backfill"
    REDRIVE = "redrive"
    PATIENCE = "patience"
    NOTIFICATION = "notification"
    ALERT = "alert"
    SKIPPED = "skipped"
    INSTANTS = "instants"
    HISTORY = "history"
    LEAK = "leak"
    PAYLOAD = "payload"
    LIMIT = "limit"
    STATISTICS = "statistics"
    RESTLESS = "restless"
    BROKEN = "broken"
    RECONCILER = "reconciler"
    WORKFLOW = "workflow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One broken promise, with the execution that shows it, or the job where no single execution does."""

    verdict: Verdict
    text: str
    job_id: str | None = None
    execution_id: str | None = None

    def __str__(self) -> str:
        """For people."""
        about = self.execution_id or self.job_id
        return f"{self.verdict}: {self.text}{f' [{about}]' if about else ''}"
