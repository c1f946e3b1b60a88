"""Which run of a job may start where runs must not overlap."""

from dataclasses import dataclass
from typing import Protocol

from shared.domain.ids import ExecutionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The run that has the turn, and the one that waits for it. Whoever has ended has given up both."""

    holder: ExecutionId | None = None
    waiting: ExecutionId | None = None


class TurnStore(Protocol):
    """One turn for each job, changed by compare-and-swap alone."""

    def read(self, tenant_id: str, job_id: str) -> Turn:
        """The turn as it stands, read strongly."""
        ...

    def swap(self, tenant_id: str, job_id: str, before: Turn, after: Turn) -> bool:
        """Put `after` in the place of `before`; False where something else stands there."""
        ...
