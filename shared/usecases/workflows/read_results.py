"""The request of a task that needs results of other tasks."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError, UnavailableError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.results import NeededTask, body_with_results, needed_tasks, with_json_type
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.workflows import RunStore
from shared.usecases.workflows.read_revision import ReadRevision


def context_of(execution_id: ExecutionId) -> str:
    """What a sealed result is bound to."""
    return f"result|{execution_id}"


@dataclass(frozen=True, slots=True)
class ReadResults:
    """A strong read of the run, and one for the executions with the results. Every attempt finds the same values."""

    runs: RunStore
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
        needed = self._needed(execution)
        ids = [task.execution_id for task in needed if task.execution_id is not None]
        found = self.executions.get_many(ids) if ids else {}
        results = [(task, self._result(tenant, task, found)) for task in needed]
        return replace(
            request,
            headers=with_json_type(request.headers),
            body=body_with_results(request.body, results),
        )

    def _needed(self, execution: Execution) -> list[NeededTask]:
        run = self.runs.get(execution.task.run) if execution.task is not None else None
        workflow = self.read_revision.execute(run) if run is not None else None
        if execution.task is None or run is None or workflow is None:
            raise UnreadableItemError("the run of this task is gone")
        try:
            return needed_tasks(run, workflow.graph, execution.task.key)
        except InvalidValueError as error:
            raise UnreadableItemError("the run of this task goes on in another epoch") from error

    def _result(self, tenant: Tenant, task: NeededTask, found: dict[ExecutionId, Execution]) -> bytes:
        if task.execution_id is None:
            return b""
        succeeded = found.get(task.execution_id)
        if succeeded is None or not succeeded.progress.result:
            raise UnreadableItemError(f"the result of task {task.key} is gone")
        return self.vault.unseal(tenant, context_of(succeeded.id), succeeded.progress.result)
