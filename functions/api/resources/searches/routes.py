"""/v1/executions/search and /v1/searches: start, follow and cancel searches of executions."""

from typing import Any

from functions.api.context import Context
from functions.api.http.idempotency import replay_header
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import (
    BODY_PROBLEMS,
    IDEMPOTENCY_PROBLEMS,
    PAGE_PROBLEMS,
    PAGING,
    Route,
    Routes,
    json_response,
)
from functions.api.resources.searches.models import SearchDetailOut, SearchIn, SearchOut, SearchPageOut
from functions.api.resources.searches.presenter import search_detail_out, search_out
from shared.domain.archive.search_task import is_search_task_id

ROUTES = Routes()
_LISTED = {"list": "searches"}


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/executions/search",
        operation="searchExecutions",
        summary="Search the executions of a long range, into files",
        description=(
            "A 202 means that the search is durable. It begins within a minute, in the background, with the newest "
            "executions, and reads the archive behind the tables. Follow it under `/v1/searches`, which has URLs "
            "of its files once it has finished. A tenant can have three open searches. The scope `read` is enough."
        ),
        success=202,
        answer=SearchOut,
        answer_headers=("Location",),
        body=SearchIn,
        headers=("Idempotency-Key",),
        problems=(*BODY_PROBLEMS, *IDEMPOTENCY_PROBLEMS, Problem.INVALID_STATE),
    )
)
def search_executions(context: Context, request: AuthenticatedRequest) -> Response:
    new, key = request.read(SearchIn).new_search(), request.idempotency_key()
    started = context.cases.searches.start.execute(request.tenant, new, key)
    search = search_out(started.task)
    context.audit.record(request, "searchExecutions", search.id, None, search)
    headers = {"Location": f"/v1/searches/{search.id}"}
    return json_response(202, search, headers | replay_header(replayed=started.replayed))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/searches",
        operation="listSearches",
        summary="List searches, newest first",
        description="Searches that have ended are listed as long as records of executions are kept.",
        success=200,
        answer=SearchPageOut,
        query=PAGING,
        problems=PAGE_PROBLEMS,
    )
)
def list_searches(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    before = context.cursors.unseal(request.tenant, _LISTED, cursor, _read_position)
    tasks, more = context.cases.searches.manage.latest(request.tenant.id, before, limit)
    page = SearchPageOut(
        searches=[search_out(task) for task in tasks],
        next_cursor=context.cursors.seal(request.tenant, _LISTED, None if more is None else [more]),
    )
    return json_response(200, page)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/searches/<search_id>",
        operation="getSearch",
        summary="Show the progress of a search, and its files",
        description=(
            "The read is strongly consistent. Each response has new URLs, so that an expired one is replaced by "
            "another request. A URL alone suffices to read the file: treat it like a secret."
        ),
        success=200,
        answer=SearchDetailOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_search(context: Context, request: AuthenticatedRequest) -> Response:
    manage = context.cases.searches.manage
    task = manage.find(request.tenant.id, request.path_values["search_id"])
    return json_response(200, search_detail_out(task, manage.urls(task), context.now_ms()))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/searches/<search_id>",
        operation="cancelSearch",
        summary="Cancel a search that is still running",
        description="What it has found is dropped. A repetition changes nothing.",
        success=200,
        answer=SearchOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    )
)
def cancel_search(context: Context, request: AuthenticatedRequest) -> Response:
    manage, search_id = context.cases.searches.manage, request.path_values["search_id"]
    before = search_out(manage.find(request.tenant.id, search_id))
    after = search_out(manage.cancel(request.tenant.id, search_id))
    context.audit.record(request, "cancelSearch", search_id, before, after)
    return json_response(200, after)


def _read_position(parts: list[Any]) -> str:
    match parts:
        case [str(search_id)] if is_search_task_id(search_id):
            return search_id
    raise ValueError("no position among searches")
