"""The public documents of the deployment as an issuer of identity tokens. They need no API key.

They are no part of the OpenAPI document: OpenID Connect Discovery and RFC 7517 describe them, and libraries read them.
"""

import json
from typing import Any

from functions.api.context import Context
from functions.api.http.page import tag_of
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import JSON

CONFIGURATION_PATH = "/.well-known/openid-configuration"
KEYS_PATH = "/.well-known/jwks.json"
CACHE = "public, max-age=900"
"""As long as a process keeps the keys: a new key is published for longer before it signs."""


def configuration_answer(context: Context, request: AuthenticatedRequest) -> Response:
    """The discovery document; ProblemError with a 404 in a deployment that issues no tokens."""
    # Imported late: few requests need it.
    from shared.domain.delivery.identity_token import configuration

    return _answer(configuration(_issuer(context)), request)


def keys_answer(context: Context, request: AuthenticatedRequest) -> Response:
    """The public keys. Raises like `configuration_answer`; UnavailableError while none is known."""
    # Imported late: few requests need it.
    from shared.domain.delivery.identity_token import key_set

    _issuer(context)
    return _answer(key_set(context.ports.token_keys.public_keys()), request)


def _issuer(context: Context) -> str:
    settings = context.settings
    if settings.token_issuer is None or not settings.token_keys:
        raise ProblemError(Problem.NOT_FOUND, "this deployment issues no identity tokens")
    return settings.token_issuer


def _answer(document: dict[str, Any], request: AuthenticatedRequest) -> Response:
    text = json.dumps(document, indent=2)
    headers = {"Cache-Control": CACHE, "ETag": tag_of(text)}
    is_known = request.knows(headers["ETag"])
    return Response(
        status_code=304 if is_known else 200,
        content_type=JSON,
        body="" if is_known else text,
        headers=headers,
    )
