"""/v1/admin/event-sources: which tenants the events of accounts of AWS are for. For operators."""

import re

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, Route, Routes, json_response
from functions.api.resources.event_sources.models import (
    EventSourceIn,
    EventSourceOut,
    EventSourcesOut,
    event_source_out,
)
from shared.domain.errors import NotFoundError
from shared.domain.triggers.event_source import ACCOUNT

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/event-sources",
        operation="listEventSources",
        summary="List the accounts of AWS whose events reach tenants (operators)",
        description="All of them in one answer: there are at most 200.",
        success=200,
        answer=EventSourcesOut,
    )
)
def list_event_sources(context: Context, request: AuthenticatedRequest) -> Response:
    found = context.cases.triggers.event_sources.all()
    return json_response(200, EventSourcesOut(event_sources=[event_source_out(each) for each in found]))


@ROUTES.add(
    Route(
        method="PUT",
        path="/v1/admin/event-sources/<account>",
        operation="putEventSource",
        summary="Say which tenants the events of an account of AWS are for (operators)",
        description=(
            "Counts within a minute for the events of the stage's event bus. The same content again keeps the version."
        ),
        success=200,
        answer=EventSourceOut,
        body=EventSourceIn,
        problems=(*BODY_PROBLEMS, Problem.INVALID_STATE),
    )
)
def put_event_source(context: Context, request: AuthenticatedRequest) -> Response:
    wanted = request.read(EventSourceIn).event_source(_account(request))
    before, after = context.cases.triggers.event_sources.put(wanted)
    shown = event_source_out(after)
    if before is None or before.version != after.version:
        old = event_source_out(before) if before is not None else None
        context.audit.record(request, "putEventSource", after.account, old, shown)
    return json_response(200, shown)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/event-sources/<account>",
        operation="getEventSource",
        summary="Show which tenants the events of an account of AWS are for (operators)",
        description="Its version grows with each change.",
        success=200,
        answer=EventSourceOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_event_source(context: Context, request: AuthenticatedRequest) -> Response:
    return json_response(200, event_source_out(context.cases.triggers.event_sources.get(_account(request))))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/admin/event-sources/<account>",
        operation="deleteEventSource",
        summary="Let no more events of an account of AWS reach a tenant (operators)",
        description="Counts within a minute. Runs that its events have started are left alone.",
        success=200,
        answer=EventSourceOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def delete_event_source(context: Context, request: AuthenticatedRequest) -> Response:
    deleted = event_source_out(context.cases.triggers.event_sources.delete(_account(request)))
    context.audit.record(request, "deleteEventSource", deleted.account, deleted, None)
    return json_response(200, deleted)


def _account(request: AuthenticatedRequest) -> str:
    account = request.path_values["account"]
    if not re.fullmatch(ACCOUNT, account):
        raise NotFoundError("no such event source: an account of AWS has 12 digits")
    return account
