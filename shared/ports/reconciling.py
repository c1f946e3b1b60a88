"""What the reconciler compares the tables with."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


class ReconcileMark(Protocol):
    """How far the reconciler has come."""

    def reconciled_through(self) -> int | None:
        """The last bucket that was looked at; None before the first run ever."""
        ...

    def note_reconciled_through(self, bucket: int) -> None:
        """Move the mark forward, never back."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A job that was acknowledged to a client."""

    tenant_id: str
    job_id: str


class AcceptedLog(Protocol):
    """What was acknowledged, from a source that knows nothing of the tables."""

    def between(self, from_at: int, until_at: int) -> Iterator[Accepted]:
        """Every acknowledgement in [from_at, until_at); complete once logs have arrived, some minutes later."""
        ...
