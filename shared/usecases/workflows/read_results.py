"""The request of a task that needs results of other tasks."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError, UnavailableError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.results import (
    MapElement,
    NeededTask,
    body_with_results,
    needed_task,
    needed_tasks,
    with_json_type,
)
from shared.domain.workflows.run import Run, TaskReason
from shared.domain.workflows.workflow import Workflow
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.workflows import MapStore, RunStore
from shared.usecases.workflows.read_revision import ReadRevision


def context_of(execution_id: ExecutionId) -> str:
    """What a sealed result is bound to."""
    return f"result|{execution_id}"


def context_of_map(run_id: ExecutionId, key: str) -> str:
    """What the sealed result of a map is bound to."""
    return f"result|{run_id}|{key}"


@dataclass(frozen=True, slots=True)
class ReadResults:
    """A strong read of the run, and one for the executions with the results. Every attempt finds the same values."""

    runs: RunStore
    maps: MapStore
    read_revision: ReadRevision
    executions: ExecutionStore
    vault: Vault

    def execute(self, tenant: Tenant, execution: Execution, request: Request) -> Request:
        """The request with the results in its body.

        UnreadableItemError if the run or a result is lost for good, UnavailableError if one cannot be read now.
        """
        try:
            return self._with_results(tenant, execution, request)
        except UnknownVersionError as error:
            # Another attempt of a newer release can read it: this one must not count.
            raise UnavailableError("a newer release has stored a result or its run") from error

    def _with_results(self, tenant: Tenant, execution: Execution, request: Request) -> Request:
        run, workflow = self._run_of(execution)
        needed, source = self._needed(execution, run, workflow)
        ids = [task.execution_id for task in (*needed, *source) if task.execution_id is not None]
        found = self.executions.get_many(ids) if ids else {}
        results = [(task, self._result(tenant, run, task, found)) for task in needed]
        element = None
        for task in source:
            element = _element(execution, workflow, self._result(tenant, run, task, found))
        return replace(
            request,
            headers=with_json_type(request.headers),
            body=body_with_results(request.body, results, element),
        )

    def _run_of(self, execution: Execution) -> tuple[Run, Workflow]:
        run = self.runs.get(execution.task.run) if execution.task is not None else None
        workflow = self.read_revision.execute(run) if run is not None else None
        if run is None or workflow is None:
            raise UnreadableItemError("the run of this task is gone")
        return run, workflow

    def _needed(
        self, execution: Execution, run: Run, workflow: Workflow
    ) -> tuple[list[NeededTask], list[NeededTask]]:
        """The tasks whose results the request contains, and that whose result has the array of a map."""
        assert execution.task is not None
        key, graph = execution.task.key, workflow.graph
        task_map = graph.nodes[graph.indexes()[key]].map
        try:
            source = [needed_task(run, graph, task_map.over)] if task_map is not None else []
            return needed_tasks(run, graph, key), source
        except InvalidValueError as error:
            raise UnreadableItemError("the run of this task goes on in another epoch") from error

    def _result(
        self, tenant: Tenant, run: Run, task: NeededTask, found: dict[ExecutionId, Execution]
    ) -> bytes:
        if task.is_map:
            items = self.maps.get(run.id, task.key)
            if items is None or not items.result:
                raise UnreadableItemError(f"the result of task {task.key} is gone")
            return self.vault.unseal(tenant, context_of_map(run.id, task.key), items.result)
        if task.execution_id is None:
            return b""
        succeeded = found.get(task.execution_id)
        if succeeded is None or not succeeded.progress.result:
            raise UnreadableItemError(f"the result of task {task.key} is gone")
        return self.vault.unseal(tenant, context_of(succeeded.id), succeeded.progress.result)


def _element(execution: Execution, workflow: Workflow, text: bytes) -> MapElement:
    """UnreadableItemError if the array is not the one that was counted."""
    # Imported late: most tasks with results are no items of a map.
    from shared.domain.workflows.map_items import elements

    graph, task = workflow.graph, execution.task
    task_map = graph.nodes[graph.indexes()[task.key]].map if task is not None else None
    found = elements(text, task_map.path) if task_map is not None and text else TaskReason.MAP_MISSING
    if task is None or task.item is None or isinstance(found, TaskReason) or len(found) != task.items:
        raise UnreadableItemError("the array of this map is gone")
    return MapElement(position=task.item, count=task.items, text=found[task.item])
