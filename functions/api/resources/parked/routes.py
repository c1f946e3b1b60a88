"""/v1/admin/parked: messages that could not be handled. For operators."""

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import PAGE_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.parked.models import ParkedOut, ParkedPageOut
from shared.domain.dead_letters.parked_message import parked_document, parse_parked_id
from shared.domain.errors import NotFoundError

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
            "they could apply to. They are kept until an operator removes them."
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


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/admin/parked/<parked_id>",
        operation="removeParked",
        summary="Remove a message that could not be handled (operators)",
        description="For good. The answer is the last that is seen of the message.",
        success=200,
        answer=ParkedOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def remove_parked(context: Context, request: AuthenticatedRequest) -> Response:
    parked_id = request.path_values["parked_id"]
    parse_parked_id(parked_id)
    removed = context.ports.parked_messages.remove(parked_id)
    if removed is None:
        raise NotFoundError("no such message")
    document = parked_document(removed)
    context.audit.record(request, "removeParked", parked_id, document, None)
    return json_response(200, ParkedOut(**document))


def _read_id(parts: list[object]) -> str:
    match parts:
        case [str(parked_id)]:
            return parked_id
    raise ValueError("not a position among parked messages")
