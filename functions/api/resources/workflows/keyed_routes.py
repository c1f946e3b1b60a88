"""/v1/workflows/by-key/{key}: workflows by the keys that their owners give them."""

from dataclasses import replace

from functions.api.context import Context
from functions.api.http.conditions import Tags
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    QUOTA_PROBLEMS,
    Route,
    Routes,
    json_response,
    not_modified,
)
from functions.api.resources.jobs.keyed_models import FieldChange
from functions.api.resources.workflows.differences import workflow_differences
from functions.api.resources.workflows.keyed_models import KeyedWorkflowIn, WorkflowPutOut
from functions.api.resources.workflows.models import WorkflowOut
from functions.api.resources.workflows.presenter import keyed_document, recorded
from functions.api.resources.workflows.responses import check_workflow_quota, present_workflow, workflow_etag
from shared.dataclass import dataclass
from shared.domain.errors import AlreadyExistsError, PreconditionFailedError
from shared.domain.workflows.new_workflow import NewWorkflow
from shared.domain.workflows.workflow import Workflow
from shared.usecases.workflows.put_keyed_workflow import WorkflowChange, WorkflowPut
from shared.usecases.workflows.read_runs import OpenedWorkflow

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="PUT",
        path="/v1/workflows/by-key/<key>",
        operation="putWorkflow",
        summary="Create, change or leave the workflow with a key",
        description=(
            "The body is the whole description of the workflow. The answer tells whether the workflow was created, "
            "updated or left unchanged, and what differed. The request may be repeated at any time. `dry_run=true` "
            "changes nothing. Runs that have started keep the revision that they began with. A deleted workflow is "
            "created anew. With `If-Match`, a workflow at another revision is not changed, and a missing one not "
            "created: the answer is 412, with the present `ETag` if there is a workflow. With `If-None-Match: *`, a "
            "workflow is created and none is changed: the answer is 412, `already-exists`, if the key has a workflow. "
            "A workflow that needs no change is `unchanged` under every condition."
        ),
        success=200,
        answer=WorkflowPutOut,
        body=KeyedWorkflowIn,
        query=("dry_run",),
        headers=("If-Match", "If-None-Match"),
        problems=(
            *BODY_PROBLEMS,
            Problem.CALLBACK_URL_NOT_ALLOWED,
            Problem.NOT_FOUND,
            Problem.PRECONDITION_FAILED,
            Problem.ALREADY_EXISTS,
            *QUOTA_PROBLEMS,
        ),
    )
)
def put_workflow(context: Context, request: AuthenticatedRequest) -> Response:
    new = request.read(KeyedWorkflowIn).new_workflow()
    is_dry_run, tags, must_create = request.flag("dry_run"), request.if_match(), request.must_create()
    check_workflow_quota(context, request.tenant, new)
    described = _Described(context, request, new)
    put = context.cases.workflows.put_keyed_workflow.execute(
        request.tenant,
        request.path_values["key"],
        new,
        differs=described.differs,
        precondition=lambda standing: _check_conditions(tags, standing, must_create=must_create),
        admit=lambda: context.cases.tenancy.check_quota.workflow(request.tenant),
        is_dry_run=is_dry_run,
    )
    if not is_dry_run:
        _record(context, request, put)
    workflow = present_workflow(context, request.tenant, put.after) if put.after is not None else None
    fields = described.fields if put.change is WorkflowChange.UPDATED else []
    return json_response(200, WorkflowPutOut(change=put.change, fields=fields, workflow=workflow))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/workflows/by-key/<key>",
        operation="getWorkflowByKey",
        summary="Show the workflow with a key",
        description="As `GET /v1/workflows/{workflow_id}`. A deleted workflow has no key any more.",
        success=200,
        answer=WorkflowOut,
        answer_headers=("ETag",),
        headers=("If-None-Match",),
        problems=(Problem.NOT_FOUND,),
    )
)
def get_workflow_by_key(context: Context, request: AuthenticatedRequest) -> Response:
    put = context.cases.workflows.put_keyed_workflow
    workflow = put.present(request.tenant.id, request.path_values["key"])
    tag = workflow_etag(workflow)
    if request.knows(tag["ETag"]):
        return not_modified(tag)
    return json_response(200, present_workflow(context, request.tenant, workflow), tag)


@dataclass(slots=True)
class _Described:
    """One description, beside the workflow that stands."""

    context: Context
    request: AuthenticatedRequest
    new: NewWorkflow
    fields: list[FieldChange] | None = None
    """What differed from the workflow that was looked at last."""

    def differs(self, standing: Workflow) -> bool:
        tenant = self.request.tenant
        stored = self.context.cases.workflows.read_runs.opened(tenant, standing)
        wanted = replace(
            standing,
            graph=self.new.graph,
            calls=tuple(task.unsealed_call for task in self.new.tasks),
            deadline_seconds=self.new.deadline_seconds,
            name=self.new.name,
            tags=self.new.tags,
            set_name=self.new.set_name,
        )
        described = OpenedWorkflow(
            workflow=wanted,
            requests=[task.request for task in self.new.tasks],
            callbacks=self.new.callbacks,
            alerts=self.new.alerts,
        )
        self.fields = workflow_differences(keyed_document(stored), keyed_document(described))
        return bool(self.fields)


def _check_conditions(tags: Tags | None, standing: Workflow | None, *, must_create: bool) -> None:
    """AlreadyExistsError for a workflow that would be changed although it must be created, and
    PreconditionFailedError unless the workflow is at a revision that If-Match names."""
    if must_create and standing is not None:
        raise AlreadyExistsError(
            f"the key has a workflow, which is at revision {standing.revision}", revision=standing.revision
        )
    if tags is None:
        return
    if standing is None:
        raise PreconditionFailedError("no workflow has this key")
    if tags.revision(standing.revision) not in (None, standing.revision):
        raise PreconditionFailedError(
            f"the workflow is at revision {standing.revision}", revision=standing.revision
        )


def _record(context: Context, request: AuthenticatedRequest, put: WorkflowPut) -> None:
    """An audit record of each change."""
    if put.change is WorkflowChange.UNCHANGED or put.after is None:
        return
    before = recorded(put.before.head) if put.before is not None else None
    context.audit.record(request, "putWorkflow", put.after.id, before, recorded(put.after.head))
