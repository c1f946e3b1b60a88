"""Find a workflow or a run of a tenant. Foreign and unknown IDs get the same answer."""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, NotFoundError
from shared.domain.workflows.identities import is_workflow_id, parse_run_id
from shared.domain.workflows.run import Run
from shared.domain.workflows.workflow import Workflow, WorkflowHead
from shared.ports.workflows import RunStore, WorkflowStore
from shared.usecases.workflows.read_revision import ReadRevision


@dataclass(frozen=True, slots=True)
class FindRun:
    """Strong reads. NotFoundError in every other case."""

    workflows: WorkflowStore
    runs: RunStore
    read_revision: ReadRevision

    def stored_head(self, tenant_id: str, workflow_id: str) -> WorkflowHead:
        """A workflow, which may be deleted."""
        head = self.workflows.head(tenant_id, workflow_id) if is_workflow_id(workflow_id) else None
        if head is None:
            raise NotFoundError("no such workflow")
        return head

    def head(self, tenant_id: str, workflow_id: str) -> WorkflowHead:
        """A workflow that is not deleted."""
        head = self.stored_head(tenant_id, workflow_id)
        if head.is_deleted:
            raise NotFoundError("no such workflow")
        return head

    def check_startable(self, tenant_id: str, workflow_id: str) -> None:
        """InvalidValueError unless a job of the tenant may start the workflow."""
        try:
            self.head(tenant_id, workflow_id)
        except NotFoundError:
            raise InvalidValueError(
                "there is no such workflow: create it first", path=("workflow",)
            ) from None

    def present(self, tenant_id: str, workflow_id: str) -> Workflow:
        """The present revision of a workflow that is not deleted."""
        head = self.head(tenant_id, workflow_id)
        workflow = self.workflows.revision(tenant_id, workflow_id, head.revision)
        if workflow is None:
            raise NotFoundError("no such workflow")
        return workflow

    def run(self, tenant_id: str, run_id: str) -> tuple[Run, Workflow]:
        """A run, and the revision that it follows."""
        try:
            run = self.runs.get(parse_run_id(run_id))
        except InvalidValueError:
            run = None
        workflow = self.read_revision.execute(run) if run is not None and run.tenant_id == tenant_id else None
        if run is None or workflow is None:
            raise NotFoundError("no such run")
        return run, workflow
