"""Checks before routing, always in this order: body size, credential, request rate, tenant state, scope,
creation rate."""

import base64
import binascii
import re
from typing import Any

from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.strict_json import MalformedRequestError
from shared.domain.tenancy.tenant import OPERATOR, Scope
from shared.names import CONSOLE_PATH
from shared.usecases.tenancy.authenticate import Authenticate, Principal
from shared.usecases.tenancy.check_quota import CheckQuota
from shared.usecases.tenancy.limit_requests import LimitRequests

MAX_BODY_BYTES = 256 * 1024
OPEN_PATHS = frozenset(
    {
        "/",
        "/.well-known/jwks.json",
        "/.well-known/openid-configuration",
        "/v1/health",
        "/v1/openapi.json",
        "/v1/docs",
        "/v1/docs/docs.css",
        "/v1/docs/search.js",
        "/v1/docs/start.js",
        "/v1/docs/swagger-ui-bundle.js",
        "/v1/docs/swagger-ui.css",
        "/v1/docs/guides/alerts",
        "/v1/docs/guides/apply",
        "/v1/docs/guides/bulk-operations",
        "/v1/docs/guides/chaining",
        "/v1/docs/guides/command-line",
        "/v1/docs/guides/console",
        "/v1/docs/guides/develop-receivers",
        "/v1/docs/guides/fan-out",
        "/v1/docs/guides/identity-tokens",
        "/v1/docs/guides/importers",
        "/v1/docs/guides/journey",
        "/v1/docs/guides/late-jobs",
        "/v1/docs/guides/long-running-calls",
        "/v1/docs/guides/migrate-from-eventbridge",
        "/v1/docs/guides/python-sdk",
        "/v1/docs/guides/react-to-files",
        "/v1/docs/guides/redrive-failures",
        "/v1/docs/guides/retries",
        "/v1/docs/guides/schedule-jobs",
        "/v1/docs/guides/statistics",
        "/v1/docs/guides/targets",
        "/v1/docs/guides/tasks",
        "/v1/docs/guides/triggers",
        "/v1/docs/guides/verify-calls",
        "/v1/docs/guides/workflows",
        "/v1/docs/reference/api",
        "/v1/docs/reference/cli",
        "/v1/docs/reference/delivery",
        "/v1/docs/reference/schedules",
        "/v1/docs/reference/tenants",
        "/v1/docs/runbooks/README",
        "/v1/docs/runbooks/archive-behind",
        "/v1/docs/runbooks/audit-trail",
        "/v1/docs/runbooks/bad-deployment",
        "/v1/docs/runbooks/blocked-address",
        "/v1/docs/runbooks/calls-late",
        "/v1/docs/runbooks/canary-fails",
        "/v1/docs/runbooks/dead-events",
        "/v1/docs/runbooks/dead-messages",
        "/v1/docs/runbooks/delete-tenant-data",
        "/v1/docs/runbooks/destination-down",
        "/v1/docs/runbooks/drain-after-outage",
        "/v1/docs/runbooks/egress-broken",
        "/v1/docs/runbooks/hot-shard",
        "/v1/docs/runbooks/leaked-key",
        "/v1/docs/runbooks/missing-or-doubled",
        "/v1/docs/runbooks/noisy-tenant",
        "/v1/docs/runbooks/quota-increase",
        "/v1/docs/runbooks/region-lost",
        "/v1/docs/runbooks/restore",
        "/v1/docs/runbooks/stop-sending",
        "/v1/docs/runbooks/throttling",
        "/v1/docs/runbooks/ticks-stopped",
        "/v1/docs/runbooks/time-zone-tables",
    }
)
_REPORTS = re.compile(r"/v1/executions/[^/]+/(?:heartbeat|complete|fail)")
"""Receivers have no API key: each of these routes checks the callback token of the attempt."""
_COUNTED = re.compile(
    r"POST /v1/jobs(?:/batch|/[^/]+/(?:trigger|backfill))?|PATCH /v1/jobs/[^/]+|PUT /v1/jobs/by-key/[^/]+"
    r"|POST /v1/(?:executions/[^/]+|dead-letters|runs/[^/]+)/redrive"
    r"|POST /v1/workflows(?:/[^/]+/runs)?|PATCH /v1/workflows/[^/]+"
    r"|PUT /v1/workflows/by-key/[^/]+|POST /v1/events"
)
"""Requests that create or move work. Each costs one creation token before its body is parsed; every other
request costs one request token."""
OPERATORS_PATH = "/v1/admin"
_ADMIN_PATHS = (OPERATORS_PATH, "/v1/keys", "/v1/settings", "/v1/signing-secrets")
_MONITORING_PATHS = ("/v1/audit", "/v1/usage")
_IDENTITY_PATH = "/v1/whoami"
"""Any key may ask what it is, whatever its scopes."""
_COMPUTING_PATHS = frozenset({"/v1/schedules/preview"})
"""A POST to one of these changes nothing."""
_SEARCH_PATHS = ("/v1/executions/search", "/v1/searches")
"""A search only reads, whatever the method."""
_READS = frozenset({"GET", "HEAD"})
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="punctual"'}


def admit(
    event: dict[str, Any], authenticate: Authenticate, limit: LimitRequests, check_quota: CheckQuota
) -> AuthenticatedRequest:
    """The request that an HTTP API event carries; ProblemError where a check fails."""
    body = _body(event)
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    method, path = event["requestContext"]["http"]["method"], str(event.get("rawPath"))
    if method == "GET" and (path in OPEN_PATHS or _is_under(path, CONSOLE_PATH)):
        return AuthenticatedRequest(None, b"", headers=headers)
    if method == "POST" and _REPORTS.fullmatch(path):
        return AuthenticatedRequest(None, body, headers=headers)
    principal = authenticate.execute(_credential(headers))
    if principal is None:
        raise ProblemError(
            Problem.UNAUTHENTICATED,
            "send a valid API key as Authorization: Bearer pk_...",
            headers=_CHALLENGE,
        )
    is_creation = _COUNTED.fullmatch(f"{method} {path}") is not None
    if not is_creation:
        limit.request(principal.tenant)
    if principal.is_suspended:
        raise ProblemError(Problem.FORBIDDEN, "this tenant is suspended")
    check_scope(principal, method, path)
    if is_creation:
        check_quota.creates(principal.tenant)
    return AuthenticatedRequest(principal, body, headers=headers)


def check_scope(principal: Principal, method: str, path: str) -> None:
    """ProblemError where the key's scopes do not allow the request, whatever ids are in the path."""
    sufficient = _sufficient_scopes(method, path)
    if not sufficient & principal.key.scopes:
        names = " or ".join(sorted(scope.value for scope in sufficient))
        raise ProblemError(Problem.FORBIDDEN, f"this key lacks the scope {names}")
    if _is_under(path, OPERATORS_PATH) and principal.tenant.id != OPERATOR:
        raise ProblemError(Problem.FORBIDDEN, "only operators may do that")


def _sufficient_scopes(method: str, path: str) -> frozenset[Scope]:
    """Any one of these scopes is enough."""
    if any(_is_under(path, parent) for parent in _ADMIN_PATHS):
        return frozenset({Scope.ADMIN})
    if method in _READS and path in _MONITORING_PATHS:
        return frozenset({Scope.READ, Scope.ADMIN})
    if method in _READS and path == _IDENTITY_PATH:
        return frozenset(Scope)
    if path in _COMPUTING_PATHS:
        return frozenset({Scope.READ, Scope.WRITE})
    is_read = method in _READS or any(_is_under(path, parent) for parent in _SEARCH_PATHS)
    return frozenset({Scope.READ if is_read else Scope.WRITE})


def _is_under(path: str, parent: str) -> bool:
    return path == parent or path.startswith(f"{parent}/")


def _body(event: dict[str, Any]) -> bytes:
    raw = event.get("body") or ""
    if event.get("isBase64Encoded"):
        try:
            body = base64.b64decode(raw, validate=True)
        except binascii.Error as error:
            raise MalformedRequestError("the body is not what its encoding says") from error
    else:
        # Lone surrogates must reach the JSON parser, which refuses them with a reason.
        body = raw.encode(errors="surrogatepass")
    if len(body) > MAX_BODY_BYTES:
        raise ProblemError(Problem.PAYLOAD_TOO_LARGE, f"a body may be {MAX_BODY_BYTES} bytes at most")
    return body


def _credential(headers: dict[str, str]) -> str:
    scheme, _, credential = str(headers.get("authorization", "")).partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else ""
