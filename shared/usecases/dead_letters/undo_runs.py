"""Undo the redrives of runs: a run whose tasks have not started is cancelled."""

from collections.abc import Iterator, Sequence
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.errors import InvalidStateError, NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.map_items import item_execution_id
from shared.domain.workflows.run import Run, TaskProgress, TaskState
from shared.domain.workflows.run_rules import execution_of
from shared.domain.workflows.task_map import MAX_ITEMS
from shared.domain.workflows.workflow import Workflow
from shared.ports.executions import ExecutionStore
from shared.ports.workflows import MapStore, RunStore
from shared.usecases.dead_letters.judge_run_letters import read_runs
from shared.usecases.dead_letters.run_plan import MOST_EXECUTIONS
from shared.usecases.workflows.cancel_run import CancelRun
from shared.usecases.workflows.read_revision import ReadRevision
from shared.usecases.workflows.read_tasks import read_tasks

READ_AT_ONCE = 100
_CALLED = frozenset({TaskState.SUCCEEDED, TaskState.FAILED})


@dataclass(frozen=True, slots=True)
class UndoRuns:
    """Safe to repeat. A task that starts between the last look and the cancellation has its last attempt."""

    runs: RunStore
    maps: MapStore
    store: ExecutionStore
    read_revision: ReadRevision
    cancel: CancelRun

    def own(self, task: RedriveTask, dead: Sequence[Execution]) -> tuple[dict[int, Run], int]:
        """The runs that the bulk redrive has begun, by the position of their dead letters; and where the page ends,
        because its runs may have too many executions."""
        ids = {index: each.task.run for index, each in enumerate(dead) if each.task is not None}
        known = read_runs(self.runs, list(ids.values())) if ids else {}
        own, executions = dict[int, Run](), 0
        for index, run_id in ids.items():
            run = known.get(run_id)
            begun = run.bulk_redrive if run is not None else None
            if run is None or begun is None or (begun.task, begun.dead_letter) != (task.id, dead[index].id):
                continue
            executions += self._most(run)
            if own and executions > MOST_EXECUTIONS:
                return own, index
            own[index] = run
        return own, len(dead)

    def execute(self, run: Run) -> bool:
        """Whether no task of the epoch has started, and none ever will. ServiceError or UnknownVersionError."""
        workflow = self.read_revision.execute(run)
        if workflow is None or self._has_started(workflow, run):
            return False
        try:
            cancelled = self.cancel.stop(workflow, run, epoch=run.epoch)
        except (InvalidStateError, NotFoundError):
            return False
        return not self._has_started(workflow, cancelled)

    def _most(self, run: Run) -> int:
        workflow = self.read_revision.execute(run)
        nodes = workflow.graph.nodes if workflow is not None else ()
        return sum(1 if node.map is None else MAX_ITEMS for node in nodes)

    def _has_started(self, workflow: Workflow, run: Run) -> bool:
        ids = list[ExecutionId]()
        for index, task in enumerate(run.tasks):
            node = workflow.graph.nodes[index]
            if node.map is not None and task is not None and task.epoch == run.epoch:
                items = self.maps.get(run.id, node.key)
                present = enumerate(items.items or ()) if items is not None else ()
                pairs = [
                    (item, item_execution_id(run, items, position)) for position, item in present if items
                ]
            else:
                pairs = [(task, execution_of(run, workflow.graph, index))] if task is not None else []
            chosen = [(each, key) for each, key in pairs if each.epoch == run.epoch and key is not None]
            if any(_has_ended(each) for each, _ in chosen):
                return True
            ids += [key for _, key in chosen]
        return any(map(_is_started, self._executions(ids)))

    def _executions(self, ids: Sequence[ExecutionId]) -> Iterator[Execution]:
        left = iter(ids)
        while part := list(islice(left, READ_AT_ONCE)):
            # A broken execution is called by no worker.
            yield from read_tasks(self.store, part)[0].values()


def _has_ended(task: TaskProgress) -> bool:
    return task.state in _CALLED


def _is_started(execution: Execution) -> bool:
    is_uncalled = execution.state is State.CANCELLED and execution.attempt == 0
    return execution.state not in NOT_STARTED and not is_uncalled
