"""Read workflows and runs as they are shown."""

from collections.abc import Mapping, Sequence

from shared.dataclass import dataclass
from shared.domain.delivery.request import Request, decode_request
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.run import Run
from shared.domain.workflows.run_rules import execution_of
from shared.domain.workflows.workflow import Workflow
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.workflows import RunStore
from shared.usecases.workflows.find_run import FindRun


@dataclass(frozen=True, slots=True)
class DescribedRun:
    """A run, the revision that it follows, and the executions of its tasks."""

    run: Run
    workflow: Workflow
    executions: Mapping[ExecutionId, Execution]
    """By ID. That of a chosen task is missing before it is filed, and once its record has expired."""


@dataclass(frozen=True, slots=True)
class RunPage:
    runs: Sequence[Run]
    """Latest first."""
    next_before: ExecutionId | None
    """None on the last page."""


@dataclass(frozen=True, slots=True)
class ReadRuns:
    find: FindRun
    runs: RunStore
    executions: ExecutionStore
    jobs: JobStore
    vault: Vault

    def describe(self, tenant_id: str, run_id: str) -> DescribedRun:
        """Strong reads: one more for all executions. NotFoundError."""
        run, workflow = self.find.run(tenant_id, run_id)
        ids = [execution_of(run, workflow.graph, index) for index in range(len(run.tasks))]
        executions = self.executions.get_many([each for each in ids if each is not None])
        return DescribedRun(run=run, workflow=workflow, executions=executions)

    def page(self, tenant_id: str, workflow_id: str, *, before: ExecutionId | None, limit: int) -> RunPage:
        """The runs of a workflow, which may be deleted. The list may lag, and its runs are never stale.

        NotFoundError without such a workflow.
        """
        self.find.stored_head(tenant_id, workflow_id)
        ids = self.runs.page(tenant_id, workflow_id, before=before, limit=limit)
        found = self.runs.get_many(ids)
        runs = [found[run_id] for run_id in ids if run_id in found]
        return RunPage(runs=runs, next_before=ids[-1] if len(ids) == limit else None)

    def requests(self, tenant: Tenant, workflow: Workflow) -> list[Request]:
        """The request of each task, decrypted. One read for each request that is too large for its revision."""
        return [
            decode_request(
                self.vault.unseal(
                    tenant,
                    workflow.id,
                    self.jobs.get_payload(tenant.id, call.payload_id) if call.payload_id else call.request,
                )
            )
            for call in workflow.calls
        ]
