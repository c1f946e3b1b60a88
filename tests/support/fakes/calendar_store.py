"""Calendars of tenants, in memory."""

from shared.domain.schedules.own_calendar import OwnCalendar
from tests.support.fakes.table import FakeTable


class FakeCalendarStore:
    """Each call is one step."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def get(self, tenant_id: str, name: str) -> OwnCalendar | None:
        return self._table.calendars.get((tenant_id, name))

    def last_version(self, tenant_id: str, name: str) -> int:
        standing = self.get(tenant_id, name)
        return self._mark(tenant_id) if standing is None else standing.version

    def all(self, tenant_id: str) -> list[OwnCalendar]:
        stored = sorted(self._table.calendars.items(), key=lambda each: each[0])
        return [each for (owner, _), each in stored if owner == tenant_id]

    def put(self, tenant_id: str, calendar: OwnCalendar, before: OwnCalendar | None) -> bool:
        standing = self.get(tenant_id, calendar.name)
        if standing == calendar:
            return True
        if before is None and (standing is not None or self._mark(tenant_id) >= calendar.version):
            return False
        if before is not None and (standing is None or standing.version != before.version):
            return False
        self._table.calendars[tenant_id, calendar.name] = calendar
        return True

    def delete(self, tenant_id: str, calendar: OwnCalendar) -> bool:
        standing = self.get(tenant_id, calendar.name)
        if standing is None:
            return True
        if standing.version != calendar.version:
            return False
        del self._table.calendars[tenant_id, calendar.name]
        self._table.calendar_marks[tenant_id, ""] = max(self._mark(tenant_id), calendar.version + 1)
        return True

    def _mark(self, tenant_id: str) -> int:
        return self._table.calendar_marks.get((tenant_id, ""), 0)
