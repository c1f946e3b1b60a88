"""The HTTP application: admit, route, act, and answer every error as a problem document."""

from dataclasses import dataclass, replace
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api import faults
from functions.api.gate import Admitted, admit, check_scope
from functions.api.problems import Problem, ProblemError, respond
from functions.api.reading import header, query
from functions.api.reference.pages import PAGES, page_answer
from functions.api.route import Call, Route
from functions.api.routes import ROUTES
from functions.api.service import Service
from shared.names import Metric
from shared.observability import count, logger
from shared.usecases.tenancy.authenticate import Authenticate
from shared.usecases.tenancy.check_quota import CheckQuota

_REFUSED = {Problem.RATE_LIMITED: Metric.RATE_LIMITED, Problem.QUOTA_EXCEEDED: Metric.QUOTA_EXCEEDED}


@dataclass(slots=True)
class _Ended(Exception):  # noqa: N818 - carries an answer out of the resolver
    """An error that a route raised, on its way to the one place that answers errors."""

    cause: Exception


class Api:
    """Powertools routes; everything before and after a route is here."""

    def __init__(self, service: Service, authenticate: Authenticate, check_quota: CheckQuota) -> None:
        self._service = service
        self._authenticate = authenticate
        self._check_quota = check_quota
        self._resolver = APIGatewayHttpResolver()
        for route, call in ROUTES.items():
            self._register(route, call)
        for path in PAGES:
            self._resolver.get(path)(self._show_page)
        self._resolver.not_found(self._no_route)
        self._resolver.exception_handler(Exception)(_carry_out)

    def __call__(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """The answer to one HTTP API event of payload version 2.0."""
        request_id = event["requestContext"].get("requestId") or context.aws_request_id
        try:
            admitted = replace(admit(event, self._authenticate, self._check_quota), request_id=request_id)
            self._resolver.append_context(admitted=admitted)  # type: ignore[no-untyped-call]
            return self._resolver.resolve(event, context)
        except _Ended as ended:
            return self._fault(ended.cause, request_id)
        except Exception as fault:  # noqa: BLE001 - the last line of defence: a client always gets a problem document
            return self._fault(fault, request_id)

    def _register(self, route: Route, call: Call) -> None:
        def endpoint(**arguments: str) -> Response[str]:
            self._resolver.append_context(arguments=arguments)  # type: ignore[no-untyped-call]
            admitted: Admitted = self._resolver.context["admitted"]
            if admitted.principal is not None:
                # Again, by the route that was found: however a path is spelled, it cannot slip past its scope.
                check_scope(admitted.principal, route.method, route.path)
            if route.path_parts:
                self._check_method()
            query(self._resolver, route.query)
            return call(self._service, self._resolver, admitted)

        self._resolver.route(route.path, method=route.method)(endpoint)

    def _show_page(self) -> Response[str]:
        return page_answer(self._resolver.current_event.path, header(self._resolver, "if-none-match"))

    def _no_route(self, _: Exception) -> Response[str]:
        self._check_method()
        raise ProblemError(Problem.NOT_FOUND, "there is no such path")

    def _check_method(self) -> None:
        """A path that is written out, such as that of a batch, is no id in another path."""
        path, method = self._resolver.current_event.path, self._resolver.current_event.http_method
        allowed = sorted(_methods_of(path))
        if allowed and method not in allowed:
            raise ProblemError(
                Problem.METHOD_NOT_ALLOWED,
                f"{path} has {', '.join(allowed)}",
                headers={"Allow": ", ".join(allowed)},
            )

    def _fault(self, fault: Exception, request_id: str) -> dict[str, Any]:
        problem = faults.problem_for(fault)
        if problem is None:
            count(Metric.API_ERRORS)
            logger.exception("unexpected error", exc_info=fault, extra={"request_id": request_id})
            problem = ProblemError(Problem.INTERNAL_ERROR, "the request id finds it in the operator's logs")
        if problem.problem in _REFUSED:
            count(_REFUSED[problem.problem])
        answer = respond(problem, request_id)
        return {
            "statusCode": answer.status_code,
            "headers": {"Content-Type": answer.content_type or "", **_flat(answer.headers)},
            "body": answer.body,
            "isBase64Encoded": False,
        }


def _carry_out(fault: Exception) -> Response[str]:
    raise _Ended(fault)


def _methods_of(path: str) -> set[str]:
    """The methods that a path has, whatever its parameters are."""
    known = [(route.path, route.method) for route in ROUTES] + [(page, "GET") for page in PAGES]
    exact = {method for template, method in known if template == path}
    return exact or {method for template, method in known if _fits(template, path)}


def _fits(template: str, path: str) -> bool:
    criteria, given = template.split("/"), path.split("/")
    return len(criteria) == len(given) and all(
        part.startswith("<") or part == actual for part, actual in zip(criteria, given, strict=True)
    )


def _flat(headers: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in headers.items()}
