"""Lane progress and parked messages in memory."""

from shared.domain.sweep import LaneProgress
from shared.names import Lane
from shared.ports.boards import Parked


class FakeProgressBoard:
    """The last report for each lane wins."""

    def __init__(self) -> None:
        self.reports: dict[Lane, LaneProgress] = {}

    def report(self, lane: Lane, progress: LaneProgress) -> None:
        """See the port."""
        self.reports[lane] = progress

    def read(self, lane: Lane) -> LaneProgress | None:
        """See the port."""
        return self.reports.get(lane)


class FakeParkingLot:
    """Keeps whatever is parked, by time and message."""

    def __init__(self) -> None:
        self.messages: dict[tuple[int, str], Parked] = {}

    def park(self, message: Parked) -> None:
        """See the port."""
        self.messages[message.parked_at, message.message_id] = message

    def parked(self, limit: int) -> list[Parked]:
        """See the port."""
        return [self.messages[key] for key in sorted(self.messages, reverse=True)[:limit]]
