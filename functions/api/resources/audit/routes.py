"""/v1/audit: the audit trail of the tenant; under /v1/admin/tenants/{tenant_id}/audit of any tenant."""

from functions.api.context import Context
from functions.api.http.cursors import seal_cursor, unseal_cursor
from functions.api.http.filters import instant
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import PAGE_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.audit.models import AuditPageOut, AuditRecordOut
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.audit import AuditRecord
from shared.domain.tenancy.tenant import OPERATOR, Tenant

ROUTES = Routes()
_FILTERS = ("from", "to", "target")
_MAX_TARGET = 128
_END_OF_TIME = 10**14
"""Later than every record, in milliseconds; the keys of the table have no room for more digits."""


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/audit",
        operation="listAudit",
        summary="List changes, newest first",
        description="Every change has one record, which is written before the change is acknowledged.",
        success=200,
        answer=AuditPageOut,
        query=(*PAGING, *_FILTERS),
        problems=PAGE_PROBLEMS,
    )
)
@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/tenants/<tenant_id>/audit",
        operation="listAuditOfTenant",
        summary="List changes of a tenant, newest first (operators)",
        description="Operators see the key of an operator who made a change; the tenant does not.",
        success=200,
        answer=AuditPageOut,
        query=(*PAGING, *_FILTERS),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND, Problem.INVALID_CURSOR),
    )
)
def list_audit(context: Context, request: AuthenticatedRequest) -> Response:
    limit, cursor = request.page()
    target = request.query.get("target")
    if target is not None and not 1 <= len(target) <= _MAX_TARGET:
        raise ProblemError(Problem.MALFORMED_REQUEST, f"target is 1 to {_MAX_TARGET} characters")
    reader, subject, vault = request.tenant, request.subject_id, context.ports.vault
    if subject != reader.id:
        context.cases.tenancy.find_tenant.execute(subject)
    from_at = max(0, instant(request.query, "from") or 0)
    until_at = instant(request.query, "to")
    until_at = _END_OF_TIME if until_at is None else max(0, until_at)
    query = f"audit|{subject}|{from_at}|{until_at}|{target or ''}"
    after = None if cursor is None else unseal_cursor(vault, reader, query, cursor)
    page = context.ports.audit_log.page(
        subject, from_at=from_at, until_at=until_at, target=target, limit=limit, after=after
    )
    records = AuditPageOut(
        records=[_record_out(record, reader) for record in page.records],
        next_cursor=page.next_after and seal_cursor(vault, reader, query, page.next_after),
    )
    return json_response(200, records)


def _record_out(record: AuditRecord, reader: Tenant) -> AuditRecordOut:
    by_operator = record.actor.tenant_id == OPERATOR
    return AuditRecordOut(
        id=record.id,
        at=format_instant(record.at),
        actor="operator" if by_operator else "tenant",
        key_id=None if by_operator and reader.id != OPERATOR else record.actor.key_id,
        operation=record.operation,
        target=record.target,
        before=record.before,
        after=record.after,
        request_id=record.request_id,
    )
