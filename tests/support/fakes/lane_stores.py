"""Lane progress and parked messages in memory."""

from shared.domain.dead_letters.parked_message import ParkedMessage, parse_parked_id
from shared.domain.dispatch.sweep import LaneProgress
from shared.names import Lane, QueueName


class FakeLaneProgressStore:
    """The last report for each lane wins."""

    def __init__(self) -> None:
        self.reports: dict[str, LaneProgress] = {}

    def report(self, lane: Lane | QueueName, progress: LaneProgress) -> None:
        self.reports[lane] = progress

    def read(self, lane: Lane | QueueName) -> LaneProgress | None:
        return self.reports.get(lane)


class FakeParkedMessageStore:
    """Keeps parked messages by time and message id."""

    def __init__(self) -> None:
        self.messages: dict[tuple[int, str], ParkedMessage] = {}

    def park(self, message: ParkedMessage) -> None:
        self.messages[message.parked_at, message.message_id] = message

    def parked(self, limit: int, *, before: str | None = None) -> list[ParkedMessage]:
        end = parse_parked_id(before) if before is not None else None
        keys = [key for key in self.messages if end is None or key < end]
        return [self.messages[key] for key in sorted(keys, reverse=True)[:limit]]

    def remove(self, parked_id: str) -> ParkedMessage | None:
        return self.messages.pop(parse_parked_id(parked_id), None)
