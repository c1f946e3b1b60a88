"""/v1/dead-letters: list and inspect executions that failed for good."""

from functions.api.context import Context
from functions.api.http.filters import DEAD_LETTER_FILTERS, dead_letter_filter
from functions.api.http.positions import index_parts, read_index_position
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import PAGE_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.dead_letters.models import DeadLetterPageOut, InspectedOut
from functions.api.resources.dead_letters.presenter import dead_letter_out, inspected_out
from functions.api.resources.executions.beside import read_beside
from shared.domain.delivery.request import Request
from shared.domain.errors import NotFoundError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.tenancy.tenant import Scope

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/dead-letters",
        operation="listDeadLetters",
        summary="List the executions that failed for good, newest first",
        description=(
            "Executions in state `failed`, by `due_at`: their attempts are used up, or their receivers "
            "refused any further attempt. The index may lag by a moment, but the data of each listed "
            "execution is never stale."
        ),
        success=200,
        answer=DeadLetterPageOut,
        query=(*PAGING, *DEAD_LETTER_FILTERS),
        problems=PAGE_PROBLEMS,
    )
)
def list_dead_letters(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    criteria = dead_letter_filter(request.query)
    query = {
        "list": "dead-letters",
        "job": criteria.job_id,
        "tag": criteria.tag,
        "reason": criteria.reason,
        "status": criteria.status,
        "lane": criteria.lane,
        "from": criteria.span.after.at,
        "to": criteria.span.before.at,
    }
    before = context.cursors.unseal(request.tenant, query, cursor, read_index_position)
    page = context.cases.dead_letters.list_dead_letters.execute(
        request.tenant.id, limit=limit, criteria=criteria, before=before
    )
    beside = read_beside(context, request.tenant, page.executions)
    dead_letters = DeadLetterPageOut(
        executions=[dead_letter_out(execution, beside) for execution in page.executions],
        next_cursor=context.cursors.seal(request.tenant, query, index_parts(page.next_before)),
    )
    return json_response(200, dead_letters)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/dead-letters/<execution_id>",
        operation="inspectDeadLetter",
        summary="Show a dead letter with its request",
        description=(
            "Header values and the body are withheld. `reveal=true` shows them: the key then needs `admin` "
            "besides `read`, and the audit trail records it."
        ),
        success=200,
        answer=InspectedOut,
        query=("reveal",),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND),
    )
)
def inspect_dead_letter(context: Context, request: AuthenticatedRequest) -> Response:
    execution_id, reveal = request.path_values["execution_id"], request.flag("reveal")
    if reveal:
        request.require_scope(Scope.ADMIN)
    execution = context.cases.core.find_execution.execute(request.tenant.id, execution_id)
    if execution.state is not State.FAILED:
        raise NotFoundError("no such dead letter")
    stored = _stored_request(context, request, execution)
    beside = read_beside(context, request.tenant, [execution])
    inspected = inspected_out(execution, beside, stored, reveal=reveal)
    if reveal:
        # Revealing a secret is recorded like a change.
        context.audit.record(request, "revealRequest", execution_id, None, inspected)
    return json_response(200, inspected)


def _stored_request(context: Context, request: AuthenticatedRequest, execution: Execution) -> Request | None:
    """None where the request is no longer stored."""
    try:
        return context.open_request(request.tenant, execution)
    except UnreadableItemError:
        return None
