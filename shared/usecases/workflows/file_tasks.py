"""File the executions of chosen tasks."""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.errors import PunctualError
from shared.domain.workflows.run import Run
from shared.domain.workflows.workflow import Workflow, task_execution
from shared.ports.runtime import Clock
from shared.usecases.filing.file_batch import FileBatch
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True, slots=True)
class FileTasks:
    """Safe to repeat: each process files the same execution for a task."""

    file_batch: FileBatch
    read_tenant: ReadTenant
    clock: Clock

    def execute(self, workflow: Workflow, run: Run, indexes: Sequence[int]) -> None:
        """The tasks must be chosen in the stored run. UnavailableError if one of them may not be filed."""
        self._file(workflow, run, [(index, None) for index in indexes])

    def items(self, workflow: Workflow, run: Run, index: int, positions: Sequence[int], count: int) -> None:
        """The same for items of a chosen map, whose array has `count` elements."""
        self._file(workflow, run, [(index, position) for position in positions], count)

    def _file(
        self, workflow: Workflow, run: Run, chosen: Sequence[tuple[int, int | None]], items: int = 0
    ) -> None:
        tenant = self.read_tenant.execute(run.tenant_id) if chosen else None
        if tenant is None:
            return
        now_ms, shards = self.clock.now_ms(), tenant.index_shards
        drafts = [
            task_execution(
                workflow, run, index, created_at=now_ms, index_shards=shards, item=item, items=items
            )
            for index, item in chosen
        ]
        for filed in self.file_batch.execute(drafts):
            if isinstance(filed, PunctualError):
                raise filed
