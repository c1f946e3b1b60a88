"""API keys and signing secrets: of one's own tenant, and under /v1/admin, for operators, of any."""

from dataclasses import replace

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.bodies import read_body, read_optional
from functions.api.gate import OPERATORS_PATH, Admitted
from functions.api.models.keys import (
    KeyIn,
    KeyOut,
    KeyRotationIn,
    KeysOut,
    NewKeyOut,
    NewSecretOut,
    SecretOut,
    SecretRotationIn,
    SecretsOut,
)
from functions.api.operations.audit import author_of
from functions.api.problems import Problem
from functions.api.reading import path_part, require_json, subject_of, tenant_of
from functions.api.route import BODY_PROBLEMS, Call, Route, answer
from functions.api.service import Service
from shared.domain.tenancy.tenant import OPERATOR


def list_keys(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show all keys."""
    return answer(200, service.accounts.keys.all(subject_of(app, admitted)))


def create_key(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Make a key."""
    require_json(app)
    asked = read_body(admitted.body, KeyIn)
    return answer(201, service.accounts.keys.create(author_of(admitted), subject_of(app, admitted), asked))


def revoke_key(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """End a key now. Operators may end the last admin key of another tenant: they can make it a new one."""
    subject = subject_of(app, admitted)
    is_rescuable = tenant_of(admitted).id == OPERATOR != subject
    revoked = service.accounts.keys.revoke(
        author_of(admitted), subject, path_part(app, "key_id"), even_the_last=is_rescuable
    )
    return answer(200, revoked)


def rotate_key(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Put a new key in the place of an old one."""
    if admitted.body:
        require_json(app)
    asked = read_optional(admitted.body, KeyRotationIn)
    made = service.accounts.keys.rotate(
        author_of(admitted), subject_of(app, admitted), path_part(app, "key_id"), asked
    )
    return answer(201, made)


def list_secrets(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show which secrets sign."""
    return answer(200, service.accounts.secrets.all(subject_of(app, admitted)))


def rotate_secret(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Make a new signing secret."""
    if admitted.body:
        require_json(app)
    asked = read_optional(admitted.body, SecretRotationIn)
    return answer(201, service.accounts.secrets.rotate(author_of(admitted), subject_of(app, admitted), asked))


def retire_secret(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """End an old signing secret now."""
    retired = service.accounts.secrets.retire(
        author_of(admitted), subject_of(app, admitted), path_part(app, "secret_id")
    )
    return answer(200, retired)


_OWN: dict[Route, Call] = {
    Route(
        method="GET",
        path="/v1/keys",
        operation="listKeys",
        summary="Show the API keys",
        description="Dead ones are listed for a while.",
        success=200,
        answer=KeysOut,
    ): list_keys,
    Route(
        method="POST",
        path="/v1/keys",
        operation="createKey",
        summary="Create an API key",
        description="`api_key` is shown this once; only a hash of it is stored.",
        success=201,
        answer=NewKeyOut,
        body=KeyIn,
        problems=(*BODY_PROBLEMS, Problem.QUOTA_EXCEEDED),
    ): create_key,
    Route(
        method="DELETE",
        path="/v1/keys/<key_id>",
        operation="revokeKey",
        summary="Revoke an API key",
        description=(
            "It is refused everywhere within a minute. The last key that may manage keys cannot be revoked "
            "by its own tenant."
        ),
        success=200,
        answer=KeyOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    ): revoke_key,
    Route(
        method="POST",
        path="/v1/keys/<key_id>/rotate",
        operation="rotateKey",
        summary="Put a new API key in the place of an old one",
        description="With the same scopes and name; the old one ends after `overlap_seconds`.",
        success=201,
        answer=NewKeyOut,
        body=KeyRotationIn,
        problems=(*BODY_PROBLEMS, Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.QUOTA_EXCEEDED),
        body_is_optional=True,
    ): rotate_key,
    Route(
        method="GET",
        path="/v1/signing-secrets",
        operation="listSigningSecrets",
        summary="Show which secrets sign callbacks",
        description="Every call is signed with each secret that is in force, the current one first.",
        success=200,
        answer=SecretsOut,
    ): list_secrets,
    Route(
        method="POST",
        path="/v1/signing-secrets",
        operation="rotateSigningSecret",
        summary="Create a signing secret; the old ones sign beside it for a while",
        description="`signing_secret` is shown this once. Five may sign at once.",
        success=201,
        answer=NewSecretOut,
        body=SecretRotationIn,
        problems=(*BODY_PROBLEMS, Problem.INVALID_STATE),
        body_is_optional=True,
    ): rotate_secret,
    Route(
        method="DELETE",
        path="/v1/signing-secrets/<secret_id>",
        operation="retireSigningSecret",
        summary="End an old signing secret now",
        description="The current one cannot be retired: rotate first.",
        success=200,
        answer=SecretOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    ): retire_secret,
}


def _of_any_tenant(route: Route) -> Route:
    """The same, for operators."""
    return replace(
        route,
        path=route.path.replace("/v1", f"{OPERATORS_PATH}/tenants/<tenant_id>", 1),
        operation=f"{route.operation}OfTenant",
        summary=f"{route.summary} (operators, for any tenant)",
        problems=tuple(dict.fromkeys((*route.problems, Problem.NOT_FOUND))),
    )


ROUTES: dict[Route, Call] = _OWN | {_of_any_tenant(route): call for route, call in _OWN.items()}
