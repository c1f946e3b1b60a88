"""Event sources, in memory."""

from shared.domain.triggers.event_source import EventSource


class FakeEventSourceStore:
    """Each call is one step."""

    def __init__(self) -> None:
        self.sources: dict[str, EventSource] = {}

    def get(self, account: str) -> EventSource | None:
        return self.sources.get(account)

    def all(self) -> list[EventSource]:
        return [self.sources[account] for account in sorted(self.sources)]

    def put(self, source: EventSource, before: EventSource | None) -> bool:
        stored = self.get(source.account)
        if stored != source and _identity(stored) != _identity(before):
            return False
        self.sources[source.account] = source
        return True

    def delete(self, source: EventSource) -> bool:
        stored = self.get(source.account)
        if stored is not None and _identity(stored) != _identity(source):
            return False
        self.sources.pop(source.account, None)
        return True


def _identity(source: EventSource | None) -> tuple[int, int] | None:
    return None if source is None else (source.version, source.changed_at)
