"""What is checked before a route is looked for: size, credential, tenant, scope. In this order, always."""

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from functions.api.problems import Problem, ProblemError
from functions.api.strict_json import MalformedRequestError
from shared.domain.tenant import Scope, TenantState
from shared.usecases.authenticate import Authenticate, Principal

MAX_BODY_BYTES = 256 * 1024
OPEN_PATHS = frozenset({"/v1/health", "/v1/openapi.json"})
_READS = frozenset({"GET", "HEAD"})
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="punctual"'}


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that may go on. `principal` is None on the paths that are open to all."""

    principal: Principal | None
    body: bytes


def admit(event: dict[str, Any], authenticate: Authenticate) -> Admitted:
    """ProblemError where the request must not go on."""
    body = _body(event)
    method = event["requestContext"]["http"]["method"]
    if method == "GET" and event.get("rawPath") in OPEN_PATHS:
        return Admitted(None, b"")
    principal = authenticate(_credential(event))
    if principal is None:
        raise ProblemError(
            Problem.UNAUTHENTICATED,
            "send a valid API key as Authorization: Bearer pk_...",
            headers=_CHALLENGE,
        )
    if principal.tenant.state is TenantState.SUSPENDED:
        raise ProblemError(Problem.FORBIDDEN, "this tenant is suspended")
    needed = Scope.READ if method in _READS else Scope.WRITE
    if needed not in principal.key.scopes:
        raise ProblemError(Problem.FORBIDDEN, f"this key lacks the scope {needed.value}")
    return Admitted(principal, body)


def _body(event: dict[str, Any]) -> bytes:
    raw = event.get("body") or ""
    if event.get("isBase64Encoded"):
        try:
            body = base64.b64decode(raw, validate=True)
        except binascii.Error as fault:
            raise MalformedRequestError("the body is not what its encoding says") from fault
    else:
        body = raw.encode(errors="surrogatepass")
    if len(body) > MAX_BODY_BYTES:
        raise ProblemError(Problem.PAYLOAD_TOO_LARGE, f"a body may be {MAX_BODY_BYTES} bytes at most")
    return body


def _credential(event: dict[str, Any]) -> str:
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    scheme, _, credential = str(headers.get("authorization", "")).partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else ""
