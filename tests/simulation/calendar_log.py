"""What happened to calendars in a run: which versions were written when, and which runs of the reconciler saw them."""

from dataclasses import dataclass

from shared.domain.schedules.own_calendar import SHARED_OWNER, SHARED_PREFIX, OwnCalendar
from tests.simulation.calendar_days import SATURDAY_SUNDAY, Content
from tests.simulation.hub import Hub
from tests.support.fakes.calendar_store import FakeCalendarStore
from tests.support.fakes.table import FakeTable

NEVER = 1 << 62
CalendarPlace = tuple[str, str]
"""An owner and a stored name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One version of a calendar as it was stored; without content it is the calendar's deletion."""

    at: int
    version: int
    content: Content | None


@dataclass(slots=True, kw_only=True)
class ReconcilerRun:
    """One run. A fault on its way makes it one that proves nothing."""

    began_at: int
    ended_at: int = NEVER
    """When it was over, or died."""
    is_disturbed: bool = False

    @property
    def at(self) -> int:
        """When it has moved what it moves."""
        return self.ended_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """When it was told that a job moves."""

    at: int
    job_id: str


class NotedCalendars(FakeCalendarStore):
    """Keeps every version with the time at which it was written."""

    def __init__(self, table: FakeTable, hub: Hub) -> None:
        super().__init__(table)
        self._hub = hub
        self.written: dict[CalendarPlace, list[Written]] = {}

    def put(self, tenant_id: str, calendar: OwnCalendar, before: OwnCalendar | None) -> bool:
        """See the port."""
        standing = self.get(tenant_id, calendar.name)
        done = super().put(tenant_id, calendar, before)
        if done and standing != calendar:
            self._note((tenant_id, calendar.name), calendar.version, content_of(calendar))
        return done

    def delete(self, tenant_id: str, calendar: OwnCalendar) -> bool:
        """See the port."""
        standing = self.get(tenant_id, calendar.name)
        done = super().delete(tenant_id, calendar)
        if done and standing is not None:
            self._note((tenant_id, calendar.name), calendar.version, None)
        return done

    def _note(self, place: CalendarPlace, version: int, content: Content | None) -> None:
        entry = Written(at=self._hub.now_ms, version=version, content=content)
        self.written.setdefault(place, []).append(entry)


def content_of(calendar: OwnCalendar) -> Content:
    """What a stored calendar says."""
    return Content(
        weekend=SATURDAY_SUNDAY if calendar.weekend is None else calendar.weekend,
        dates_in=frozenset(calendar.dates_in),
        dates_out=frozenset(calendar.dates_out),
        windows=tuple((each.from_at, each.until_at) for each in calendar.blackouts),
    )


def place_named(tenant: str, name: str) -> CalendarPlace:
    """Where the calendar is that a schedule of a tenant names."""
    if name.startswith(SHARED_PREFIX):
        return SHARED_OWNER, name.removeprefix(SHARED_PREFIX)
    return tenant, name
