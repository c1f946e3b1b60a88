"""Tenants' own calendars."""

from typing import Protocol

from shared.domain.schedules.own_calendar import OwnCalendar


class CalendarStore(Protocol):
    """Tenants' own calendars. All reads are strongly consistent. Versions of one name never restart."""

    def get(self, tenant_id: str, name: str) -> OwnCalendar | None:
        """None for an unknown calendar, and for a deleted one. UnreadableItemError."""
        ...

    def last_version(self, tenant_id: str, name: str) -> int:
        """The version of the last change or deletion; 0 for a name that was never used."""
        ...

    def all(self, tenant_id: str) -> list[OwnCalendar]:
        """In the order of their names, without deleted ones."""
        ...

    def put(self, tenant_id: str, calendar: OwnCalendar) -> bool:
        """Write the version after the last one; False if the last version is another one.

        Also true if it is already stored, because the response of the first try may have been lost.
        """
        ...

    def delete(self, tenant_id: str, calendar: OwnCalendar, deleted_at: int) -> bool:
        """Delete this version, with a version of its own; the answers are as above."""
        ...
