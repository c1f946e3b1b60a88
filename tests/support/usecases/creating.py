"""Requests that create several jobs."""

from collections.abc import Sequence
from dataclasses import replace

from shared.domain.delivery.request import INLINE_BYTES
from shared.domain.executions.execution import Execution
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once
from shared.domain.schedules.timing import Timing
from shared.usecases.jobs.create_job import CreatedJob
from shared.usecases.jobs.create_jobs import Outcome
from tests.support.usecases.world import EARLY, REQUEST, World

LARGE = replace(REQUEST, body=b"x" * INLINE_BYTES)
PAST = Once(at=EARLY - 3_600_000)


def new(timing: Timing, **fields: object) -> NewJob:
    """One member of a request."""
    return NewJob(timing=timing, **({"request": REQUEST} | fields))  # type: ignore[arg-type]


def create(
    world: World, wanted: Sequence[NewJob | None], key: str | None = None, spelling: bytes = b"body"
) -> list[Outcome | None]:
    """One request; None is a member that was refused before."""
    return world.create_jobs.execute(world.tenant, wanted, spelling=spelling, idempotency_key=key)


def executions(outcomes: Sequence[Outcome | None]) -> list[Execution]:
    """The executions of a batch of one-off jobs that were all accepted."""
    jobs = [outcome.job for outcome in outcomes if isinstance(outcome, CreatedJob)]
    assert len(jobs) == len(outcomes), outcomes
    return [job for job in jobs if isinstance(job, Execution)]


def kinds(outcomes: Sequence[Outcome | None]) -> list[type]:
    """The type of each result."""
    return [type(outcome) for outcome in outcomes]
