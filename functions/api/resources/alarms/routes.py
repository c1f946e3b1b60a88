"""/v1/admin/alarms: what the alarms of the deployment say. For operators."""

from functions.api.context import Context
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import PAGE_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.alarms.models import AlarmOut, AlarmPageOut
from shared.domain.schedules.schedule import format_instant
from shared.ports.alarms import Alarm
from shared.usecases.listings.list_alarms import AlarmPosition

ROUTES = Routes()
_CURSOR_QUERY = {"list": "alarms"}


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/alarms",
        operation="listAlarms",
        summary="List the alarms of the deployment, those in alarm first (operators)",
        description=(
            "With their states at most half a minute ago, and the runbook of each. An alarm that changes its state "
            "between two pages may be missing or repeated."
        ),
        success=200,
        answer=AlarmPageOut,
        query=PAGING,
        problems=PAGE_PROBLEMS,
    )
)
def list_alarms(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    after = context.cursors.unseal(request.tenant, _CURSOR_QUERY, cursor, _read_position)
    found = context.cases.listings.list_alarms.execute(limit=limit, after=after)
    last = None if found.next_after is None else [*found.next_after]
    page = AlarmPageOut(
        alarms=[_alarm_out(alarm) for alarm in found.alarms],
        next_cursor=context.cursors.seal(request.tenant, _CURSOR_QUERY, last),
    )
    return json_response(200, page)


def _alarm_out(alarm: Alarm) -> AlarmOut:
    return AlarmOut(
        name=alarm.name,
        state=alarm.state,
        since=format_instant(alarm.since),
        meaning=alarm.meaning,
        reason=alarm.reason,
        runbook=alarm.runbook,
        notifies=alarm.notifies,
    )


def _read_position(parts: list[object]) -> AlarmPosition:
    match parts:
        case [int(rank), str(name)]:
            return rank, name
    raise ValueError("not a position among alarms")
