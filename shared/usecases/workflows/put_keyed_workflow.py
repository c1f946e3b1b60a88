"""Create, change or leave the workflow with a key, so that the same request may be sent at any time."""

from collections.abc import Callable
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import NotFoundError, PreconditionFailedError, UnavailableError
from shared.domain.jobs.job_key import KEY_TEXT, is_key
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.new_workflow import NewWorkflow
from shared.domain.workflows.workflow import Workflow
from shared.ports.workflows import WorkflowStore
from shared.usecases.workflows.find_run import FindRun
from shared.usecases.workflows.put_workflow import PutWorkflow

TRIES = 5
"""How often a request looks again after another one was faster. Then the client may send it again."""


class WorkflowChange(StrEnum):
    """The values are those of the API."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class WorkflowPut:
    """What the request did, or would do: the workflow before and after it.

    With a dry run, `after` is the workflow before; None for a creation that is not made.
    """

    change: WorkflowChange
    before: Workflow | None
    after: Workflow | None


Differs = Callable[[Workflow], bool]
Precondition = Callable[[Workflow | None], None]
"""Given the workflow that stands: PreconditionFailedError or AlreadyExistsError if the caller has decided on another
state of it. Called before each creation and change."""


@dataclass(frozen=True, slots=True)
class PutKeyedWorkflow:
    """At most one workflow of a key is not deleted, however many requests run beside each other or crash.

    Definition and key are written in one transaction, so a crash leaves both or none.
    """

    find: FindRun
    workflows: WorkflowStore
    put: PutWorkflow

    def execute(
        self,
        tenant: Tenant,
        key: str,
        new: NewWorkflow,
        *,
        differs: Differs,
        precondition: Precondition,
        admit: Callable[[], None],
        is_dry_run: bool = False,
    ) -> WorkflowPut:
        """InvalidValueError with the path of each fault; UnavailableError if the change may or may not have been made.

        A workflow that has the description already may have it from an earlier try of this request, whose answer was
        lost: it is unchanged under every precondition. `admit` raises to refuse a new workflow.
        """
        if not is_key(key):
            raise NotFoundError(f"there is no such key: a key is {KEY_TEXT}")
        self.put.check(tenant, new)
        for _ in range(TRIES):
            standing = self._standing(tenant.id, key)
            if standing is not None and not differs(standing):
                return WorkflowPut(WorkflowChange.UNCHANGED, standing, standing)
            precondition(standing)
            if standing is None:
                admit()
            change = WorkflowChange.CREATED if standing is None else WorkflowChange.UPDATED
            if is_dry_run:
                return WorkflowPut(change, standing, standing)
            after = self._write(tenant, key, new, standing)
            if after is not None:
                return WorkflowPut(change, standing, after)
        raise UnavailableError("the workflow is being changed by others")

    def present(self, tenant_id: str, key: str) -> Workflow:
        """The workflow that has the key; NotFoundError."""
        found = self._standing(tenant_id, key) if is_key(key) else None
        if found is None:
            raise NotFoundError("no such workflow")
        return found

    def _write(
        self, tenant: Tenant, key: str, new: NewWorkflow, standing: Workflow | None
    ) -> Workflow | None:
        """None if another request was faster."""
        if standing is None:
            return self.put.create_keyed(tenant, new, key)
        try:
            return self.put.update(tenant, standing.id, new, revision=standing.revision)
        except (NotFoundError, PreconditionFailedError):
            return None

    def _standing(self, tenant_id: str, key: str) -> Workflow | None:
        workflow_id = self.workflows.keyed(tenant_id, key)
        if workflow_id is None:
            return None
        try:
            return self.find.present(tenant_id, workflow_id)
        except NotFoundError:
            return None  # It has been deleted since the key was read.
