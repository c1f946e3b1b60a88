"""What only a process with the keys of tenants can do for a map: count its array, and join the results of its items."""

from shared.dataclass import dataclass
from shared.domain.errors import UnavailableError, UnknownVersionError, UnreadableItemError
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.map_items import MapItems, elements, item_execution_id, joined
from shared.domain.workflows.results import needed_task
from shared.domain.workflows.run import Run, TaskReason, TaskState
from shared.domain.workflows.workflow import Workflow
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.workflows import MapStore
from shared.usecases.reading.read_executions import read_known
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.workflows.read_results import context_of, context_of_map


@dataclass(frozen=True, slots=True)
class MapResults:
    """Strong reads. UnavailableError if something cannot be read now."""

    maps: MapStore
    executions: ExecutionStore
    read_tenant: ReadTenant
    vault: Vault

    def count(self, workflow: Workflow, run: Run, index: int) -> int | TaskReason:
        """How many elements the array of a map has, or why the map cannot begin. Always the same within a run."""
        task_map = workflow.graph.nodes[index].map
        source = needed_task(run, workflow.graph, task_map.over) if task_map is not None else None
        if task_map is None or source is None:
            return TaskReason.MAP_MISSING
        tenant = self._tenant(run)
        try:
            if source.is_map:
                items = self.maps.get(run.id, source.key)
                text = self._opened(
                    tenant, context_of_map(run.id, source.key), items.result if items else b""
                )
            else:
                text = self._result_of(tenant, source.execution_id)
        except UnknownVersionError as error:
            raise UnavailableError("a newer release has stored the result") from error
        except UnreadableItemError:
            return TaskReason.RESULT_LOST
        found = elements(text, task_map.path)
        return found if isinstance(found, TaskReason) else len(found)

    def join(self, run: Run, items: MapItems) -> bytes | TaskReason:
        """The sealed array of the results of all items that have succeeded, and null for each of the others.

        Those of earlier epochs are in the record already: their executions may have expired.
        """
        tenant = self._tenant(run)
        before: list[bytes] = []
        try:
            if items.result:
                context = context_of_map(run.id, items.key)
                kept = elements(self._opened(tenant, context, items.result), "")
                before = list(kept) if not isinstance(kept, TaskReason) else []
            parts = self._parts(tenant, run, items, before)
        except UnknownVersionError as error:
            raise UnavailableError("a newer release has stored a result") from error
        except UnreadableItemError:
            return TaskReason.RESULT_LOST
        return self.vault.seal(tenant, context_of_map(run.id, items.key), joined(parts))

    def _parts(self, tenant: Tenant, run: Run, items: MapItems, before: list[bytes]) -> list[bytes]:
        succeeded = {
            position: execution_id
            for position, item in enumerate(items.items or ())
            if item.state is TaskState.SUCCEEDED
            and (execution_id := item_execution_id(run, items, position)) is not None
        }
        fresh = {
            position: execution_id
            for position, execution_id in succeeded.items()
            if position >= len(before) or (items.items or ())[position].epoch == items.epoch
        }
        found = read_known(self.executions, list(fresh.values())) if fresh else {}
        parts = []
        for position in range(len(items.items or ())):
            if position in fresh:
                execution = found.get(fresh[position])
                sealed = execution.progress.result if execution is not None else b""
                parts.append(self._opened(tenant, context_of(fresh[position]), sealed))
            else:
                parts.append(before[position] if position in succeeded else b"null")
        return parts

    def _result_of(self, tenant: Tenant, execution_id: ExecutionId | None) -> bytes:
        if execution_id is None:
            raise UnreadableItemError("the task has no result")
        succeeded = self.executions.get(execution_id)
        sealed = succeeded.progress.result if succeeded is not None else b""
        return self._opened(tenant, context_of(execution_id), sealed)

    def _opened(self, tenant: Tenant, context: str, sealed: bytes) -> bytes:
        if not sealed:
            raise UnreadableItemError("the result is gone")
        return self.vault.unseal(tenant, context, sealed)

    def _tenant(self, run: Run) -> Tenant:
        tenant = self.read_tenant.execute(run.tenant_id)
        if tenant is None:
            raise UnavailableError("the tenant is being deleted")
        return tenant
