"""Clients of jobs with calendars: they change, delete and create calendars again while runs of the jobs wait."""

from dataclasses import dataclass, field
from functools import partial
from random import Random

from shared.bootstrap.use_cases import UseCases
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidStateError, NotFoundError, ScheduleError
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.blackouts import Blackout
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.own_calendar import SHARED_PREFIX, OwnCalendar
from shared.domain.schedules.schedule import Cron
from tests.simulation.calendar_days import DAY_MINUTES, MINUTE_MS, SATURDAY_SUNDAY, Content, Line, date_of
from tests.simulation.calendar_log import place_named
from tests.simulation.requests import request
from tests.simulation.world import TENANTS, World

LOAD_MS = 130 * MINUTE_MS
CALENDARS = ((TENANTS[0], "plant"), (TENANTS[0], "office"), (TENANTS[1], f"{SHARED_PREFIX}holidays"))
"""A tenant that uses each, and the name by which schedules have it."""
JOBS = 12
CHANGES = (2, 5)
DELETED = 0.25
"""So many jobs are deleted during the load."""
DROPPED = 0.35
"""So many changes delete a calendar; those that are refused are asked for again later, in other words."""
PAUSE_MS = (4 * MINUTE_MS, 45 * MINUTE_MS)
MINUTES = {
    "*/5": frozenset(range(0, 60, 5)),
    "*/10": frozenset(range(0, 60, 10)),
    "7,37": frozenset({7, 37}),
    "0-58/2": frozenset(range(0, 60, 2)),
}
WEEKENDS = (SATURDAY_SUNDAY, SATURDAY_SUNDAY, frozenset({4, 5}), frozenset({6}))
WINDOW_MINUTES = (15, 40, 90)
FAR_DAYS = (200, 399, 900)
URL = "https://days.example.com"


@dataclass(slots=True, kw_only=True)
class CalendarJob:
    """One job as its client knows it. Instants are virtual time; None: not acknowledged."""

    tenant: str
    calendar: str
    line: Line
    asked_at: int
    job_id: str | None = None
    created_at: int = 0
    acked_at: int | None = None
    is_refused: bool = False
    """Its schedule never fires."""
    delete_asked_at: int | None = None
    deleted_at: int | None = None


@dataclass(slots=True, kw_only=True)
class CalendarChange:
    """One request of a calendar's owner; without content it is a deletion."""

    tenant: str
    name: str
    content: Content | None
    asked_at: int | None = None
    acked_at: int | None = None
    version: int = 0
    """What the answer shows."""
    is_refused: bool = False
    """Jobs name it, or it is gone."""


@dataclass(slots=True)
class CalendarClients:
    """Every request is repeated until it is answered."""

    world: World
    rng: Random
    jobs: list[CalendarJob] = field(default_factory=list)
    changes: list[CalendarChange] = field(default_factory=list)

    def begin(self) -> None:
        """Each calendar is there before its jobs."""
        for tenant, name in CALENDARS:
            self._change(tenant, name, self._content(), self.world.hub.now_ms)

    def start_load(self) -> None:
        """Jobs over the first half of the load, and changes of the calendars over all of it."""
        start_ms = self.world.hub.now_ms
        for number in range(JOBS):
            tenant, calendar = self.rng.choice(CALENDARS)
            at_ms = start_ms + self.rng.randint(0, LOAD_MS // 2)
            job = CalendarJob(tenant=tenant, calendar=calendar, line=self._line(), asked_at=at_ms)
            self.jobs.append(job)
            request(self.world, "client", partial(self._create, job, f"days{number}"), at_ms)
            if self.rng.random() < DELETED:
                self.delete(job, at_ms + self.rng.randint(MINUTE_MS, LOAD_MS // 2))
        for tenant, name in CALENDARS:
            at_ms = start_ms
            for _ in range(self.rng.randint(*CHANGES)):
                at_ms += self.rng.randint(*PAUSE_MS)
                is_dropped = self.rng.random() < DROPPED
                self._change(tenant, name, None if is_dropped else self._content(), at_ms)
                if is_dropped:
                    again_ms = at_ms + self.rng.choice((20_000, 10 * MINUTE_MS, 35 * MINUTE_MS))
                    self._change(tenant, name, self._content(), again_ms)

    def delete(self, job: CalendarJob, at_ms: int) -> None:
        """Ask for the deletion of a job."""
        request(self.world, "client", partial(self._delete, job), at_ms)

    def _change(self, tenant: str, name: str, content: Content | None, at_ms: int) -> None:
        change = CalendarChange(tenant=tenant, name=name, content=content)
        self.changes.append(change)
        request(self.world, "client", partial(self._put if content else self._drop, change), at_ms)

    def _put(self, change: CalendarChange, cases: UseCases) -> None:
        change.asked_at = change.asked_at or self.world.hub.now_ms
        owner, name = place_named(change.tenant, change.name)
        assert change.content is not None
        wanted = OwnCalendar(
            name=name,
            version=0,
            changed_at=0,
            weekend=change.content.weekend,
            dates_in=tuple(sorted(change.content.dates_in)),
            dates_out=tuple(sorted(change.content.dates_out)),
            blackouts=tuple(Blackout(from_at=start, until_at=end) for start, end in change.content.windows),
        )
        _, after = cases.tenancy.calendars.put(owner, wanted)
        if change.acked_at is None:
            change.acked_at, change.version = self.world.hub.now_ms, after.version
            self.world.note("client", f"put {change.name}, version {after.version}")

    def _drop(self, change: CalendarChange, cases: UseCases) -> None:
        change.asked_at = change.asked_at or self.world.hub.now_ms
        try:
            gone = cases.tenancy.calendars.delete(*place_named(change.tenant, change.name))
        except (InvalidStateError, NotFoundError):
            change.is_refused = change.acked_at is None
            return
        if change.acked_at is None:
            change.acked_at, change.version = self.world.hub.now_ms, gone.version
            self.world.note("client", f"deleted {change.name}, version {gone.version}")

    def _create(self, job: CalendarJob, key: str, cases: UseCases) -> None:
        line = job.line
        rule = CalendarRule(
            name=job.calendar,
            when_excluded=WhenExcluded(line.when_excluded),
            business_day=line.business_day,
        )
        cron = Cron(line=line.text, timezone=line.zone, calendar=rule)
        try:
            new = NewJob(
                timing=cases.core.read_calendar.resolved(job.tenant, cron),
                request=Request(method="POST", url=f"{URL}/{key}"),
                retry=RetryPolicy(max_attempts=5, base_seconds=1, cap_seconds=30),
            )
            created = cases.jobs.create_job.execute(self.world.tenant(job.tenant), new, key).job
        except ScheduleError:  # There is no such calendar now, or no month has so many business days.
            job.is_refused = job.acked_at is None
            return
        assert isinstance(created, Job)
        if job.acked_at is None:
            job.job_id, job.created_at, job.acked_at = created.id, created.created_at, self.world.hub.now_ms

    def _delete(self, job: CalendarJob, cases: UseCases) -> None:
        if job.job_id is None:
            return
        job.delete_asked_at = job.delete_asked_at or self.world.hub.now_ms
        cases.core.cancel_job.execute(job.tenant, job.job_id)
        job.deleted_at = job.deleted_at or self.world.hub.now_ms

    def _content(self) -> Content:
        """Days around the run, so that its own days change, and far ones."""
        today = self.world.start_ms // (DAY_MINUTES * MINUTE_MS)
        near = [today + distance for distance in range(-1, 3)]
        far = {today + self.rng.choice(FAR_DAYS) for _ in range(self.rng.randint(0, 1))}
        return Content(
            weekend=self.rng.choice(WEEKENDS),
            dates_in=frozenset(self.rng.sample(near, self.rng.randint(0, 3))),
            windows=tuple(sorted(self._window() for _ in range(self.rng.choice((0, 0, 1, 2))))),
            dates_out=frozenset(self.rng.sample(near, self.rng.randint(0, 2))) | far,
        )

    def _window(self) -> tuple[int, int]:
        """In the run; windows may overlap."""
        start = self.world.start_ms // MINUTE_MS + self.rng.randint(0, 200)
        return start * MINUTE_MS, (start + self.rng.choice(WINDOW_MINUTES)) * MINUTE_MS

    def _line(self) -> Line:
        """In a zone whose day changes during the load, for most."""
        rng = self.rng
        minutes = rng.choice(sorted(MINUTES))
        offset_minutes = rng.choice((*self._offsets(), *self._offsets(), 0))
        local_day = (self.world.start_ms // MINUTE_MS + offset_minutes) // DAY_MINUTES
        kind = rng.choice(("every day", "every day", "every day", "every day", "one day", "nth"))
        days = {"day_of_month": date_of(local_day + rng.randint(-1, 2)).day} if kind == "one day" else {}
        number = {"business_day": rng.choice((1, -1, 9, 10, 11, 12))} if kind == "nth" else {}
        rule = "skip" if kind == "nth" else rng.choice(("skip", "next", "previous", "modified_following"))
        return Line(
            minutes=minutes,
            fires_at=MINUTES[minutes],
            when_excluded=rule,
            zone=f"Etc/GMT{-offset_minutes // 60:+d}" if offset_minutes else "UTC",
            offset_minutes=offset_minutes,
            **days,
            **number,
        )

    def _offsets(self) -> list[int]:
        """Those of zones in which it is midnight in the middle of the load."""
        minute = self.world.start_ms // MINUTE_MS
        wanted = range(DAY_MINUTES - 110, DAY_MINUTES - 15)
        return [hours * 60 for hours in range(-12, 15) if (minute + hours * 60) % DAY_MINUTES in wanted]
