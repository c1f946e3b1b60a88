"""Admission: body size, credential, tenant state and scope, in this order, before routing."""

import base64

import pytest

from functions.api.http.admission import MAX_BODY_BYTES, admit
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.strict_json import MalformedRequestError
from shared.domain.tenancy.tenant import Scope
from tests.support.api.api_world import ApiWorld, Request


def admitted(world: ApiWorld, request: Request) -> AuthenticatedRequest:
    tenancy = world.world.cases.tenancy
    limit = world.world.cases.core.limit_requests
    return admit(request.event(), tenancy.authenticate, limit, tenancy.check_quota)


def refusal(world: ApiWorld, request: Request) -> Problem:
    with pytest.raises(ProblemError) as refused:
        admitted(world, request)
    return refused.value.problem


@pytest.mark.parametrize("path", ["/", "/v1/health", "/v1/openapi.json"])
def test_open_paths_need_no_key(path: str) -> None:
    world = ApiWorld()
    before = list(world.world.steps.taken)
    assert admitted(world, Request(method="GET", path=path)) == AuthenticatedRequest(None, b"")
    assert world.world.steps.taken == before


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/health"), ("GET", "/v1/health/"), ("GET", "/v1/jobs/x"), ("GET", "//")]
)
def test_every_other_path_needs_one(method: str, path: str) -> None:
    assert refusal(ApiWorld(), Request(method=method, path=path)) is Problem.UNAUTHENTICATED


@pytest.mark.parametrize("name", ["authorization", "Authorization", "AUTHORIZATION"])
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_a_good_key_is_admitted_however_header_and_scheme_are_spelled(name: str, scheme: str) -> None:
    world = ApiWorld()
    headers = {name: f"{scheme} {world.world.credentials.api_key}"}
    principal = admitted(world, Request(method="GET", path="/v1/jobs/x", headers=headers)).principal
    assert principal is not None
    assert principal.tenant.id == "acme"


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Bearer ", "Basic {key}", "{key}", "Bearer {key} x", "Bearer é"]
)
def test_malformed_authorization_header_is_unauthenticated(value: str) -> None:
    world = ApiWorld()
    headers = {"authorization": value.format(key=world.world.credentials.api_key)}
    assert refusal(world, Request(method="GET", path="/v1/jobs", headers=headers)) is Problem.UNAUTHENTICATED


def test_the_refusal_says_how_to_come_in() -> None:
    with pytest.raises(ProblemError) as refused:
        admitted(ApiWorld(), Request(method="GET", path="/v1/jobs"))
    assert refused.value.headers == {"WWW-Authenticate": 'Bearer realm="punctual"'}


def test_a_suspended_tenant_is_refused() -> None:
    world = ApiWorld()
    world.suspend()
    request = Request(method="GET", path="/v1/jobs/x", headers=world.credential)
    assert refusal(world, request) is Problem.FORBIDDEN


@pytest.mark.parametrize(
    ("scope", "method", "is_admitted"),
    [
        (Scope.READ, "GET", True),
        (Scope.READ, "HEAD", True),
        (Scope.READ, "POST", False),
        (Scope.READ, "DELETE", False),
        (Scope.WRITE, "GET", False),
        (Scope.WRITE, "POST", True),
        (Scope.WRITE, "OPTIONS", True),
        (Scope.ADMIN, "GET", False),
        (Scope.ADMIN, "POST", False),
    ],
)
def test_reading_and_writing_need_their_own_scopes(scope: Scope, method: str, is_admitted: bool) -> None:
    world = ApiWorld()
    world.limit_to(scope)
    request = Request(method=method, path="/v1/jobs/x", headers=world.credential)
    if is_admitted:
        assert admitted(world, request).principal is not None
    else:
        assert refusal(world, request) is Problem.FORBIDDEN


@pytest.mark.parametrize("character", ["x", "é", "\U0001f600"])
def test_a_body_is_measured_in_bytes(character: str) -> None:
    world = ApiWorld()
    width = len(character.encode())
    fits, over = character * (MAX_BODY_BYTES // width), character * (MAX_BODY_BYTES // width + 1)
    request = Request(method="POST", path="/v1/jobs", headers=world.credential, body=fits)
    assert admitted(world, request).body == fits.encode()
    assert refusal(world, Request(method="POST", path="/v1/jobs", body=over)) is Problem.PAYLOAD_TOO_LARGE


def test_a_body_in_base64_is_measured_and_read_as_what_it_means() -> None:
    world = ApiWorld()
    bodies = [base64.b64encode(bytes(size)).decode() for size in (MAX_BODY_BYTES, MAX_BODY_BYTES + 1)]
    requests = [
        Request(method="POST", path="/v1/jobs", headers=world.credential, body=body, is_base64=True)
        for body in bodies
    ]
    assert admitted(world, requests[0]).body == bytes(MAX_BODY_BYTES)
    assert refusal(world, requests[1]) is Problem.PAYLOAD_TOO_LARGE


def test_a_body_that_is_not_what_its_encoding_says_is_malformed() -> None:
    with pytest.raises(MalformedRequestError):
        admitted(ApiWorld(), Request(method="POST", path="/v1/jobs", body="%", is_base64=True))
