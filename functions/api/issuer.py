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


def configuration_answer(context: Context, request: AuthenticatedRequest) -> Response:
    """The discovery document; ProblemError with a 404 in a deployment that issues no tokens."""
    # Imported late: few requests need it.
    from shared.domain.delivery.identity_token import PUBLISHED_SECONDS, configuration

    return _answer(configuration(_issuer(context)), request, PUBLISHED_SECONDS)


def keys_answer(context: Context, request: AuthenticatedRequest) -> Response:
    """The public keys. Raises like `configuration_answer`; UnavailableError while that of the signer is unknown.

    A set that lacks a key is cached for as long as the process itself waits before it asks for the key again.
    """
    # Imported late: few requests need it.
    from shared.domain.delivery.identity_token import PUBLISHED_SECONDS, UNREAD_PAUSE_SECONDS, key_set

    _issuer(context)
    published = context.ports.token_keys.public_keys()
    max_age = PUBLISHED_SECONDS if published.is_complete else UNREAD_PAUSE_SECONDS
    return _answer(key_set(published.keys), request, max_age)


def _issuer(context: Context) -> str:
    settings = context.settings
    if settings.token_issuer is None or not settings.token_keys:
        raise ProblemError(Problem.NOT_FOUND, "this deployment issues no identity tokens")
    return settings.token_issuer


def _answer(document: dict[str, Any], request: AuthenticatedRequest, max_age: int) -> Response:
    text = json.dumps(document, indent=2)
    headers = {"Cache-Control": f"public, max-age={max_age}", "ETag": tag_of(text)}
    is_known = request.knows(headers["ETag"])
    return Response(
        status_code=304 if is_known else 200,
        content_type=JSON,
        body="" if is_known else text,
        headers=headers,
    )
