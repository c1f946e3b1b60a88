"""Clients that redrive the failed runs of a workflow in bulk, and undo some of the redrives; and their promises.

They are drawn from a stream of their own, so that seeds without them run as they would without this file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from shared.bootstrap.use_cases import UseCases
from shared.domain.dead_letters.redrive_task import TaskState
from shared.domain.errors import InvalidStateError
from shared.domain.ids import ExecutionId
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.workflows.run import Run, RunState
from shared.domain.workflows.run import TaskState as RunTaskState
from shared.usecases.dead_letters.start_redrive import NewRedrive
from tests.simulation.requests import request
from tests.simulation.workflow_clients import LOAD_MS, MINUTE_MS, TENANT, WorkflowClients

SHARE = 0.5
"""So many runs of the simulation have such clients."""
MOST = 5
OF_ONE = 0.5
"""How often a bulk redrive takes one workflow, and not all dead letters."""
UNDONE = 0.3


@dataclass(slots=True, kw_only=True)
class Bulk:
    """A bulk redrive as its client knows it."""

    workflow: str | None
    """None for all dead letters."""
    key: str
    rate: int
    task_id: str | None = None
    is_refused: bool = False
    """Another one of the tenant is still open."""
    is_undo_asked: bool = False
    """The answer may have been lost."""
    is_undone: bool = False
    failed: dict[ExecutionId, int] | None = None
    """The epoch of each run that had failed with a dead letter when the request was sent first."""


class BulkClients:
    """Every request is repeated until it is answered."""

    def __init__(self, clients: WorkflowClients, rng: Random) -> None:
        self._clients, self._world, self._rng = clients, clients.world, rng
        self.bulks: list[Bulk] = []

    def start_load(self) -> None:
        """In a share of the seeds, some bulk redrives over the time of the load and the minutes after it."""
        if self._rng.random() >= SHARE:
            return
        names = sorted(self._clients.workflows)
        for number in range(self._rng.randint(1, MOST)):
            rate = self._rng.choice((1, 10, 100))
            workflow = self._rng.choice(names) if self._rng.random() < OF_ONE else None
            bulk = Bulk(workflow=workflow, key=f"bulk{number}", rate=rate)
            self.bulks.append(bulk)
            at_ms = self._world.hub.now_ms + self._rng.randint(MINUTE_MS, LOAD_MS + 10 * MINUTE_MS)
            request(self._world, "client", partial(self._start, bulk), at_ms)
            if self._rng.random() < UNDONE:
                later_ms = at_ms + self._rng.choice((500, 5_000, 2 * MINUTE_MS))
                request(self._world, "client", partial(self._undo, bulk), later_ms)

    def faults(self) -> Iterator[str]:
        """When everything is at rest: each bulk redrive has ended, and each run that had failed was redriven."""
        for bulk in self.bulks:
            if bulk.is_refused:
                continue
            task = self._world.redrives.get(TENANT, bulk.task_id) if bulk.task_id is not None else None
            states = {TaskState.UNDONE} if bulk.is_undone else {TaskState.FINISHED}
            if bulk.is_undo_asked:
                states.add(TaskState.UNDONE)
            if task is None or task.state not in states:
                yield f"the bulk redrive {bulk.key} is {task}"
                continue
            for run_id, epoch in (bulk.failed or {}).items():
                run = self._world.runs.get(run_id)
                is_left = run is None or (run.epoch <= epoch and not self._is_redriven_by_its_job(run))
                if not bulk.is_undo_asked and is_left:
                    yield f"{run_id} had failed in epoch {epoch}, and {bulk.task_id} left it: {task.counts}"

    def _is_redriven_by_its_job(self, run: Run) -> bool:
        """Whether the execution that started the run was redriven: that started a new run for the same work."""
        if run.parent is None:
            return False
        parent = self._world.table.executions[run.parent.execution].execution
        return parent.progress.redriven_by is not None

    def _start(self, bulk: Bulk, cases: UseCases) -> None:
        workflow_id = None if bulk.workflow is None else self._clients.workflows[bulk.workflow].id
        if bulk.failed is None:
            bulk.failed = self._failed(workflow_id)
        new = NewRedrive(criteria=DeadLetterFilter(job_id=workflow_id), rate=bulk.rate)
        try:
            made = cases.dead_letters.start_redrive.execute(self._world.tenant(TENANT), new, bulk.key)
        except InvalidStateError:
            bulk.is_refused = bulk.task_id is None
            return
        bulk.task_id, bulk.is_refused = made.task.id, False

    def _failed(self, workflow_id: str | None) -> dict[ExecutionId, int]:
        """Among all dead letters, a run that a job started may be left to the execution of that job."""
        runs = [item.run for item in self._world.table.runs.values()]
        return {
            run.id: run.epoch
            for run in runs
            if run.state is RunState.FAILED
            and (run.workflow_id == workflow_id or (workflow_id is None and run.parent is None))
            and any(
                task is not None and task.state is RunTaskState.FAILED and task.reason is None
                for task in run.tasks
            )
        }

    def _undo(self, bulk: Bulk, cases: UseCases) -> None:
        if bulk.task_id is None:
            return
        bulk.is_undo_asked = True
        try:
            task = cases.dead_letters.undo_redrive.execute(TENANT, bulk.task_id)
        except InvalidStateError:
            return
        bulk.is_undone = task.state in (TaskState.UNDOING, TaskState.UNDONE)
