"""Tenants, for operators; and what one's own tenant may have and has."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.bodies import read_body
from functions.api.gate import Admitted
from functions.api.models.tenants import (
    NewTenantOut,
    TenantIn,
    TenantOut,
    TenantPageOut,
    TenantPatch,
    UsageOut,
)
from functions.api.operations.audit import author_of
from functions.api.problems import Problem
from functions.api.reading import paging, path_part, require_json, subject_of, tenant_of
from functions.api.route import BODY_PROBLEMS, PAGING, Call, Route, answer
from functions.api.service import Service


def create_tenant(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Make a tenant."""
    require_json(app)
    made = service.accounts.tenants.create(author_of(admitted), read_body(admitted.body, TenantIn))
    return answer(201, made, {"Location": f"/v1/admin/tenants/{made.tenant.id}"})


def list_tenants(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show all tenants."""
    return answer(200, service.accounts.tenants.page(tenant_of(admitted), *paging(app)))


def get_tenant(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show a tenant."""
    return answer(200, service.accounts.tenants.get(path_part(app, "tenant_id")))


def change_tenant(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Suspend a tenant, or change its limits."""
    require_json(app)
    asked = read_body(admitted.body, TenantPatch)
    return answer(
        200, service.accounts.tenants.change(author_of(admitted), path_part(app, "tenant_id"), asked)
    )


def get_usage(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show limits, and what of them is used."""
    return answer(200, service.accounts.tenants.usage(subject_of(app, admitted)))


ROUTES: dict[Route, Call] = {
    Route(
        method="GET",
        path="/v1/usage",
        operation="getUsage",
        summary="Show the tenant's quotas and what of them is in use",
        description="Quotas that nobody counts have `used` null.",
        success=200,
        answer=UsageOut,
    ): get_usage,
    Route(
        method="GET",
        path="/v1/admin/tenants",
        operation="listTenants",
        summary="Show all tenants (operators)",
        description="By their ids.",
        success=200,
        answer=TenantPageOut,
        query=PAGING,
        problems=(Problem.INVALID_CURSOR,),
    ): list_tenants,
    Route(
        method="POST",
        path="/v1/admin/tenants",
        operation="createTenant",
        summary="Create a tenant with a first API key (operators)",
        description="The API key and the signing secret are shown this once.",
        success=201,
        answer=NewTenantOut,
        body=TenantIn,
        problems=(*BODY_PROBLEMS, Problem.INVALID_STATE),
        answer_headers=("Location",),
    ): create_tenant,
    Route(
        method="GET",
        path="/v1/admin/tenants/<tenant_id>",
        operation="getTenant",
        summary="Show a tenant (operators)",
        description="Its state, its limits, and which of them are its own.",
        success=200,
        answer=TenantOut,
        problems=(Problem.NOT_FOUND,),
    ): get_tenant,
    Route(
        method="PATCH",
        path="/v1/admin/tenants/<tenant_id>",
        operation="changeTenant",
        summary="Suspend a tenant or let it in again, change its weight and quotas (operators)",
        description=(
            "A suspended tenant's requests are refused within a minute; **its jobs go on running**. A quota "
            "of null goes back to the deployment's default. `index_shards` only ever grows. `on_success` and "
            "`on_failure` are told of the outcomes of jobs that say nothing of it; null takes them away."
        ),
        success=200,
        answer=TenantOut,
        body=TenantPatch,
        problems=(
            *BODY_PROBLEMS,
            Problem.NOT_FOUND,
            Problem.INVALID_STATE,
            Problem.CALLBACK_URL_NOT_ALLOWED,
        ),
    ): change_tenant,
    Route(
        method="GET",
        path="/v1/admin/tenants/<tenant_id>/usage",
        operation="getUsageOfTenant",
        summary="Show a tenant's quotas and what of them is in use (operators)",
        description="The same as the tenant sees.",
        success=200,
        answer=UsageOut,
        problems=(Problem.NOT_FOUND,),
    ): get_usage,
}
