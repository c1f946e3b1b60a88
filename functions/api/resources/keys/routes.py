"""/v1/keys: API keys of the tenant; under /v1/admin/tenants/{tenant_id}/keys of any tenant, for operators.

/v1/whoami: the key of the request.
"""

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, Route, Routes, json_response
from functions.api.models import instant_out
from functions.api.resources.keys.models import (
    KeyIn,
    KeyOut,
    KeyRotationIn,
    KeysOut,
    NewKeyOut,
    WhoamiOut,
)
from shared.domain.tenancy.tenant import OPERATOR, ApiKey
from shared.usecases.tenancy.account_documents import key_document
from shared.usecases.tenancy.manage_keys import NewKey

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/keys",
        operation="listKeys",
        summary="List the API keys",
        description="Expired and revoked keys stay listed for a while.",
        success=200,
        answer=KeysOut,
    ),
    for_operators=True,
)
def list_keys(context: Context, request: AuthenticatedRequest) -> Response:
    keys = context.cases.tenancy.keyring.keys_of(request.subject_id)
    return json_response(200, KeysOut(keys=[_key_out(context, key) for key in keys]))


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/keys",
        operation="createKey",
        summary="Create an API key",
        description="`api_key` is shown only once; only a hash of it is stored.",
        success=201,
        answer=NewKeyOut,
        body=KeyIn,
        problems=(*BODY_PROBLEMS, Problem.QUOTA_EXCEEDED),
    ),
    for_operators=True,
)
def create_key(context: Context, request: AuthenticatedRequest) -> Response:
    body = request.read(KeyIn)
    new = context.cases.tenancy.keyring.create(
        request.subject_id,
        body.scopes,
        name=body.name,
        expires_at=_expires_at(context, body.expires_in_seconds),
    )
    return _created(context, request, new)


@ROUTES.add(
    Route(
        method="DELETE",
        path="/v1/keys/<key_id>",
        operation="revokeKey",
        summary="Revoke an API key",
        description=(
            "Every function refuses it within a minute. A tenant cannot revoke its own last key that may "
            "manage keys."
        ),
        success=200,
        answer=KeyOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    ),
    for_operators=True,
)
def revoke_key(context: Context, request: AuthenticatedRequest) -> Response:
    key_id = request.path_values["key_id"]
    # Operators may revoke the last admin key of another tenant, since they can create a new one for it.
    even_the_last = request.tenant.id == OPERATOR != request.subject_id
    before, after = context.cases.tenancy.keyring.revoke(
        request.subject_id, key_id, even_the_last=even_the_last
    )
    old, key = _key_out(context, before), _key_out(context, after)
    context.audit.record(request, "revokeKey", key_id, old, key, tenant_id=request.subject_id)
    return json_response(200, key)


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/keys/<key_id>/rotate",
        operation="rotateKey",
        summary="Replace an API key with a new one",
        description="The new key has the same scopes and name; the old one ends after `overlap_seconds`.",
        success=201,
        answer=NewKeyOut,
        body=KeyRotationIn,
        body_is_optional=True,
        problems=(*BODY_PROBLEMS, Problem.NOT_FOUND, Problem.INVALID_STATE, Problem.QUOTA_EXCEEDED),
    ),
    for_operators=True,
)
def rotate_key(context: Context, request: AuthenticatedRequest) -> Response:
    body, key_id = request.read_optional(KeyRotationIn), request.path_values["key_id"]
    rotation = context.cases.tenancy.keyring.rotate(
        request.subject_id,
        key_id,
        overlap_seconds=body.overlap_seconds,
        expires_at=_expires_at(context, body.expires_in_seconds),
    )
    before, after = _key_out(context, rotation.old_before), _key_out(context, rotation.old_after)
    context.audit.record(request, "rotateKey", key_id, before, after, tenant_id=request.subject_id)
    return _created(context, request, rotation.new)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/whoami",
        operation="getWhoami",
        summary="Show the tenant and the key of the request",
        description="Every valid key may ask, whatever its scopes. A change of the key shows within a minute.",
        success=200,
        answer=WhoamiOut,
    )
)
def get_whoami(context: Context, request: AuthenticatedRequest) -> Response:
    """What authentication has read already: the answer costs no further read."""
    tenant, key = request.tenant, request.authenticated.key
    whoami = WhoamiOut(
        tenant=tenant.id,
        is_operator=tenant.id == OPERATOR,
        key_id=key.id,
        scopes=sorted(key.scopes),
        expires_at=instant_out(key.expires_at),
    )
    return json_response(200, whoami)


def _created(context: Context, request: AuthenticatedRequest, new: NewKey) -> Response:
    key = _key_out(context, new.key)
    context.audit.record(request, "createKey", key.id, None, key, tenant_id=request.subject_id)
    return json_response(201, NewKeyOut(**key.model_dump(), api_key=new.text))


def _expires_at(context: Context, seconds: int | None) -> int | None:
    return None if seconds is None else context.now_ms() + seconds * 1000


def _key_out(context: Context, key: ApiKey) -> KeyOut:
    return KeyOut(**key_document(key, context.now_ms()))
