"""/v1/settings: what a tenant sets for all of its jobs."""

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, Route, Routes, json_response
from functions.api.resources.settings.models import SettingsOut, SettingsPatch
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.tenancy.account_documents import settings_document

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/settings",
        operation="getSettings",
        summary="Show the tenant's own settings",
        description="The defaults for jobs that set nothing else.",
        success=200,
        answer=SettingsOut,
    )
)
def get_settings(context: Context, request: AuthenticatedRequest) -> Response:
    tenant = context.cases.tenancy.find_tenant.execute(request.tenant.id)
    return json_response(200, _settings_out(context, tenant))


@ROUTES.add(
    Route(
        method="PATCH",
        path="/v1/settings",
        operation="changeSettings",
        summary="Change the tenant's own settings",
        description=(
            "`on_success` and `on_failure` are called with the outcomes of jobs that name no URL of their own, "
            "and `alerts` announces events of jobs that have none; null removes a member. Workers see a change "
            "within a minute."
        ),
        success=200,
        answer=SettingsOut,
        body=SettingsPatch,
        problems=(*BODY_PROBLEMS, Problem.CALLBACK_URL_NOT_ALLOWED),
    )
)
def change_settings(context: Context, request: AuthenticatedRequest) -> Response:
    change, tenant_id = request.read(SettingsPatch).tenant_change(), request.tenant.id
    before, after = context.cases.tenancy.change_tenant.execute(tenant_id, change)
    settings = _settings_out(context, after)
    context.audit.record(request, "changeSettings", tenant_id, _settings_out(context, before), settings)
    return json_response(200, settings)


def _settings_out(context: Context, tenant: Tenant) -> SettingsOut:
    return SettingsOut(**settings_document(tenant, context.ports.vault))
