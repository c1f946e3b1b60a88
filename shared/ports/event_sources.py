"""Which tenants the events of accounts of AWS are for."""

from typing import Protocol

from shared.domain.triggers.event_source import EventSource


class EventSourceStore(Protocol):
    """Event sources by account. All reads are strongly consistent."""

    def get(self, account: str) -> EventSource | None:
        """UnreadableItemError; UnknownVersionError for one of a newer release."""
        ...

    def all(self) -> list[EventSource]:
        """In the order of their accounts, by one query. The errors are as above."""
        ...

    def put(self, source: EventSource, before: EventSource | None) -> bool:
        """Write an event source in place of `before`; False if another one is stored.

        Also true if it is already stored, because the response of the first try may have been lost.
        """
        ...

    def delete(self, source: EventSource) -> bool:
        """Delete exactly this event source; False if another one is stored. Also true if none is stored."""
        ...
