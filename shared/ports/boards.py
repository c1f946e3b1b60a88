"""Notices between the functions: how far lanes have come, and what was parked."""

from dataclasses import dataclass
from typing import Protocol

from shared.domain.sweep import LaneProgress
from shared.names import Lane


class ProgressBoard(Protocol):
    """How far the lanes have come. Best effort: a lost report slows nothing but the gate on re-sending."""

    def report(self, lane: Lane, progress: LaneProgress) -> None:
        """Overwrite the lane's report."""
        ...

    def read(self, lane: Lane) -> LaneProgress | None:
        """The last report."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A message that could not be acted on, kept for people to look at."""

    message_id: str
    lane: Lane
    body: str
    reason: str
    parked_at: int


class ParkingLot(Protocol):
    """Where such messages are kept."""

    def park(self, message: Parked) -> None:
        """Keep a message; should it come twice, it may be kept twice."""
        ...

    def parked(self, limit: int) -> list[Parked]:
        """The newest ones."""
        ...
