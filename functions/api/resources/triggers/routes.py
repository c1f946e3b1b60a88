"""/v1/triggers: which events start which jobs."""

from functions.api.context import Context
from functions.api.http.conditions import version_etag
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, Route, Routes, json_response
from functions.api.resources.triggers.models import TriggerIn, TriggerOut, TriggersOut, trigger_out
from shared.domain.errors import NotFoundError
from shared.domain.schedules.own_calendar import is_own_name

ROUTES = Routes()
_NOUN = "trigger"


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/triggers",
        operation="listTriggers",
        summary="List the tenant's triggers, by name",
        description="All of them in one answer: a tenant has at most 50.",
        success=200,
        answer=TriggersOut,
    )
)
def list_triggers(context: Context, request: AuthenticatedRequest) -> Response:
    now_ms = context.now_ms()
    triggers = context.cases.triggers.triggers.all(request.tenant.id)
    return json_response(200, TriggersOut(triggers=[trigger_out(each, now_ms) for each in triggers]))


@ROUTES.add(
    Route(
        method="PUT",
        path="/v1/triggers/<trigger>",
        operation="putTrigger",
        summary="Create a trigger, or replace it",
        description=(
            "Each event that is sent from then on, and that the pattern matches, starts a run of the job. The same "
            "content again keeps the version. `dry_run=true` changes nothing, and shows the trigger as it would be. "
            "With `If-Match`, a trigger at another version is not changed, and a missing one not created. With "
            "`If-None-Match: *`, a trigger is created and none is changed. A trigger that needs no change is answered "
            "under every condition."
        ),
        success=200,
        answer=TriggerOut,
        answer_headers=("WrittenETag",),
        body=TriggerIn,
        query=("dry_run",),
        headers=("If-Match", "If-None-Match"),
        problems=(
            *BODY_PROBLEMS,
            Problem.INVALID_STATE,
            Problem.PRECONDITION_FAILED,
            Problem.ALREADY_EXISTS,
        ),
    )
)
def put_trigger(context: Context, request: AuthenticatedRequest) -> Response:
    name = request.path_values["trigger"]
    if not is_own_name(name):
        raise NotFoundError("no such trigger: a name has 1 to 63 lower-case letters, digits and hyphens")
    wanted, is_dry_run = request.read(TriggerIn).trigger(name), request.flag("dry_run")
    before, after = context.cases.triggers.triggers.put(
        request.tenant.id,
        wanted,
        precondition=request.version_condition(_NOUN),
        is_dry_run=is_dry_run,
    )
    shown = trigger_out(after, context.now_ms())
    if not is_dry_run and (before is None or before.version != after.version):
        old = trigger_out(before, context.now_ms()) if before is not None else None
        context.audit.record(request, "putTrigger", after.name, old, shown)
    return json_response(200, shown, {} if is_dry_run else version_etag(after.version))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/triggers/<trigger>",
        operation="getTrigger",
        summary="Show a trigger",
        description="Its version grows with each change.",
        success=200,
        answer=TriggerOut,
        answer_headers=("ETag",),
        problems=(Problem.NOT_FOUND,),
    )
)
def get_trigger(context: Context, request: AuthenticatedRequest) -> Response:
    trigger = context.cases.triggers.triggers.get(request.tenant.id, request.path_values["trigger"])
    return json_response(200, trigger_out(trigger, context.now_ms()), version_etag(trigger.version))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/triggers/<trigger>",
        operation="deleteTrigger",
        summary="Delete a trigger",
        description="Events start no more runs by it. Runs that it has started are left alone.",
        success=200,
        answer=TriggerOut,
        headers=("If-Match",),
        problems=(Problem.NOT_FOUND, Problem.PRECONDITION_FAILED),
    )
)
def delete_trigger(context: Context, request: AuthenticatedRequest) -> Response:
    trigger = context.cases.triggers.triggers.delete(
        request.tenant.id, request.path_values["trigger"], request.version_condition(_NOUN)
    )
    deleted = trigger_out(trigger, context.now_ms())
    context.audit.record(request, "deleteTrigger", deleted.name, deleted, None)
    return json_response(200, deleted)
