"""RECOMPUTE a recurring job whose chain goes by rules of its time zone that the tables no longer have."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import Cron
from shared.domain.schedules.zone_changes import Move, first_move, outdated_from, with_frozen_rules
from shared.domain.schedules.zone_rules import release_of
from shared.domain.schedules.zones import TZDATA_VERSION
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.complete_transition import CompleteTransition


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Outdated:
    """A job to be recomputed; `parts_at` is from when on its rules and those of the tables differ. Soonest first."""

    outdated_from: int
    tenant_id: str
    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """What newer tables make of a job. `old_release` is None where nothing tells what it was computed by."""

    job_id: str
    tenant_id: str
    timezone: str
    old_release: str | None
    move: Move | None
    """The first instant that moves; None where none does for a long time."""
    new_release: str = TZDATA_VERSION


@dataclass(frozen=True, slots=True)
class RecomputeJob:
    """An update that asks for nothing: the old chain is ended by its own rules, and a new one begins by the present.

    So nothing that a chain is found by ever depends on tables that may be gone. Repeating it is always safe.
    """

    jobs: JobStore
    settle: CompleteTransition
    clock: Clock

    def execute(self, outdated: Outdated, tell: Callable[[Recomputed], None]) -> bool:
        """Tell of it, then do it; False where there is nothing to do any more.

        What was told may be told again: by whoever comes next after a crash, and where a client's change came first.
        """
        now_ms = self.clock.now_ms()
        job = self.jobs.get(outdated.tenant_id, outdated.job_id)
        if job is None or job.state is not JobState.ACTIVE:
            # A change begins a chain by the present rules in any case.
            return False
        parted_at = outdated_from(job.schedule, now_ms)
        if parted_at is None or not isinstance(job.schedule, Cron):
            return False
        tell(_recomputed(job, job.schedule, parted_at, now_ms))
        updating = replace(
            job,
            state=JobState.UPDATING,
            revision=job.revision + 1,
            change=job.definition,
            changed_at=now_ms,
        )
        if not self.jobs.replace(job, updating):
            return False
        self.settle.execute(updating)
        return True


def _recomputed(job: Job, schedule: Cron, parted_at: int, now_ms: int) -> Recomputed:
    move = None
    if schedule.rules is not None:
        move = first_move(schedule, with_frozen_rules(schedule, now_ms, now_ms), parted_at, now_ms)
    return Recomputed(
        job_id=job.id,
        tenant_id=job.tenant_id,
        timezone=schedule.timezone,
        old_release=release_of(schedule.rules) if schedule.rules is not None else None,
        move=move,
    )
