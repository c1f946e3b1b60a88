"""Bulk operations on jobs for tests."""

from dataclasses import replace
from typing import Any

from shared.domain.bulk.actions import BulkAction
from shared.domain.bulk.job_task import HOUR_MS, JobTask, NewJobTask
from shared.domain.bulk.task import SETTLED_MS
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.filters import JobFilter
from tests.support.builders import TENANT
from tests.support.usecases.ports import EARLY
from tests.support.usecases.world import World

NOW = EARLY + 60_000
"""A minute after the built jobs were created, and nine before their first runs."""
ALL = JobFilter(recurs=True, is_live=True)
TAGGED = replace(ALL, tag="billing")


def jobs(world: World, count: int, first: int = 1, **overrides: Any) -> list[Job]:
    """Active jobs with a tag, in the order of their ids."""
    fields = {"tags": ("billing",)} | overrides
    return [world.recurring(number, **fields) for number in range(first, first + count)]


def new_task(action: BulkAction = BulkAction.PAUSE, **fields: Any) -> NewJobTask:
    given: dict[str, Any] = {"criteria": TAGGED, "action": action, "rate": 100}
    return NewJobTask(**(given | fields))


def start(world: World, action: BulkAction = BulkAction.PAUSE, **fields: Any) -> JobTask:
    """Start an operation on the tagged jobs. Nothing is processed yet."""
    new = new_task(action, **fields)
    plan = world.start_job_task.plan(world.tenant, new).token
    return world.start_job_task.execute(world.tenant, new, plan).task


def delete(world: World, grace_hours: int = 24, **fields: Any) -> JobTask:
    return start(world, BulkAction.DELETE, grace_ms=grace_hours * HOUR_MS, **fields)


def work(world: World) -> None:
    """A tick of the redriver."""
    world.process_bulk_tasks.execute()


def undo(world: World, task: JobTask) -> JobTask:
    """Start an undo and run it to its end."""
    world.change_job_task.undo(TENANT, task.id)
    work(world)
    world.clock.time_ms += SETTLED_MS
    work(world)
    return standing(world, task)


def standing(world: World, task: JobTask) -> JobTask:
    """The stored task."""
    return world.job_tasks.tasks[TENANT, task.id]


def states(world: World, of: list[Job]) -> list[JobState]:
    """The present states of jobs."""
    return [stored(world, job).state for job in of]


def stored(world: World, job: Job) -> Job:
    return world.table.jobs[job.tenant_id, job.id]


def change(world: World, job: Job) -> Job:
    """Another request renames a job."""
    present = stored(world, job)
    renamed = replace(present.definition, name="renamed")
    return world.lifecycle.update.execute(TENANT, job.id, renamed, revision=present.revision)
