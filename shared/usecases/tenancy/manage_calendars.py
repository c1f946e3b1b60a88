"""Create, change and delete calendars: of a tenant, or of the operators with `SHARED_OWNER` in place of its ID."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import (
    InvalidStateError,
    InvalidValueError,
    NotFoundError,
    ScheduleError,
    UnavailableError,
)
from shared.domain.jobs.job import ENDED
from shared.domain.schedules.own_calendar import SHARED_OWNER, OwnCalendar, is_own_name
from shared.domain.schedules.schedule_kinds import Backfill, Cron, Series
from shared.ports.calendars import CalendarStore
from shared.ports.listings import Queries
from shared.ports.runtime import Clock
from shared.usecases.tenancy.manage_tenants import CONFLICT, TRIES
from shared.usecases.tenancy.preconditions import Precondition, unconditional

MAX_CALENDARS = 50
"""The most calendars that a tenant has at a time, and that the operators have."""
NAMED_JOBS = 5
"""The error of a deletion names at most this many jobs."""
PAGE = 1_000
MAX_PAGES = 30
"""Of definitions that a deletion looks through."""


@dataclass(frozen=True, slots=True)
class Calendars:
    """Jobs keep the days that were frozen into their schedules; the reconciler freezes changed days within minutes."""

    store: CalendarStore
    queries: Queries
    clock: Clock

    def all(self, tenant_id: str) -> list[OwnCalendar]:
        """In the order of their names."""
        return self.store.all(tenant_id)

    def get(self, tenant_id: str, name: str) -> OwnCalendar:
        """NotFoundError for an unknown or deleted calendar."""
        calendar = self.store.get(tenant_id, name) if is_own_name(name) else None
        if calendar is None:
            raise NotFoundError("no such calendar")
        return calendar

    def put(
        self,
        tenant_id: str,
        wanted: OwnCalendar,
        *,
        precondition: Precondition = unconditional,
        is_dry_run: bool = False,
    ) -> tuple[OwnCalendar | None, OwnCalendar]:
        """Create or change a calendar; returns it before and after. With a dry run, `after` is not stored.

        A calendar that has this content keeps its version, under every precondition: an earlier try of the request may
        have stored it. InvalidValueError for an unknown country, InvalidStateError for too many calendars.
        """
        try:
            _ = wanted.business_days
        except ScheduleError as error:
            text = str(error).replace("calendar: ", "country: ", 1)
            raise InvalidValueError(text, path=("country",)) from error
        for _ in range(TRIES):
            before = self.store.get(tenant_id, wanted.name)
            if before is not None and before.has_content_of(wanted):
                return before, before
            precondition(before.version if before is not None else None)
            if before is None and len(self.store.all(tenant_id)) >= MAX_CALENDARS:
                raise InvalidStateError(f"there are {MAX_CALENDARS} calendars already: delete one first")
            version = self.store.last_version(tenant_id, wanted.name) + 1
            after = replace(wanted, version=version, changed_at=self.clock.now_ms())
            if is_dry_run or self.store.put(tenant_id, after, before):
                return before, after
        raise UnavailableError(CONFLICT)

    def delete(self, tenant_id: str, name: str, precondition: Precondition = unconditional) -> OwnCalendar:
        """Delete a calendar that no job names; returns it. NotFoundError; InvalidStateError names the jobs.

        One of the operators is deleted although jobs name it: they keep the days that they have.
        """
        for _ in range(TRIES):
            calendar = self.get(tenant_id, name)
            precondition(calendar.version)
            if tenant_id != SHARED_OWNER and (users := self._users(tenant_id, name)):
                raise InvalidStateError(
                    f"the calendar is in use by {', '.join(users)}: change or delete them first"
                )
            if self.store.delete(tenant_id, calendar):
                return calendar
        raise UnavailableError(CONFLICT)

    def _users(self, tenant_id: str, name: str) -> list[str]:
        """The first jobs that have not ended and name the calendar."""
        found: list[str] = []
        after: str | None = None
        for _ in range(MAX_PAGES):
            page = self.queries.definitions(tenant_id, after=after, limit=PAGE)
            named = (
                job for job in page.jobs if job.state not in ENDED and _names(job.described.schedule, name)
            )
            found += [job.id for job in named]
            after = page.next_after
            if len(found) >= NAMED_JOBS or after is None:
                return found[:NAMED_JOBS]
        raise InvalidStateError(
            "the tenant has too many recurring jobs to be looked through for the calendar: keep it"
        )


def _names(schedule: Series, name: str) -> bool:
    inner = schedule.of if isinstance(schedule, Backfill) else schedule
    return isinstance(inner, Cron) and inner.calendar is not None and inner.calendar.name == name
