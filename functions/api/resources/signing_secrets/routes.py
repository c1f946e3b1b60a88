"""/v1/signing-secrets: signing secrets; under /v1/admin/tenants/{tenant_id} those of any tenant."""

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, Route, Routes, json_response
from functions.api.resources.signing_secrets.models import (
    NewSecretOut,
    SecretOut,
    SecretRotationIn,
    SecretsOut,
)
from shared.usecases.tenancy.account_documents import secret_document

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/signing-secrets",
        operation="listSigningSecrets",
        summary="List the secrets that sign callbacks",
        description=(
            "The calls of a job are signed with each active secret of its `signing_secret`, the current one first."
        ),
        success=200,
        answer=SecretsOut,
    ),
    for_operators=True,
)
def list_secrets(context: Context, request: AuthenticatedRequest) -> Response:
    now_ms = context.now_ms()
    secrets = [
        SecretOut(**secret_document(secret, now_ms))
        for secret in context.cases.tenancy.signing_secrets.of(request.subject_id)
    ]
    return json_response(200, SecretsOut(signing_secrets=secrets))


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/signing-secrets",
        operation="rotateSigningSecret",
        summary="Create a signing secret; the old ones sign beside it for a while",
        description=(
            "`signing_secret` is shown only once. At most five secrets of one name sign at once, and a tenant has "
            "at most 20 names. A name stays: jobs may give it as their `signing_secret`."
        ),
        success=201,
        answer=NewSecretOut,
        body=SecretRotationIn,
        body_is_optional=True,
        problems=(*BODY_PROBLEMS, Problem.INVALID_STATE),
    ),
    for_operators=True,
)
def rotate_secret(context: Context, request: AuthenticatedRequest) -> Response:
    body = request.read_optional(SecretRotationIn)
    new = context.cases.tenancy.signing_secrets.rotate(
        request.subject_id, overlap_seconds=body.overlap_seconds, name=body.name
    )
    secret = SecretOut(**secret_document(new.secret, context.now_ms()))
    context.audit.record(
        request, "rotateSigningSecret", secret.id, None, secret, tenant_id=request.subject_id
    )
    return json_response(201, NewSecretOut(**secret.model_dump(), signing_secret=new.text))


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/signing-secrets/<secret_id>",
        operation="retireSigningSecret",
        summary="Retire an old signing secret now",
        description="The current secret of a name, or without one, cannot be retired: rotate first.",
        success=200,
        answer=SecretOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    ),
    for_operators=True,
)
def retire_secret(context: Context, request: AuthenticatedRequest) -> Response:
    secret_id = request.path_values["secret_id"]
    before, after = context.cases.tenancy.signing_secrets.retire(request.subject_id, secret_id)
    now_ms = context.now_ms()
    old, secret = (SecretOut(**secret_document(each, now_ms)) for each in (before, after))
    context.audit.record(request, "retireSigningSecret", secret_id, old, secret, tenant_id=request.subject_id)
    return json_response(200, secret)
