"""/v1/calendars: the calendars that schedules name; /v1/admin/calendars: those of the operators, for all tenants."""

from functions.api.context import Context
from functions.api.http.conditions import version_etag
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, Route, Routes, json_response
from functions.api.resources.calendars.models import (
    CalendarIn,
    CalendarOut,
    CalendarsOut,
    SharedCalendarsOut,
    calendar_out,
    shared_out,
)
from shared.domain.errors import NotFoundError
from shared.domain.schedules.own_calendar import SHARED_OWNER, OwnCalendar, is_own_name

ROUTES = Routes()
_NOUN = "calendar"


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/calendars",
        operation="listCalendars",
        summary="List the tenant's own calendars, by name",
        description=(
            "`shared` has the calendars of the operators, whose names begin with `operator/`. Calendars of countries "
            "are not listed: their names are those of ISO 3166, such as `DE`."
        ),
        success=200,
        answer=CalendarsOut,
    )
)
def list_calendars(context: Context, request: AuthenticatedRequest) -> Response:
    calendars = context.cases.tenancy.calendars
    own, shared = calendars.all(request.tenant.id), calendars.all(SHARED_OWNER)
    shown = CalendarsOut(
        calendars=[calendar_out(each) for each in own], shared=[shared_out(each) for each in shared]
    )
    return json_response(200, shown)


@ROUTES.add(
    Route(
        method="PUT",
        path="/v1/calendars/<calendar>",
        operation="putCalendar",
        summary="Create a calendar, or replace its days",
        description=(
            "A calendar that has these days keeps its version. After a change, the runs of active jobs that name it "
            "move within about 15 minutes. Jobs that are created or changed meanwhile have the new days at once. "
            "`dry_run=true` changes nothing, and shows the calendar as it would be. With `If-Match`, a calendar at "
            "another version is not changed, and a missing one not created. With `If-None-Match: *`, a calendar is "
            "created and none is changed. A calendar that needs no change is answered under every condition."
        ),
        success=200,
        answer=CalendarOut,
        answer_headers=("WrittenETag",),
        body=CalendarIn,
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
def put_calendar(context: Context, request: AuthenticatedRequest) -> Response:
    wanted, is_dry_run = _wanted(request, "calendar"), request.flag("dry_run")
    before, after = context.cases.tenancy.calendars.put(
        request.tenant.id,
        wanted,
        precondition=request.version_condition(_NOUN),
        is_dry_run=is_dry_run,
    )
    shown = calendar_out(after)
    if not is_dry_run and (before is None or before.version != after.version):
        old = calendar_out(before) if before is not None else None
        context.audit.record(request, "putCalendar", after.name, old, shown)
    return json_response(200, shown, {} if is_dry_run else version_etag(after.version))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/calendars/<calendar>",
        operation="getCalendar",
        summary="Show a calendar",
        description="Its version grows with each change. Jobs keep the days that they were computed with.",
        success=200,
        answer=CalendarOut,
        answer_headers=("ETag",),
        problems=(Problem.NOT_FOUND,),
    )
)
def get_calendar(context: Context, request: AuthenticatedRequest) -> Response:
    calendar = context.cases.tenancy.calendars.get(request.tenant.id, request.path_values["calendar"])
    return json_response(200, calendar_out(calendar), version_etag(calendar.version))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/calendars/<calendar>",
        operation="deleteCalendar",
        summary="Delete a calendar that no job names",
        description="The answer is 409 while jobs that have not ended name it, and says which.",
        success=200,
        answer=CalendarOut,
        headers=("If-Match",),
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.PRECONDITION_FAILED),
    )
)
def delete_calendar(context: Context, request: AuthenticatedRequest) -> Response:
    calendar = context.cases.tenancy.calendars.delete(
        request.tenant.id, request.path_values["calendar"], request.version_condition(_NOUN)
    )
    deleted = calendar_out(calendar)
    context.audit.record(request, "deleteCalendar", deleted.name, deleted, None)
    return json_response(200, deleted)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/calendars",
        operation="listSharedCalendars",
        summary="List the calendars that all tenants may name (operators)",
        description="By name, each with the name that schedules have, such as `operator/deployments`.",
        success=200,
        answer=SharedCalendarsOut,
    )
)
def list_shared_calendars(context: Context, request: AuthenticatedRequest) -> Response:
    calendars = context.cases.tenancy.calendars.all(SHARED_OWNER)
    return json_response(200, SharedCalendarsOut(calendars=[shared_out(each) for each in calendars]))


@ROUTES.add(
    Route(
        method="PUT",
        path="/v1/admin/calendars/<shared_calendar>",
        operation="putSharedCalendar",
        summary="Create a calendar that all tenants may name, or replace its days (operators)",
        description=(
            "Schedules name it with `operator/` before its name. After a change, the runs of the jobs of all tenants "
            "that name it move within about 15 minutes."
        ),
        success=200,
        answer=CalendarOut,
        body=CalendarIn,
        problems=(*BODY_PROBLEMS, Problem.INVALID_STATE),
    )
)
def put_shared_calendar(context: Context, request: AuthenticatedRequest) -> Response:
    before, after = context.cases.tenancy.calendars.put(SHARED_OWNER, _wanted(request, "shared_calendar"))
    shown = shared_out(after)
    if before is None or before.version != after.version:
        old = shared_out(before) if before is not None else None
        context.audit.record(request, "putSharedCalendar", after.name, old, shown)
    return json_response(200, shown)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/calendars/<shared_calendar>",
        operation="getSharedCalendar",
        summary="Show a calendar that all tenants may name (operators)",
        description="Its version grows with each change. Jobs keep the days that they were computed with.",
        success=200,
        answer=CalendarOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_shared_calendar(context: Context, request: AuthenticatedRequest) -> Response:
    calendar = context.cases.tenancy.calendars.get(SHARED_OWNER, request.path_values["shared_calendar"])
    return json_response(200, shared_out(calendar))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/admin/calendars/<shared_calendar>",
        operation="deleteSharedCalendar",
        summary="Delete a calendar that all tenants may name (operators)",
        description=(
            "No schedule that is sent from now on may name it. Jobs that name it keep the days that they have, which "
            "reach five years ahead."
        ),
        success=200,
        answer=CalendarOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    )
)
def delete_shared_calendar(context: Context, request: AuthenticatedRequest) -> Response:
    deleted = context.cases.tenancy.calendars.delete(SHARED_OWNER, request.path_values["shared_calendar"])
    shown = shared_out(deleted)
    context.audit.record(request, "deleteSharedCalendar", deleted.name, shown, None)
    return json_response(200, shown)


def _wanted(request: AuthenticatedRequest, part: str) -> OwnCalendar:
    name = request.path_values[part]
    if not is_own_name(name):
        raise NotFoundError("no such calendar: a name has 1 to 63 lower-case letters, digits and hyphens")
    return request.read(CalendarIn).calendar(name)
