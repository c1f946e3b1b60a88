"""/v1/admin/parked: messages that could not be handled. For operators."""

from functions.api.context import Context
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import PAGE_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.parked.models import ParkedOut, ParkedPageOut
from shared.domain.dead_letters.parked_message import parked_document

ROUTES = Routes()
_CURSOR_QUERY = {"list": "parked"}


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/parked",
        operation="listParked",
        summary="List the messages that could not be handled, newest first (operators)",
        description=(
            "Messages of the dead-letter queues that are unreadable, or whose execution is in no state that "
            "they could apply to. They are kept until an operator removes them: `python -m functions.admin "
            "remove-parked`."
        ),
        success=200,
        answer=ParkedPageOut,
        query=PAGING,
        problems=PAGE_PROBLEMS,
    )
)
def list_parked(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    before = context.cursors.unseal(request.tenant, _CURSOR_QUERY, cursor, _read_id)
    messages = context.ports.parked_messages.parked(limit, before=before)
    last = [messages[-1].id] if len(messages) == limit else None
    page = ParkedPageOut(
        messages=[ParkedOut(**parked_document(message)) for message in messages],
        next_cursor=context.cursors.seal(request.tenant, _CURSOR_QUERY, last),
    )
    return json_response(200, page)


def _read_id(parts: list[object]) -> str:
    match parts:
        case [str(parked_id)]:
            return parked_id
    raise ValueError("not a position among parked messages")
