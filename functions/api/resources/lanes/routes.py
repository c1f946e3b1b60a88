"""/v1/admin/lanes: where work waits at dispatch. For operators."""

from functions.api.context import Context
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import PAGE_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.lanes.models import LanePageOut
from functions.api.resources.lanes.presenter import hot_scope_out, lane_out

ROUTES = Routes()
_CURSOR_QUERY = {"list": "lanes"}


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/lanes",
        operation="listLanes",
        summary="Show the lanes, and list the tenants and destinations in which calls wait or fail (operators)",
        description=(
            "By the shared state of backpressure, quotas, adaptive limits and circuit breakers, at most some seconds "
            "old. The index of hot scopes is bounded: behind many others, a scope may be missing."
        ),
        success=200,
        answer=LanePageOut,
        query=PAGING,
        problems=PAGE_PROBLEMS,
    )
)
def list_lanes(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    after = context.cursors.unseal(request.tenant, _CURSOR_QUERY, cursor, _read_scope)
    found, now_ms = context.cases.listings.list_lanes.execute(limit=limit, after=after), context.now_ms()
    last = None if found.next_after is None else [found.next_after]
    page = LanePageOut(
        lanes={each.lane.value: lane_out(each) for each in found.lanes},
        hot_scopes=[hot_scope_out(each, now_ms) for each in found.scopes],
        next_cursor=context.cursors.seal(request.tenant, _CURSOR_QUERY, last),
    )
    return json_response(200, page)


def _read_scope(parts: list[object]) -> str:
    match parts:
        case [str(scope)]:
            return scope
    raise ValueError("not a position among hot scopes")
