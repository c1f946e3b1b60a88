"""Bulk operations on jobs while ports throttle, answers are lost, workers crash or stand still, and ticks come twice.

The jobs are far from due, so that nothing but the operation changes them.
"""

from functools import partial

import pytest

from shared.bootstrap.use_cases import UseCases
from shared.domain.bulk.actions import BulkAction
from shared.domain.bulk.job_task import HOUR_MS, JobTask, JobTaskState, NewJobTask
from shared.domain.bulk.task import SETTLED_MS
from shared.domain.delivery.request import Request
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import NewJob
from shared.domain.listings.filters import JobFilter
from shared.domain.schedules.timing import Every
from tests.simulation.faults import HEALED, FaultMix
from tests.simulation.requests import request
from tests.simulation.world import TENANTS, World

MINUTE_MS = 60_000
MIX = FaultMix(
    throttle=0.02,
    lose_answer=0.02,
    repeat=0.02,
    slow_transaction=0.02,
    crash=0.02,
    freeze=0.002,
    impatient_client=0.3,
    miss_tick=0.1,
    double_tick=0.4,
)
COUNT, STORM_MINUTES, CALM_MINUTES = 8, 4, 8
TENANT = TENANTS[0]
ALL = JobFilter(recurs=True, is_live=True)


class Client:
    """Creates jobs in calm weather, and starts and undoes one operation in any."""

    def __init__(self, seed: int) -> None:
        self.world = World(seed, FaultMix())
        self.task_id = ""
        for number in range(COUNT):
            request(self.world, "client", partial(self._create, number), self.world.hub.now_ms)
        self._run(1)
        self.world.functions.start_ticks(lambda: self.world.hub.now_ms + MINUTE_MS)

    def _create(self, number: int, cases: UseCases) -> None:
        new = NewJob(
            timing=Every(rate_seconds=86_400, start_at=self.world.hub.now_ms + 24 * HOUR_MS),
            request=Request(method="POST", url="https://receiver.example/hook"),
        )
        cases.jobs.create_job.execute(self.world.tenant(TENANT), new, f"job{number}")

    def storm(self, minutes: int) -> None:
        """Let everything go wrong for some minutes, and nothing for some more."""
        self.world.weather.mix = MIX
        self._run(minutes)
        self.world.weather.mix = HEALED
        self._run(CALM_MINUTES)

    def start(self, action: BulkAction, grace_ms: int = 0) -> None:
        new = NewJobTask(criteria=ALL, action=action, rate=2, grace_ms=grace_ms)
        request(self.world, "client", partial(self._start, new), self.world.hub.now_ms)

    def _start(self, new: NewJobTask, cases: UseCases) -> None:
        started = cases.bulk.start_job_task.execute(self.world.tenant(TENANT), new, key="bulk")
        self.task_id = started.task.id
        if not started.replayed:
            cases.bulk.process_job_tasks.first_page(started.task)

    def undo(self) -> None:
        request(self.world, "client", self._undo, self.world.hub.now_ms)

    def _undo(self, cases: UseCases) -> None:
        if self.task_id:
            cases.bulk.change_job_task.undo(TENANT, self.task_id)

    def _run(self, minutes: int) -> None:
        self.world.hub.run_until(self.world.hub.now_ms + minutes * MINUTE_MS)

    @property
    def task(self) -> JobTask:
        return self.world.job_tasks.tasks[TENANT, self.task_id]

    @property
    def jobs(self) -> list[Job]:
        return [job for job in self.world.table.jobs.values() if job.tenant_id == TENANT]

    @property
    def states(self) -> set[JobState]:
        return {job.state for job in self.jobs}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("action", [BulkAction.PAUSE, BulkAction.TRIGGER, BulkAction.DELETE])
def test_job_takes_the_action_once_and_is_counted_once(action: BulkAction, seed: int) -> None:
    client = Client(seed)
    client.start(action)
    client.storm(STORM_MINUTES)
    assert client.task.state is JobTaskState.FINISHED
    assert (client.task.counts.done, client.task.counts.examined) == (COUNT, COUNT)
    goal = {BulkAction.PAUSE: JobState.PAUSED, BulkAction.DELETE: JobState.DELETED}
    assert client.states == {goal.get(action, JobState.ACTIVE)}
    rows = [row.execution for row in client.world.table.executions.values()]
    runs = [one.job_id for one in rows if one.recurrence is None]
    assert sorted(runs) == sorted(job.id for job in client.jobs if action is BulkAction.TRIGGER)
    client.world.hub.close()


@pytest.mark.parametrize("seed", range(12))
def test_undo_in_the_midst_of_an_operation_leaves_every_job_as_it_was(seed: int) -> None:
    client = Client(seed)
    client.start(BulkAction.PAUSE)
    client.world.weather.mix = MIX
    client.world.hub.run_until(client.world.hub.now_ms + 2_500)
    client.undo()
    client.storm(STORM_MINUTES + SETTLED_MS // MINUTE_MS)
    if client.task.undo_asked_at is None:  # The operation was acknowledged later than the undo was asked for.
        client.undo()
        client.storm(STORM_MINUTES + SETTLED_MS // MINUTE_MS)
    assert client.task.state is JobTaskState.UNDONE
    assert client.states == {JobState.ACTIVE}
    assert client.task.counts.changed_since == 0
    client.world.hub.close()


@pytest.mark.parametrize("seed", range(6))
def test_deletion_after_its_grace_deletes_every_job(seed: int) -> None:
    client = Client(seed)
    client.start(BulkAction.DELETE, grace_ms=HOUR_MS)
    client.storm(100)
    assert (client.task.state, client.task.counts.deleted) == (JobTaskState.FINISHED, COUNT)
    assert client.states == {JobState.DELETED}
    client.world.hub.close()
