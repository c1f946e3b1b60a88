"""What is checked before a route is looked for: size, credential, tenant, scope, rate. In this order, always."""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any

from functions.api.problems import Problem, ProblemError
from functions.api.strict_json import MalformedRequestError
from shared.domain.tenancy.tenant import OPERATOR, Scope, TenantState
from shared.usecases.tenancy.authenticate import Authenticate, Principal
from shared.usecases.tenancy.check_quota import CheckQuota

MAX_BODY_BYTES = 256 * 1024
OPEN_PATHS = frozenset(
    {
        "/v1/health",
        "/v1/openapi.json",
        "/v1/docs",
        "/v1/docs/start.js",
        "/v1/docs/swagger-ui-bundle.js",
        "/v1/docs/swagger-ui.css",
    }
)
_REPORTS = re.compile(r"/v1/executions/[^/]+/(?:heartbeat|complete|fail)")
"""Receivers have no API key: each of these checks the token of the attempt that it is about."""
_COUNTED = re.compile(
    r"POST /v1/jobs(?:/batch|/[^/]+/(?:trigger|backfill))?|PATCH /v1/jobs/[^/]+"
    r"|POST /v1/(?:executions/[^/]+|dead-letters)/redrive"
)
"""Each of these is counted as a creation, before anything of it is read: it makes or moves work."""
OPERATORS_PATH = "/v1/admin"
_ADMIN_PATHS = (OPERATORS_PATH, "/v1/keys", "/v1/signing-secrets")
_WATCHING_PATHS = ("/v1/audit", "/v1/usage")
_COMPUTING_PATHS = frozenset({"/v1/schedules/preview"})
"""A POST to one of these changes nothing."""
_READS = frozenset({"GET", "HEAD"})
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="punctual"'}


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that may go on. `principal` is None on the paths that are open to all."""

    principal: Principal | None
    body: bytes
    request_id: str = ""


def admit(event: dict[str, Any], authenticate: Authenticate, check_quota: CheckQuota) -> Admitted:
    """ProblemError where the request must not go on."""
    body = _body(event)
    method, path = event["requestContext"]["http"]["method"], str(event.get("rawPath"))
    if method == "GET" and path in OPEN_PATHS:
        return Admitted(None, b"")
    if method == "POST" and _REPORTS.fullmatch(path):
        return Admitted(None, body)
    principal = authenticate.execute(_credential(event))
    if principal is None:
        raise ProblemError(
            Problem.UNAUTHENTICATED,
            "send a valid API key as Authorization: Bearer pk_...",
            headers=_CHALLENGE,
        )
    if principal.tenant.state is TenantState.SUSPENDED:
        raise ProblemError(Problem.FORBIDDEN, "this tenant is suspended")
    check_scope(principal, method, path)
    if _COUNTED.fullmatch(f"{method} {path}"):
        check_quota.creates(principal.tenant)
    return Admitted(principal, body)


def check_scope(principal: Principal, method: str, path: str) -> None:
    """ProblemError where the key may not do that on a path. The same for every id in the path, known or not."""
    sufficient = _sufficient(method, path)
    if not sufficient & principal.key.scopes:
        named = " or ".join(sorted(scope.value for scope in sufficient))
        raise ProblemError(Problem.FORBIDDEN, f"this key lacks the scope {named}")
    if _is_under(path, OPERATORS_PATH) and principal.tenant.id != OPERATOR:
        raise ProblemError(Problem.FORBIDDEN, "only operators may do that")


def require_scope(admitted: Admitted, scope: Scope) -> None:
    """ProblemError where a request asks for more than its path tells, and its key may not do that."""
    if admitted.principal is None or scope not in admitted.principal.key.scopes:
        raise ProblemError(Problem.FORBIDDEN, f"this key lacks the scope {scope.value}")


def _sufficient(method: str, path: str) -> frozenset[Scope]:
    """The scopes of which one is enough."""
    if any(_is_under(path, each) for each in _ADMIN_PATHS):
        return frozenset({Scope.ADMIN})
    if method in _READS and path in _WATCHING_PATHS:
        return frozenset({Scope.READ, Scope.ADMIN})
    if path in _COMPUTING_PATHS:
        return frozenset({Scope.READ, Scope.WRITE})
    return frozenset({Scope.READ if method in _READS else Scope.WRITE})


def _is_under(path: str, parent: str) -> bool:
    return path == parent or path.startswith(f"{parent}/")


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
