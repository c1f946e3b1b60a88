"""/v1/workflows: create, list, read, change and delete workflows."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from functions.api.context import Context
from functions.api.http.bodies import validate
from functions.api.http.filters import set_filter
from functions.api.http.idempotency import replay_header
from functions.api.http.positions import read_workflow_position
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    JSON,
    MERGE_PATCH,
    PAGE_PROBLEMS,
    PAGING,
    QUOTA_PROBLEMS,
    Route,
    Routes,
    json_response,
    not_modified,
)
from functions.api.models import Schema
from functions.api.resources.jobs.merge_patch import merge
from functions.api.resources.workflows.models import (
    RunAlertsIn,
    RunCallbacksIn,
    WorkflowIn,
    WorkflowOut,
    WorkflowPageOut,
    WorkflowPatch,
    WorkflowSummaryOut,
)
from functions.api.resources.workflows.presenter import recorded, summary_out, workflow_document
from functions.api.resources.workflows.responses import check_workflow_quota, present_workflow, workflow_etag
from shared.domain.errors import InvalidValueError, PreconditionFailedError, UnavailableError, raise_any
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.new_workflow import NewWorkflow
from shared.domain.workflows.workflow import Workflow
from shared.usecases.chains.change_job import TRIES

ROUTES = Routes()
_PARTS: dict[str, type[Schema]] = {"": WorkflowIn, "callbacks": RunCallbacksIn, "alerts": RunAlertsIn}
"""A workflow, and the objects in it that a patch merges."""


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/workflows",
        operation="createWorkflow",
        summary="Create a workflow: tasks that wait for one another",
        description=(
            "Up to 100 tasks, each with a request of its own. A cycle, an unknown key and a task that could never run "
            "are refused with their place in the body. Nothing runs before a run is started. A repetition with the "
            "same `Idempotency-Key` answers with the workflow as it is now, and with 409 once it is deleted."
        ),
        success=201,
        answer=WorkflowOut,
        answer_headers=("Location", "ETag"),
        body=WorkflowIn,
        headers=("Idempotency-Key",),
        problems=(
            *BODY_PROBLEMS,
            Problem.CALLBACK_URL_NOT_ALLOWED,
            *IDEMPOTENCY_PROBLEMS,
            Problem.INVALID_STATE,
            *QUOTA_PROBLEMS,
        ),
    )
)
def create_workflow(context: Context, request: AuthenticatedRequest) -> Response:
    new, key = request.read(WorkflowIn).new_workflow(), request.idempotency_key()

    def admit() -> None:
        check_workflow_quota(context, request.tenant, new)
        context.cases.tenancy.check_quota.workflow(request.tenant)

    workflow, replayed = context.cases.workflows.put_workflow.create(request.tenant, new, key, admit=admit)
    document = recorded(workflow.head)
    context.audit.record(request, "createWorkflow", workflow.id, document if replayed else None, document)
    headers = (
        {"Location": f"/v1/workflows/{workflow.id}"}
        | workflow_etag(workflow)
        | replay_header(replayed=replayed)
    )
    return json_response(201, present_workflow(context, request.tenant, workflow), headers)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/workflows",
        operation="listWorkflows",
        summary="List the workflows, oldest first",
        description=(
            "The read is strongly consistent. Deleted workflows are left out, and with `set` those of other sets. So "
            "a page may be short, or empty, while `next_cursor` is there."
        ),
        success=200,
        answer=WorkflowPageOut,
        query=("set", *PAGING),
        problems=PAGE_PROBLEMS,
    )
)
def list_workflows(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    set_name = set_filter(request.query)
    query = {"list": "workflows"} | ({"set": set_name} if set_name is not None else {})
    after = context.cursors.unseal(request.tenant, query, cursor, read_workflow_position)
    found = context.ports.workflows.page(request.tenant.id, after=after, limit=limit)
    following = [found.next_after] if found.next_after is not None else None
    page = WorkflowPageOut(
        workflows=[summary_out(head) for head in found.heads if set_name in (None, head.set_name)],
        next_cursor=context.cursors.seal(request.tenant, query, following),
    )
    return json_response(200, page)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/workflows/<workflow_id>",
        operation="getWorkflow",
        summary="Show a workflow",
        description="Headers and bodies of the requests are never shown again.",
        success=200,
        answer=WorkflowOut,
        answer_headers=("ETag",),
        headers=("If-None-Match",),
        problems=(Problem.NOT_FOUND,),
    )
)
def get_workflow(context: Context, request: AuthenticatedRequest) -> Response:
    workflow = _find(context, request)
    if request.knows(workflow_etag(workflow)["ETag"]):
        return not_modified(workflow_etag(workflow))
    return json_response(200, present_workflow(context, request.tenant, workflow), workflow_etag(workflow))


@ROUTES.add(
    Route(
        method="PATCH",
        path="/v1/workflows/<workflow_id>",
        operation="updateWorkflow",
        summary="Change a workflow with a JSON merge patch",
        description=(
            "A JSON merge patch (RFC 7396) of the members of a new workflow: `tasks` replaces all tasks, and null "
            "restores a default. Runs that start afterwards follow the new revision; runs that have started, and "
            "their redrives, keep theirs."
        ),
        success=200,
        answer=WorkflowOut,
        answer_headers=("ETag",),
        body=WorkflowPatch,
        media_types=(MERGE_PATCH, JSON),
        headers=("If-Match",),
        required_headers=("If-Match",),
        problems=(
            *BODY_PROBLEMS,
            Problem.CALLBACK_URL_NOT_ALLOWED,
            Problem.NOT_FOUND,
            Problem.PRECONDITION_FAILED,
            *QUOTA_PROBLEMS,
            Problem.PRECONDITION_REQUIRED,
        ),
    )
)
def update_workflow(context: Context, request: AuthenticatedRequest) -> Response:
    patch, tags = request.read_json(MERGE_PATCH), request.if_match()
    for _ in range(TRIES):
        before = _find(context, request)
        if tags is None:
            raise ProblemError(Problem.PRECONDITION_REQUIRED, "send the workflow's ETag as If-Match, or *")
        if tags.revision(before.revision) not in (None, before.revision):
            raise PreconditionFailedError(
                f"the workflow is at revision {before.revision}", revision=before.revision
            )
        new = _patched(context, request.tenant, before, patch)
        try:
            after = context.cases.workflows.put_workflow.update(
                request.tenant, before.id, new, revision=before.revision
            )
        except PreconditionFailedError:
            if tags.is_any:  # The patch applies to whatever the rival made of the workflow.
                continue
            raise
        context.audit.record(request, "updateWorkflow", after.id, recorded(before.head), recorded(after.head))
        return json_response(200, present_workflow(context, request.tenant, after), workflow_etag(after))
    raise UnavailableError("the workflow is being changed by others")


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/workflows/<workflow_id>",
        operation="deleteWorkflow",
        summary="Delete a workflow",
        description=(
            "No run starts afterwards. Runs that have started go on: cancel them by their own ids. A repetition "
            "changes nothing."
        ),
        success=200,
        answer=WorkflowSummaryOut,
        answer_headers=("ETag",),
        headers=("If-Match",),
        problems=(Problem.NOT_FOUND, Problem.PRECONDITION_FAILED),
    )
)
def delete_workflow(context: Context, request: AuthenticatedRequest) -> Response:
    workflow_id, tags = request.path_values["workflow_id"], request.if_match()
    present = context.cases.workflows.find.stored_head(request.tenant.id, workflow_id)
    before, after = context.cases.workflows.put_workflow.delete(
        request.tenant.id, workflow_id, revision=tags.revision(present.revision) if tags else None
    )
    context.audit.record(request, "deleteWorkflow", workflow_id, recorded(before), recorded(after))
    return json_response(200, summary_out(after), {"ETag": f'"{after.revision}"'})


def _find(context: Context, request: AuthenticatedRequest) -> Workflow:
    return context.cases.workflows.find.present(request.tenant.id, request.path_values["workflow_id"])


def _patched(context: Context, tenant: Tenant, before: Workflow, patch: Any) -> NewWorkflow:
    """The workflow after a merge patch. `tasks` is an array, which a patch replaces as a whole."""
    if not isinstance(patch, dict):
        raise InvalidValueError("a merge patch is a JSON object")
    raise_any(_unknown_members(patch))
    document = workflow_document(context.cases.workflows.read_runs.opened(tenant, before))
    merged = {name: value for name, value in merge(document, patch).items() if value is not None}
    # A patch has no member for the set, so it keeps it.
    new = replace(validate(merged, WorkflowIn).new_workflow(), set_name=before.set_name)
    check_workflow_quota(context, tenant, new)
    return new


def _unknown_members(patch: dict[str, Any]) -> Iterator[InvalidValueError]:
    """An error for each null of an unknown member: merging would drop a misspelt name before validation."""
    for parent, model in _PARTS.items():
        part = patch.get(parent) if parent else patch
        if isinstance(part, dict):
            for name in part:
                if part[name] is None and name not in model.model_fields:
                    path = (*filter(None, (parent,)), name)
                    yield InvalidValueError("there is no such member", path=path)
