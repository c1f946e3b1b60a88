"""Who changed what."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.audit import AuditPageOut
from functions.api.problems import Problem, ProblemError
from functions.api.reading import paging, query, subject_of, tenant_of
from functions.api.route import PAGING, Call, Route, answer
from functions.api.service import Service
from shared.domain.errors import InvalidValueError
from shared.domain.schedules.schedule import parse_instant

_FILTER = ("from", "to", "target")
_MAX_TARGET = 128
_FOREVER = 10**14
"""An instant in ms that is behind every record and has no more digits than a key has room for."""


def list_audit(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show the changes of a tenant's things."""
    limit, cursor = paging(app, *_FILTER)
    target = query(app, (*_FILTER, *PAGING)).get("target")
    if target is not None and not 1 <= len(target) <= _MAX_TARGET:
        raise ProblemError(Problem.MALFORMED_REQUEST, f"target is 1 to {_MAX_TARGET} characters")
    reader, subject = tenant_of(admitted), subject_of(app, admitted)
    if subject != reader.id:
        service.accounts.tenants.find_tenant.execute(subject)
    page = service.audit.page(
        reader,
        subject,
        from_at=_instant(app, "from", 0),
        until_at=_instant(app, "to", _FOREVER),
        target=target,
        limit=limit,
        cursor=cursor,
    )
    return answer(200, page)


def _instant(app: APIGatewayHttpResolver, name: str, default: int) -> int:
    text = query(app, (*_FILTER, *PAGING)).get(name)
    if text is None:
        return default
    try:
        return max(0, parse_instant(text, None))
    except InvalidValueError as fault:
        raise ProblemError(
            Problem.MALFORMED_REQUEST, f"{name} is an RFC 3339 instant with an offset"
        ) from fault


def _route(path: str, operation: str, summary: str, description: str, *also: Problem) -> Route:
    return Route(
        method="GET",
        path=path,
        operation=operation,
        summary=summary,
        description=description,
        success=200,
        answer=AuditPageOut,
        query=(*PAGING, *_FILTER),
        problems=(Problem.MALFORMED_REQUEST, *also, Problem.INVALID_CURSOR),
    )


ROUTES: dict[Route, Call] = {
    _route(
        "/v1/audit",
        "listAudit",
        "Show who changed what, newest first",
        "Each change leaves one record, written before the change is acknowledged.",
    ): list_audit,
    _route(
        "/v1/admin/tenants/<tenant_id>/audit",
        "listAuditOfTenant",
        "Show who changed what of a tenant, newest first (operators)",
        "Operators see with which key an operator acted; the tenant sees only that one did.",
        Problem.NOT_FOUND,
    ): list_audit,
}
