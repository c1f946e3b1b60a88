"""What every route of a workflow answers with, and the quota that each of its requests obeys."""

from dataclasses import replace

from functions.api.context import Context
from functions.api.resources.workflows.models import WorkflowOut
from functions.api.resources.workflows.presenter import workflow_out
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.new_workflow import NewWorkflow
from shared.domain.workflows.workflow import Workflow
from shared.usecases.tenancy.check_quota import NOTHING


def present_workflow(context: Context, tenant: Tenant, workflow: Workflow) -> WorkflowOut:
    return workflow_out(context.cases.workflows.read_runs.opened(tenant, workflow))


def workflow_etag(workflow: Workflow) -> dict[str, str]:
    return {"ETag": f'"{workflow.revision}"'}


def check_workflow_quota(context: Context, tenant: Tenant, new: NewWorkflow) -> None:
    """Each request has the quota of a job's."""
    for task in new.tasks:
        demand = replace(NOTHING, payload_bytes=len(task.request.body), tags=len(new.tags))
        context.cases.tenancy.check_quota.change(tenant, NOTHING, demand, is_moved=False)
