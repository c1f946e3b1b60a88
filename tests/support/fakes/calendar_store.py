"""Calendars of tenants, in memory."""

from shared.domain.schedules.own_calendar import OwnCalendar
from tests.support.fakes.table import FakeTable


class FakeCalendarStore:
    """Each call is one step."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def get(self, tenant_id: str, name: str) -> OwnCalendar | None:
        _, calendar = self._table.calendars.get((tenant_id, name), (0, None))
        return calendar

    def last_version(self, tenant_id: str, name: str) -> int:
        version, _ = self._table.calendars.get((tenant_id, name), (0, None))
        return version

    def all(self, tenant_id: str) -> list[OwnCalendar]:
        stored = sorted(self._table.calendars.items())
        return [each for (owner, _), (_, each) in stored if owner == tenant_id and each is not None]

    def put(self, tenant_id: str, calendar: OwnCalendar) -> bool:
        return self._write(tenant_id, calendar.name, calendar.version, calendar)

    def delete(self, tenant_id: str, calendar: OwnCalendar, deleted_at: int) -> bool:
        return self._write(tenant_id, calendar.name, calendar.version + 1, None)

    def _write(self, tenant_id: str, name: str, version: int, calendar: OwnCalendar | None) -> bool:
        standing = self._table.calendars.get((tenant_id, name), (0, None))
        if standing == (version, calendar):
            return True
        if standing[0] != version - 1:
            return False
        self._table.calendars[tenant_id, name] = version, calendar
        return True
