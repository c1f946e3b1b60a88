"""/v1/usage: a tenant's quotas and their present usage."""

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import Route, Routes, json_response
from functions.api.resources.usage.models import UsageOut
from shared.usecases.tenancy.account_documents import usage_document

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/usage",
        operation="getUsage",
        summary="Show the tenant's quotas and their present usage",
        description="`used` is null for quotas that are not counted.",
        success=200,
        answer=UsageOut,
    )
)
@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/tenants/<tenant_id>/usage",
        operation="getUsageOfTenant",
        summary="Show a tenant's quotas and their present usage (operators)",
        description="The same as the tenant sees.",
        success=200,
        answer=UsageOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_usage(context: Context, request: AuthenticatedRequest) -> Response:
    tenant = context.cases.tenancy.find_tenant.execute(request.subject_id)
    return json_response(200, UsageOut(**usage_document(context.cases.tenancy.read_usage.execute(tenant))))
