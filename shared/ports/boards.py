"""Notices between the functions: how far lanes have come, and what was parked."""

from typing import Protocol

from shared.domain.parked import Parked
from shared.domain.sweep import LaneProgress
from shared.names import Lane, QueueName


class ProgressBoard(Protocol):
    """How far the lanes have come. Best effort: a lost report slows nothing but the gate on re-sending."""

    def report(self, lane: Lane | QueueName, progress: LaneProgress) -> None:
        """Overwrite the lane's report."""
        ...

    def read(self, lane: Lane | QueueName) -> LaneProgress | None:
        """The last report."""
        ...


class ParkingLot(Protocol):
    """Where such messages are kept."""

    def park(self, message: Parked) -> None:
        """Keep a message; should it come twice, it may be kept twice."""
        ...

    def parked(self, limit: int, *, before: str | None = None) -> list[Parked]:
        """The newest ones; where `before` is given, the newest that were parked before the message of that id."""
        ...

    def remove(self, parked_id: str) -> Parked | None:
        """Take one away for good, as it stood; None where there is none of that id."""
        ...
