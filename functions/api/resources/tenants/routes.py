"""/v1/admin/tenants: create, list, read and change tenants. For operators."""

from functions.api.context import Context
from functions.api.http.cursors import seal_cursor, unseal_cursor
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.keys.models import KeyOut
from functions.api.resources.tenants.models import (
    NewTenantOut,
    TenantIn,
    TenantOut,
    TenantPageOut,
    TenantPatch,
)
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.tenancy.account_documents import key_document, tenant_document

ROUTES = Routes()
_CURSOR_QUERY = "tenants"


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/tenants",
        operation="listTenants",
        summary="List all tenants (operators)",
        description="By id.",
        success=200,
        answer=TenantPageOut,
        query=PAGING,
        problems=(Problem.INVALID_CURSOR,),
    )
)
def list_tenants(context: Context, request: AuthenticatedRequest) -> Response:
    (limit, cursor), reader, vault = request.page(), request.tenant, context.ports.vault
    after = None if cursor is None else unseal_cursor(vault, reader, _CURSOR_QUERY, cursor)
    page = context.cases.tenancy.list_tenants.execute(limit=limit, after=after)
    tenants = TenantPageOut(
        tenants=[_tenant_out(context, tenant) for tenant in page.tenants],
        next_cursor=page.next_after and seal_cursor(vault, reader, _CURSOR_QUERY, page.next_after),
    )
    return json_response(200, tenants)


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/admin/tenants",
        operation="createTenant",
        summary="Create a tenant with a first API key (operators)",
        description="The API key and the signing secret are shown only once.",
        success=201,
        answer=NewTenantOut,
        answer_headers=("Location",),
        body=TenantIn,
        problems=(*BODY_PROBLEMS, Problem.INVALID_STATE),
    )
)
def create_tenant(context: Context, request: AuthenticatedRequest) -> Response:
    body = request.read(TenantIn)
    new = context.cases.tenancy.create_tenant.execute(body.id, body.scopes)
    tenant = _tenant_out(context, new.tenant)
    key = KeyOut(**key_document(new.key, context.now_ms()))
    context.audit.record(request, "createTenant", tenant.id, None, tenant, tenant_id=tenant.id)
    credentials = NewTenantOut(tenant=tenant, key=key, api_key=new.api_key, signing_secret=new.signing_secret)
    return json_response(201, credentials, {"Location": f"/v1/admin/tenants/{tenant.id}"})


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/tenants/<tenant_id>",
        operation="getTenant",
        summary="Show a tenant (operators)",
        description="The state, the quotas, and which quotas override the defaults.",
        success=200,
        answer=TenantOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_tenant(context: Context, request: AuthenticatedRequest) -> Response:
    tenant = context.cases.tenancy.find_tenant.execute(request.subject_id)
    return json_response(200, _tenant_out(context, tenant))


@ROUTES.add(
    Route(
        method="PATCH",
        path="/v1/admin/tenants/<tenant_id>",
        operation="changeTenant",
        summary="Suspend or resume a tenant, or change its weight and quotas (operators)",
        description=(
            "Requests of a suspended tenant are refused within a minute, and **none of its calls begins from "
            "`effective_at` on**. A resumed tenant (`active`) gets both back at `effective_at`; what it had paused "
            "itself stays paused. A quota of null returns to the deployment's default. `index_shards` can only "
            "grow. `on_success` and `on_failure` are called with the outcomes of jobs that name no URL of their "
            "own; null removes them. `target_roles` let its jobs reach targets in AWS: the trust policy of each role "
            "requires `target_external_id`."
        ),
        success=200,
        later="The state changes at `effective_at`.",
        answer=TenantOut,
        body=TenantPatch,
        problems=(
            *BODY_PROBLEMS,
            Problem.NOT_FOUND,
            Problem.INVALID_STATE,
            Problem.CALLBACK_URL_NOT_ALLOWED,
        ),
    )
)
def change_tenant(context: Context, request: AuthenticatedRequest) -> Response:
    change, tenant_id = request.read(TenantPatch).tenant_change(), request.subject_id
    before, after = context.cases.tenancy.change_tenant.execute(tenant_id, change)
    tenant = _tenant_out(context, after)
    context.audit.record(
        request, "changeTenant", tenant_id, _tenant_out(context, before), tenant, tenant_id=tenant_id
    )
    effective_at = context.cases.tenancy.change_tenant.effective_at(after) if change.state else None
    if effective_at is None or effective_at <= context.now_ms():
        return json_response(200, tenant)
    return json_response(202, tenant.model_copy(update={"effective_at": format_instant(effective_at)}))


def _tenant_out(context: Context, tenant: Tenant) -> TenantOut:
    document = tenant_document(tenant, context.settings.default_quotas, context.ports.vault)
    return TenantOut(**document)
