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
        tenant = self.read_tenant.execute(run.tenant_id) if indexes else None
        if tenant is None:
            return
        now_ms = self.clock.now_ms()
        drafts = [
            task_execution(workflow, run, index, created_at=now_ms, index_shards=tenant.index_shards)
            for index in indexes
        ]
        for filed in self.file_batch.execute(drafts):
            if isinstance(filed, PunctualError):
                raise filed
