"""What changes of jobs cost, in counted units."""

from collections.abc import Callable
from dataclasses import replace

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once
from shared.domain.schedules.timing import After, Every
from tests.bench.counting import REQUEST, Cost, cost_of, marks_of
from tests.bench.world import World
from tests.support.fakes.sender import in_turn, succeeds

JOBS = 50
FAR_SECONDS = 1_800
HOUR_SECONDS = 3_600
EDIT, MOVE, PAUSE, RESUME, DELETE_PAUSED, RETRY = 1.0, 5.0, 3.0, 7.0, 3.0, 4.0
"""The most that each may cost. A move is a transaction of two items, which cost double, and of the index. A deletion
removes the definition from the index of those that have not ended."""
REDRIVE = 6.0
"""Filed with its index, claimed and completed as any execution; a mark on the dead letter, and one in the history."""


def edits(made: World) -> Cost:
    """Another body for a one-off job, in place."""
    jobs = _one_offs(made)
    marks = marks_of(made)
    for job in jobs:
        _revise(made, job, job.nominal_at, body=b"{}")
    return cost_of(made, "edit of a one-off", marks, JOBS, EDIT)


def moves(made: World) -> Cost:
    """Another time for a one-off job."""
    jobs = _one_offs(made)
    marks = marks_of(made)
    for job in jobs:
        _revise(made, job, job.nominal_at + HOUR_SECONDS * 1000, body=REQUEST.body)
    return cost_of(made, "reschedule of a one-off", marks, JOBS, MOVE)


def pauses(made: World) -> Cost:
    """A recurring job that is on time."""
    return _each(made, "pause", PAUSE, _recurring(made), _pause)


def resumes(made: World) -> Cost:
    """One that was paused."""
    return _each(made, "resume", RESUME, _paused(made), _resume)


def deletions(made: World) -> Cost:
    """One that was paused, with nothing passed over."""
    return _each(made, "delete of a paused job", DELETE_PAUSED, _paused(made), _delete)


def retries(made: World) -> Cost:
    """What one failed attempt adds: its claim, its outcome, and the row of the index while the retry waits."""
    once = _attempts(made, attempts=1)
    twice = _attempts(made, attempts=2)
    return replace(twice, write_units=twice.write_units - once.write_units)


def redrives(made: World) -> Cost:
    """A dead letter that is redriven and succeeds, from the request to the recorded outcome."""
    gone = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
    made.sender.answer_to = in_turn(gone)
    dead = [
        made.create_job.execute(made.tenant, NewJob(timing=After(0), request=REQUEST)).job
        for _ in range(JOBS)
    ]
    made.clock.time_ms += 2_000
    made.work()
    made.sender.answer_to = succeeds
    redrive = made.cases.dead_letters.redrive_execution
    marks = marks_of(made)
    for job in dead:
        assert isinstance(job, Execution)
        redrive.execute(job.tenant_id, str(job.id))
    made.work()
    return cost_of(made, "redrive", marks, JOBS, REDRIVE)


def _attempts(made: World, *, attempts: int) -> Cost:
    """Jobs that succeed at their last attempt."""
    down = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
    ok = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
    retry = RetryPolicy(max_attempts=2, base_seconds=1, cap_seconds=1)
    marks = marks_of(made)
    for _ in range(JOBS):
        made.sender.answer_to = in_turn(*[down] * (attempts - 1), ok)
        made.create_job.execute(made.tenant, NewJob(timing=After(0), request=REQUEST, retry=retry))
        for _ in range(attempts):
            made.clock.time_ms += 2_000
            made.work()
    made.sender.answer_to = succeeds
    return cost_of(made, "a failed attempt and its retry", marks, JOBS, RETRY)


def _each(made: World, name: str, limit: float, jobs: list[Job], act: Callable[[World, Job], object]) -> Cost:
    marks = marks_of(made)
    for job in jobs:
        act(made, job)
    return cost_of(made, name, marks, JOBS, limit)


def _pause(made: World, job: Job) -> Job:
    return made.lifecycle.pause.execute(job.tenant_id, job.id)


def _resume(made: World, job: Job) -> Job:
    return made.lifecycle.resume.execute(job.tenant_id, job.id)


def _delete(made: World, job: Job) -> Job:
    return made.lifecycle.delete.execute(job.tenant_id, job.id)


def _one_offs(made: World) -> list[Execution]:
    wanted = NewJob(timing=After(FAR_SECONDS), request=REQUEST)
    jobs = [made.create_job.execute(made.tenant, wanted).job for _ in range(JOBS)]
    return [job for job in jobs if isinstance(job, Execution)]


def _recurring(made: World) -> list[Job]:
    wanted = NewJob(timing=Every(HOUR_SECONDS), request=REQUEST)
    jobs = [made.create_job.execute(made.tenant, wanted).job for _ in range(JOBS)]
    return [job for job in jobs if isinstance(job, Job)]


def _paused(made: World) -> list[Job]:
    return [_pause(made, job) for job in _recurring(made)]


def _revise(made: World, job: Execution, due_at: int, *, body: bytes) -> None:
    new = NewJob(timing=Once(at=due_at), request=replace(REQUEST, body=body))
    made.revise_job.execute(made.tenant, job, REQUEST, new, revision=job.revision)


CHANGES = (edits, moves, pauses, resumes, deletions, retries, redrives)
