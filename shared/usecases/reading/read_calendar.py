"""Stored calendars, as schedules need them: their days are frozen into the schedule that names them."""

from dataclasses import field, replace
from typing import TypeVar

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.errors import ScheduleError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.schedules.calendar_rule import CalendarRule
from shared.domain.schedules.own_calendar import SHARED_OWNER, SHARED_PREFIX, OwnCalendar, place_of
from shared.domain.schedules.schedule_kinds import Cron
from shared.ports.calendars import CalendarStore
from shared.ports.runtime import Clock

REMEMBER_MS = 60_000
MAX_REMEMBERED = 1_000
Timing = TypeVar("Timing")


@dataclass(slots=True)
class ReadCalendar:
    """Reads nothing for a schedule without a calendar, or with that of a country."""

    calendars: CalendarStore
    clock: Clock
    _absent: BoundedCache[tuple[str, str], int] = field(default_factory=lambda: BoundedCache(MAX_REMEMBERED))
    """When a stored schedule found that its calendar is gone."""
    _cache: BoundedCache[tuple[str, str], tuple[int, OwnCalendar]] = field(
        default_factory=lambda: BoundedCache(MAX_REMEMBERED)
    )

    def resolved(self, tenant_id: str, timing: Timing) -> Timing:
        """The timing of a request, with the days of the calendar that it names: of one of the operators, as it was at
        most 60 s ago. ScheduleError (field `calendar`) for an unknown calendar; UnavailableError."""
        rule = _own_rule(timing)
        if rule is None:
            return timing
        place = place_of(tenant_id, rule.name)
        # All tenants may name one of the operators at the same time: no request reads it.
        calendar = self._remembered(place, 0) if place[0] == SHARED_OWNER else self.calendars.get(*place)
        if calendar is None:
            raise ScheduleError(f"calendar: {unknown(rule.name)}", field="calendar")
        return self._with_days(timing, calendar, self.clock.now_ms())

    def present(self, tenant_id: str, schedule: object) -> OwnCalendar | None:
        """The calendar of a stored schedule as it was at most 60 s ago, and never older than the schedule; None for a
        schedule without a stored calendar, and for one that is gone. One of the operators is read once for all
        tenants, also if it is gone: one of the same name is found at most 60 s later."""
        rule = _own_rule(schedule)
        if rule is None:
            return None
        place, now_ms = place_of(tenant_id, rule.name), self.clock.now_ms()
        missed_at = self._absent.get(place)
        if missed_at is not None and now_ms - missed_at < REMEMBER_MS:
            return None
        found = self._remembered(place, rule.version)
        if found is None:
            self._absent[place] = now_ms
        return found

    def _remembered(self, place: tuple[str, str], least_version: int) -> OwnCalendar | None:
        now_ms = self.clock.now_ms()
        read_at, known = self._cache.get(place, (0, None))
        if known is None or now_ms - read_at >= REMEMBER_MS or known.version < least_version:
            known = self.calendars.get(*place)
            if known is not None:
                self._cache[place] = now_ms, known
        return known

    def refrozen(self, tenant_id: str, schedule: Timing, from_ms: int) -> Timing:
        """A stored schedule with the present days of its own calendar, from `from_ms` on; it keeps those of a calendar
        that is gone."""
        calendar = self.present(tenant_id, schedule)
        return schedule if calendar is None else self._with_days(schedule, calendar, from_ms)

    def known_since(self, job: Execution | Job, from_ms: int) -> Execution | Job:
        """The job with the days of its own calendar from a past instant on, for its backfill."""
        if isinstance(job, Execution):
            return job
        rule = _own_rule(job.schedule)
        calendar = self.calendars.get(*place_of(job.tenant_id, rule.name)) if rule is not None else None
        if calendar is None:
            return job
        schedule = self._with_days(job.schedule, calendar, from_ms)
        return replace(job, definition=replace(job.definition, schedule=schedule))

    def _with_days(self, timing: Timing, calendar: OwnCalendar, from_ms: int) -> Timing:
        assert isinstance(timing, Cron)
        assert timing.calendar is not None
        now_ms = self.clock.now_ms()
        days = calendar.frozen(min(from_ms, now_ms), now_ms)
        return replace(timing, calendar=replace(timing.calendar, days=days))


def unknown(name: str) -> str:
    """What to send instead of a name of no calendar."""
    if name.startswith(SHARED_PREFIX):
        return f"the operators have no calendar {name!a}; `shared` of GET /v1/calendars lists those that they have"
    from shared.domain.schedules.country_calendars import is_country

    capitals = name.upper()
    if is_country(capitals):
        return f"there is no calendar {name!a}; send {capitals} for that of the country"
    return f"there is no calendar {name!a}; create it with PUT /v1/calendars/{name}, or send a country such as DE"


def _own_rule(timing: object) -> CalendarRule | None:
    rule = timing.calendar if isinstance(timing, Cron) else None
    return rule if rule is not None and rule.is_own else None
