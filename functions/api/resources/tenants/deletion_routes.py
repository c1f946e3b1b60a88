"""/v1/admin/tenants/{id}/deletion: ask for the deletion of a tenant, and follow it. For operators."""

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, Route, Routes, json_response
from functions.api.resources.tenants.deletion_models import DeletionIn, DeletionOut
from shared.domain.tenancy.deletion import TenantDeletion
from shared.usecases.tenancy.account_documents import deletion_document

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/admin/tenants/<tenant_id>/deletion",
        operation="deleteTenant",
        summary="Delete a suspended tenant and all that is stored of it, for good (operators)",
        description=(
            "Only a tenant whose suspension has taken effect can be deleted; it cannot be resumed any more. The "
            "deletion proceeds in the background, and begins an hour after the suspension took effect at the "
            "earliest. A repetition changes nothing, and answers with the first request."
        ),
        success=202,
        answer=DeletionOut,
        body=DeletionIn,
        problems=(*BODY_PROBLEMS, Problem.NOT_FOUND, Problem.INVALID_STATE),
    )
)
def delete_tenant(context: Context, request: AuthenticatedRequest) -> Response:
    body, tenant_id = request.read(DeletionIn), request.subject_id
    context.cases.tenancy.delete_tenant.check(tenant_id)
    body.check(tenant_id)
    deletion = _deletion_out(context.cases.tenancy.delete_tenant.execute(tenant_id, body.asked_by))
    context.audit.record(request, "deleteTenant", tenant_id, None, deletion, tenant_id=tenant_id)
    return json_response(202, deletion)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/tenants/<tenant_id>/deletion",
        operation="getTenantDeletion",
        summary="Show how far the deletion of a tenant is (operators)",
        description="The record stays when the tenant is gone.",
        success=200,
        answer=DeletionOut,
        problems=(Problem.NOT_FOUND,),
    )
)
def get_tenant_deletion(context: Context, request: AuthenticatedRequest) -> Response:
    return json_response(200, _deletion_out(context.cases.tenancy.delete_tenant.find(request.subject_id)))


def _deletion_out(deletion: TenantDeletion) -> DeletionOut:
    return DeletionOut(**deletion_document(deletion))
