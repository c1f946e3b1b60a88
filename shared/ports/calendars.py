"""Tenants' own calendars."""

from typing import Protocol

from shared.domain.schedules.own_calendar import OwnCalendar


class CalendarStore(Protocol):
    """Tenants' own calendars. All reads are strongly consistent.

    Of a deleted calendar nothing is left but a mark of its tenant, at or above all versions that deletions took. So
    versions of one name never restart, and no number of deleted names makes reads slower.
    """

    def get(self, tenant_id: str, name: str) -> OwnCalendar | None:
        """None for an unknown calendar, and for a deleted one. UnreadableItemError."""
        ...

    def last_version(self, tenant_id: str, name: str) -> int:
        """The version of the calendar; for a name without one, the mark of the tenant, and 0 before any deletion."""
        ...

    def all(self, tenant_id: str) -> list[OwnCalendar]:
        """In the order of their names, without deleted ones."""
        ...

    def put(self, tenant_id: str, calendar: OwnCalendar, before: OwnCalendar | None) -> bool:
        """Write the version after `before`; False if another one is stored.

        For `before` None, create the calendar: False if there is one, or unless its version is above the mark. Also
        true if it is already stored, because the response of the first try may have been lost.
        """
        ...

    def delete(self, tenant_id: str, calendar: OwnCalendar) -> bool:
        """Delete this version, and raise the mark above it, in one step; False if another one is stored.

        Also true if it is already deleted.
        """
        ...
