"""Recompute a recurring job whose frozen zone rules or days of a calendar differ from the installed release."""

from collections.abc import Callable
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import Cron
from shared.domain.schedules.zone_changes import Move, first_move, outdated_from, with_frozen_rules
from shared.domain.schedules.zone_rules import release_of
from shared.domain.schedules.zones import TZDATA_VERSION
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.complete_transition import CompleteTransition
from shared.usecases.reading.read_calendar import ReadCalendar


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class OutdatedJob:
    """A job to recompute, ordered by the instant from which its rules and the current tables differ."""

    outdated_from: int
    tenant_id: str
    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputation:
    """The effect of newer tables on a job. `old_release` is None if the chain does not carry a release."""

    job_id: str
    tenant_id: str
    timezone: str
    old_release: str | None
    move: Move | None
    """The first instant that moves; None if no instant moves for a long time."""
    new_release: str = TZDATA_VERSION
    calendar: str | None = None
    old_calendar_release: str | None = None
    new_calendar_release: str | None = None


@dataclass(frozen=True, slots=True)
class RecomputeJob:
    """Makes an update without changed fields: end the old chain by its own rules, start one by current rules.

    The keys of a chain therefore never depend on tables that may be gone. Safe to repeat.
    """

    jobs: JobStore
    settle: CompleteTransition
    read_calendar: ReadCalendar
    clock: Clock

    def outdated_from(self, job: Job, now_ms: int) -> int | None:
        """The first instant from now at which the job's frozen rules differ from the present ones, or None."""
        own = self.read_calendar.present(job.tenant_id, job.schedule)
        return outdated_from(job.schedule, now_ms, own)

    def execute(self, outdated: OutdatedJob, tell: Callable[[Recomputation], None]) -> bool:
        """Report the recomputation, then make it; False if it is no longer needed.

        A report may be repeated after a crash, or describe a job that a client has changed in the meantime.
        """
        now_ms = self.clock.now_ms()
        job = self.jobs.get(outdated.tenant_id, outdated.job_id)
        if job is None or job.state is not JobState.ACTIVE:
            # Any other change starts a chain by the current rules anyway.
            return False
        parted_at = self.outdated_from(job, now_ms)
        if parted_at is None or not isinstance(job.schedule, Cron):
            return False
        schedule = self.read_calendar.refrozen(job.tenant_id, job.schedule, now_ms)
        present = with_frozen_rules(schedule, now_ms, now_ms)
        tell(_recomputed(job, job.schedule, present, parted_at, now_ms))
        updating = replace(
            job,
            state=JobState.UPDATING,
            revision=job.revision + 1,
            change=replace(job.definition, schedule=schedule),
            changed_at=now_ms,
        )
        if not self.jobs.replace(job, updating):
            return False
        self.settle.execute(updating)
        return True


def _recomputed(job: Job, schedule: Cron, present: Cron, parted_at: int, now_ms: int) -> Recomputation:
    move = None
    if schedule.rules is not None or schedule.calendar is not None:
        move = first_move(schedule, present, parted_at, now_ms)
    return Recomputation(
        job_id=job.id,
        tenant_id=job.tenant_id,
        timezone=schedule.timezone,
        old_release=release_of(schedule.rules) if schedule.rules is not None else None,
        move=move,
        calendar=None if schedule.calendar is None else schedule.calendar.name,
        old_calendar_release=_calendar_release(schedule),
        new_calendar_release=_calendar_release(present),
    )


def _calendar_release(schedule: Cron) -> str | None:
    return None if schedule.calendar is None else schedule.calendar.release
