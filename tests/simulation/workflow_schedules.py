"""Clients of jobs that start workflows, and the judge of what their executions and runs came to."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from random import Random

from shared.bootstrap.use_cases import UseCases
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import ONE_ATTEMPT
from shared.domain.errors import InvalidStateError, NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob, Recurring
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.timing import Every
from shared.domain.workflows.run import Run, RunState
from tests.simulation.evidence import Arrival
from tests.simulation.requests import request
from tests.simulation.workflow_clients import (
    LOAD_MS,
    MINUTE_MS,
    TENANT,
    WORKFLOWS,
    WorkflowClients,
    drawn_input,
)
from tests.simulation.world import World

JOBS, RUNS_OF_EACH = 4, 3
TRIGGERED, PAUSED, DELETED = 0.6, 0.4, 0.3
SKEW_MS = 5_000
"""The instants of two runs come from clocks that differ."""
ENDS = {
    RunState.SUCCEEDED: State.SUCCEEDED,
    RunState.FAILED: State.FAILED,
    RunState.TIMED_OUT: State.FAILED,
    RunState.CANCELLED: State.CANCELLED,
}


@dataclass(slots=True, kw_only=True)
class ScheduledJob:
    """One job, as its client knows it."""

    workflow: str
    policy: OverlapPolicy
    text: bytes = b""
    """The input of its runs, as an event gives one to a run; empty for none."""
    job_id: str | None = None
    deleted_acked_at: int | None = None
    running: dict[str, int] = field(default_factory=dict)
    """What ran when the deletion was acknowledged: the attempt of each execution."""


class ScheduleClients:
    """Every request is repeated until it is answered."""

    def __init__(self, clients: WorkflowClients, rng: Random) -> None:
        self.world, self.clients, self.rng = clients.world, clients, rng
        self.jobs: list[ScheduledJob] = []

    def start_load(self) -> None:
        """Jobs over the time of the load; some are triggered, paused and resumed, or deleted."""
        for number in range(JOBS):
            job = ScheduledJob(
                workflow=f"w{self.rng.randrange(WORKFLOWS)}",
                policy=self.rng.choice(tuple(OverlapPolicy)),
                text=drawn_input(self.world, f"job {number}"),
            )
            self.jobs.append(job)
            at_ms = self.world.hub.now_ms + self.rng.randint(0, LOAD_MS // 2)
            self._ask(partial(self._create, job, f"job{number}"), at_ms)
            if self.rng.random() < TRIGGERED:
                self._ask(partial(self._trigger, job, f"trigger{number}"), at_ms + self._later_ms())
            if self.rng.random() < PAUSED:
                paused_at = at_ms + self._later_ms()
                self._ask(partial(self._pause, job), paused_at)
                self._ask(partial(self._resume, job), paused_at + 3 * MINUTE_MS)
            if self.rng.random() < DELETED:
                self._ask(partial(self._delete, job), at_ms + self._later_ms())

    def _later_ms(self) -> int:
        return self.rng.randint(10_000, 4 * MINUTE_MS)

    def _ask(self, act: Callable[[UseCases], None], at_ms: int) -> None:
        request(self.world, "client", act, at_ms)

    def _create(self, job: ScheduledJob, key: str, cases: UseCases) -> None:
        new = NewJob(
            timing=Every(60),
            request=Request(workflow_id=self.clients.workflows[job.workflow].id, body=job.text),
            retry=ONE_ATTEMPT,
            recurring=Recurring(overlap_policy=job.policy, max_runs=RUNS_OF_EACH),
        )
        created = cases.jobs.create_job.execute(self.world.tenant(TENANT), new, key).job
        assert isinstance(created, Job)
        job.job_id = created.id

    def _trigger(self, job: ScheduledJob, key: str, cases: UseCases) -> None:
        if job.job_id is not None:
            try:
                cases.jobs.trigger_job.execute(self.world.tenant(TENANT), job.job_id, key)
            except (InvalidStateError, NotFoundError):
                return

    def _pause(self, job: ScheduledJob, cases: UseCases) -> None:
        if job.job_id is not None:
            try:
                cases.core.lifecycle.pause.execute(TENANT, job.job_id)
            except (InvalidStateError, NotFoundError):
                return

    def _resume(self, job: ScheduledJob, cases: UseCases) -> None:
        if job.job_id is not None:
            try:
                cases.core.lifecycle.resume.execute(TENANT, job.job_id)
            except (InvalidStateError, NotFoundError):
                return

    def _delete(self, job: ScheduledJob, cases: UseCases) -> None:
        if job.job_id is None:
            return
        cases.core.cancel_job.execute(TENANT, job.job_id)
        if job.deleted_acked_at is None:
            job.deleted_acked_at = self.world.hub.now_ms
            rows = (row.execution for row in self.world.table.executions.values())
            job.running = {
                str(each.id): each.attempt
                for each in rows
                if each.task is not None and each.state is State.RUNNING
            }


def judge_call(arrival: Arrival, run: Run, schedules: ScheduleClients) -> Iterator[str]:
    """No task of a job's run is called after the deletion of the job, but for attempts that ran already, and for a run
    that was redriven."""
    for job in schedules.jobs:
        is_of_job = run.parent is not None and run.parent.job_id == job.job_id and run.epoch == 1
        is_last = job.running.get(arrival.execution_id) == arrival.attempt
        if is_of_job and job.deleted_acked_at is not None and not is_last:
            yield f"{arrival.url} was called after its job was deleted"


def judge_schedules(world: World, schedules: ScheduleClients) -> Iterator[str]:
    """Each run has one execution, which ended as its first epoch did; the first epochs of the runs of a job overlap as
    its policy wants."""
    runs = {item.run.parent.execution: item.run for item in world.table.runs.values() if item.run.parent}
    rows = [row.execution for row in world.table.executions.values()]
    parents = {each.id: each for each in rows if each.call.workflow_id is not None}
    for execution_id, run in runs.items():
        parent = parents.get(execution_id)
        if parent is None or (run.epoch == 1 and parent.state is not ENDS.get(run.state)):
            yield f"{run.id} is {run.state}, and {execution_id} {parent and parent.state}"
    for parent in parents.values():
        if parent.state in (State.SUCCEEDED, State.FAILED) and parent.id not in runs:
            yield f"{parent.id} is {parent.state} without a run"
        if parent.attempt > 1:
            yield f"{parent.id} has had {parent.attempt} attempts"
    for job in schedules.jobs:
        if job.policy is not OverlapPolicy.ALLOW:
            yield from _judge_overlap(job, parents.values(), runs)


def _judge_overlap(
    job: ScheduledJob, parents: Iterable[Execution], runs: Mapping[ExecutionId, Run]
) -> Iterator[str]:
    guarded = [each for each in parents if each.job_id == job.job_id and each.recurrence]
    first = [run for each in guarded if (run := runs.get(each.id)) is not None and run.epoch == 1]
    for one, other in combinations(first, 2):
        if _had_begun(one, other) and _had_begun(other, one):
            yield f"{one.id} and {other.id} ran at the same time, under {job.policy}"


def _had_begun(run: Run, other: Run) -> bool:
    """Whether this run began before the other one ended, by any two clocks: their order is not known."""
    return run.created_at + SKEW_MS < (other.ended_at or 0)
