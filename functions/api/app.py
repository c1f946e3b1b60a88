"""The HTTP application: admit, route, call the handler, and answer every error with a problem document."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from functions.api.console.assets import ASSET_PATH, asset_answer
from functions.api.console.assets import page_answer as console_answer
from functions.api.context import Context
from functions.api.http.admission import admit, check_scope
from functions.api.http.error_mapping import problem_for
from functions.api.http.problems import Problem, ProblemError, respond
from functions.api.http.request import AuthenticatedRequest, read_query
from functions.api.http.response import Response
from functions.api.http.route import Handler, Route
from functions.api.http.router import Router
from functions.api.issuer import CONFIGURATION_PATH, KEYS_PATH, configuration_answer, keys_answer
from functions.api.reference.pages import PAGES, ROOT_PATH, page_answer, root_answer
from functions.api.routes import SECTIONS, routes_of, section_of
from shared.domain.dispatch.clock_skew import is_too_far_behind
from shared.domain.errors import UnavailableError
from shared.names import CONSOLE_PATH, Metric
from shared.observability import count, logger

_METRICS = {Problem.RATE_LIMITED: Metric.RATE_LIMITED, Problem.QUOTA_EXCEEDED: Metric.QUOTA_EXCEEDED}
_Endpoint = Callable[[AuthenticatedRequest, dict[str, Any]], Response]
"""Answers an admitted request, of which it also sees the event."""


class Api:
    """The router, with everything that comes before and after a handler."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._routers: dict[str, Router[_Endpoint]] = {}
        """By section of the route table."""

    def __call__(self, event: dict[str, Any], lambda_context: Any) -> dict[str, Any]:
        """The response to one HTTP API event of payload version 2.0. Raises nothing."""
        request_id = event["requestContext"].get("requestId") or lambda_context.aws_request_id
        is_head = event["requestContext"]["http"]["method"] == "HEAD"
        try:
            response, encoding = self._respond(_as_get(event) if is_head else event, request_id)
        except Exception as error:  # noqa: BLE001 - a client always gets a problem document
            response, encoding = self._error_response(error, request_id), ""
        payload = response.payload(encoding)
        return {**payload, "body": "", "isBase64Encoded": False} if is_head else payload

    def _respond(self, event: dict[str, Any], request_id: str) -> tuple[Response, str]:
        """The response, and the encodings that the client accepts."""
        tenancy = self._context.cases.tenancy
        self._check_clock(event["requestContext"].get("timeEpoch"))
        request = admit(
            event, tenancy.authenticate, self._context.cases.core.limit_requests, tenancy.check_quota
        )
        path = event["rawPath"]
        endpoint, path_values = self._router_of(path).find(event["requestContext"]["http"]["method"], path)
        admitted = replace(request, request_id=request_id, path_values=path_values)
        return endpoint(admitted, event), request.header("accept-encoding") or ""

    def _router_of(self, path: str) -> Router[_Endpoint]:
        section = section_of(path)
        # Clients choose the names of sections: only those of the table are kept.
        section = section if section in SECTIONS else ""
        if section not in self._routers:
            self._routers[section] = Router(self._endpoints(section))
        return self._routers[section]

    def _endpoints(self, section: str) -> dict[tuple[str, str], _Endpoint]:
        if section:
            return {
                (route.method, route.path): partial(self._handle, route, handler)
                for route, handler in routes_of(section).items()
            }
        pages: dict[tuple[str, str], _Endpoint] = {("GET", path): partial(_show_page, path) for path in PAGES}
        pages["GET", ASSET_PATH] = lambda request, _event: asset_answer(request)
        pages["GET", CONFIGURATION_PATH] = lambda request, _event: configuration_answer(
            self._context, request
        )
        pages["GET", KEYS_PATH] = lambda request, _event: keys_answer(self._context, request)
        pages["GET", CONSOLE_PATH] = lambda request, _event: console_answer(request)
        return pages | {("GET", ROOT_PATH): lambda _request, _event: root_answer()}

    def _check_clock(self, received_at: int | None) -> None:
        """UnavailableError if this process's clock is too far behind API Gateway's."""
        now_ms = self._context.now_ms()
        if received_at is not None and is_too_far_behind(now_ms, received_at):
            logger.error("clock behind", extra={"behind_ms": received_at - now_ms})
            raise UnavailableError("the clock of this process is behind")

    def _handle(
        self, route: Route, handler: Handler, request: AuthenticatedRequest, event: dict[str, Any]
    ) -> Response:
        if request.principal is not None:
            # Checked again for the matched route: no spelling of a path can evade its scope.
            check_scope(request.principal, route.method, route.path)
        request = replace(request, query=read_query(event, route.query))
        if route.body is None:
            request.require_no_body()
        return handler(self._context, request)

    def _error_response(self, error: Exception, request_id: str) -> Response:
        problem = problem_for(error)
        if problem is None:
            count(Metric.API_ERRORS)
            logger.error("unexpected error", exc_info=error, extra={"request_id": request_id})
            problem = ProblemError(Problem.INTERNAL_ERROR, "the request id finds it in the operator's logs")
        if problem.problem in _METRICS:
            count(_METRICS[problem.problem])
        return respond(problem, request_id)


def _show_page(path: str, request: AuthenticatedRequest, _event: dict[str, Any]) -> Response:
    return page_answer(path, request.knows)


def _as_get(event: dict[str, Any]) -> dict[str, Any]:
    """The event of the GET whose headers answer a HEAD."""
    context = event["requestContext"]
    http = {**context["http"], "method": "GET"}
    return {**event, "requestContext": {**context, "http": http}}
