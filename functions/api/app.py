"""The HTTP application: admit, route, call the handler, and answer every error with a problem document."""

from dataclasses import dataclass, replace
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.context import Context
from functions.api.http.admission import admit, check_scope
from functions.api.http.error_mapping import problem_for
from functions.api.http.problems import Problem, ProblemError, respond
from functions.api.http.request import AuthenticatedRequest, read_query
from functions.api.http.route import Handler, Route
from functions.api.reference.pages import PAGES, ROOT_PATH, page_answer, root_answer
from functions.api.routes import ROUTES
from shared.domain.dispatch.clock_skew import is_too_far_behind
from shared.domain.errors import UnavailableError
from shared.names import Metric
from shared.observability import count, logger

_METRICS = {Problem.RATE_LIMITED: Metric.RATE_LIMITED, Problem.QUOTA_EXCEEDED: Metric.QUOTA_EXCEEDED}


@dataclass(slots=True)
class _RouteError(Exception):
    """Carries an error out of the resolver, which would otherwise answer some errors itself."""

    cause: Exception


class Api:
    """The Powertools resolver with everything that comes before and after a handler."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._resolver = APIGatewayHttpResolver()
        for route, handler in ROUTES.items():
            self._register(route, handler)
        for path in PAGES:
            self._resolver.get(path)(self._show_page)
        self._resolver.get(ROOT_PATH)(root_answer)
        self._resolver.not_found(self._no_route)
        self._resolver.exception_handler(Exception)(_reraise)

    def __call__(self, event: dict[str, Any], lambda_context: Any) -> dict[str, Any]:
        """The response to one HTTP API event of payload version 2.0. Raises nothing."""
        is_head = event["requestContext"]["http"]["method"] == "HEAD"
        response = self._respond(_as_get(event) if is_head else event, lambda_context)
        response["headers"] = {**response["headers"], "X-Content-Type-Options": "nosniff"}
        return {**response, "body": "", "isBase64Encoded": False} if is_head else response

    def _respond(self, event: dict[str, Any], lambda_context: Any) -> dict[str, Any]:
        request_id = event["requestContext"].get("requestId") or lambda_context.aws_request_id
        tenancy = self._context.cases.tenancy
        try:
            self._check_clock(event["requestContext"].get("timeEpoch"))
            request = admit(
                event, tenancy.authenticate, self._context.cases.core.limit_requests, tenancy.check_quota
            )
            self._resolver.append_context(  # type: ignore[no-untyped-call]
                request=replace(request, request_id=request_id)
            )
            return self._resolver.resolve(event, lambda_context)
        except _RouteError as error:
            return self._error_response(error.cause, request_id)
        except Exception as error:  # noqa: BLE001 - a client always gets a problem document
            return self._error_response(error, request_id)

    def _check_clock(self, received_at: int | None) -> None:
        """UnavailableError if this process's clock is too far behind API Gateway's."""
        now_ms = self._context.now_ms()
        if received_at is not None and is_too_far_behind(now_ms, received_at):
            logger.error("clock behind", extra={"behind_ms": received_at - now_ms})
            raise UnavailableError("the clock of this process is behind")

    def _register(self, route: Route, handler: Handler) -> None:
        def endpoint(**path_values: str) -> Response[str]:
            event = self._resolver.current_event
            request: AuthenticatedRequest = self._resolver.context["request"]
            if request.principal is not None:
                # Checked again for the matched route: no spelling of a path can evade its scope.
                check_scope(request.principal, route.method, route.path)
            if route.path_parts:
                self._check_method()
            query = read_query(event, route.query)
            if not event.path.isprintable():
                # The router ignores a newline at the end of a path, which admission has judged as another path.
                raise ProblemError(Problem.NOT_FOUND, "there is no such path")
            routed = replace(request, path_values=path_values, query=query)
            if route.body is None:
                routed.require_no_body()
            return handler(self._context, routed)

        self._resolver.route(route.path, method=route.method)(endpoint)

    def _show_page(self) -> Response[str]:
        request: AuthenticatedRequest = self._resolver.context["request"]
        return page_answer(self._resolver.current_event.path, request.knows)

    def _no_route(self, _: Exception) -> Response[str]:
        self._check_method()
        raise ProblemError(Problem.NOT_FOUND, "there is no such path")

    def _check_method(self) -> None:
        """405 for a method that the path lacks. A literal path, such as /v1/jobs/batch, is never an id."""
        path, method = self._resolver.current_event.path, self._resolver.current_event.http_method
        methods = _methods_of(path)
        if methods and method not in methods:
            allowed = sorted(methods | ({"HEAD"} if "GET" in methods else set()))
            raise ProblemError(
                Problem.METHOD_NOT_ALLOWED,
                f"{path} has {', '.join(allowed)}{_missing_id(path, method)}",
                headers={"Allow": ", ".join(allowed)},
            )

    def _error_response(self, error: Exception, request_id: str) -> dict[str, Any]:
        problem = problem_for(error)
        if problem is None:
            count(Metric.API_ERRORS)
            logger.exception("unexpected error", exc_info=error, extra={"request_id": request_id})
            problem = ProblemError(Problem.INTERNAL_ERROR, "the request id finds it in the operator's logs")
        if problem.problem in _METRICS:
            count(_METRICS[problem.problem])
        response = respond(problem, request_id)
        headers = {name: str(value) for name, value in response.headers.items()}
        return {
            "statusCode": response.status_code,
            "headers": {"Content-Type": response.content_type or "", **headers},
            "body": response.body,
            "isBase64Encoded": False,
        }


def _reraise(error: Exception) -> Response[str]:
    raise _RouteError(error)


def _as_get(event: dict[str, Any]) -> dict[str, Any]:
    """The event of the GET whose headers answer a HEAD."""
    context = event["requestContext"]
    http = {**context["http"], "method": "GET"}
    return {**event, "requestContext": {**context, "http": http}}


def _methods_of(path: str) -> set[str]:
    """The methods of a literal path, or else of every template that the path matches."""
    templates = [(route.path, route.method) for route in ROUTES] + [
        (page, "GET") for page in (ROOT_PATH, *PAGES)
    ]
    literal = {method for template, method in templates if template == path}
    return literal or {method for template, method in templates if _matches(template, path)}


def _missing_id(path: str, method: str) -> str:
    """What a request to an action, such as /v1/jobs/pause, may have left out."""
    parent, _, action = path.rpartition("/")
    template = f"{parent}/<job_id>/{action}"
    is_action = any(route.path == template and route.method == method for route in ROUTES)
    return f"; {action} needs the id of a job: {parent}/{{job_id}}/{action}" if is_action else ""


def _matches(template: str, path: str) -> bool:
    expected, actual = template.split("/"), path.split("/")
    return len(expected) == len(actual) and all(
        part.startswith("<") or part == value for part, value in zip(expected, actual, strict=True)
    )
