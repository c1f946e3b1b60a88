"""The OpenAPI document: valid, complete, checked in as it is, and nothing in it that does not resolve."""

import difflib
import re
import tomllib
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from functions.api.http.problems import CONTENT_TYPE, Problem
from functions.api.http.route import Route
from functions.api.openapi.document import checked_in, document, openapi_json, path_of
from functions.api.routes import every_route
from shared.names import VERSION
from tests.support.api.api_world import ApiWorld, Request
from tests.support.api.request_factory import ALL_SCOPES, ask, name_of, settle
from tests.support.sources import ROOT

DOCUMENT = document()
CHECKED_IN = ROOT / "docs" / "openapi.json"
OF_NO_OPERATION = {Problem.METHOD_NOT_ALLOWED}
"""What is answered where there is no operation is part of none."""


def references(value: Any) -> Iterator[str]:
    """Every `$ref` of the document."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


def resolved(value: Any) -> Any:
    """What stands behind a reference."""
    if "$ref" not in value:
        return value
    found: Any = DOCUMENT
    for part in value["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return found


def operation(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][path_of(route)][route.method.lower()]
    return found


def test_openapi_document_is_valid_openapi_3_1() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert [str(error) for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_checked_in_openapi_document_is_what_the_code_makes() -> None:
    made = checked_in()
    if CHECKED_IN.read_text(encoding="utf-8") != made:
        old, new = CHECKED_IN.read_text(encoding="utf-8").splitlines(), made.splitlines()
        changes = "\n".join(islice(difflib.unified_diff(old, new, "docs/openapi.json", "the code", n=1), 60))
        pytest.fail(f"run `make openapi` and look at what clients will see differently:\n{changes}")


def test_openapi_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION


def test_openapi_document_has_every_route_and_no_other() -> None:
    described = {(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert described == {(path_of(route), route.method.lower()) for route in every_route()}


def test_every_reference_resolves() -> None:
    found = set(references(DOCUMENT))
    assert found
    for reference in found:
        assert resolved({"$ref": reference}) is not None


def test_openapi_document_has_no_unused_component() -> None:
    used = set(references(DOCUMENT))
    parts = {kind: set(parts) for kind, parts in DOCUMENT["components"].items() if kind != "securitySchemes"}
    for kind, names in parts.items():
        assert {name for name in names if f"#/components/{kind}/{name}" not in used} == set()


def test_every_type_of_problem_belongs_to_some_operation() -> None:
    described = {problem for route in every_route() for problem in route.all_problems}
    assert described == set(Problem) - OF_NO_OPERATION


def test_operations_have_names_of_their_own() -> None:
    names = [route.operation for route in every_route()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("route", every_route(), ids=name_of)
def test_every_operation_is_described_with_its_inputs_and_security(route: Route) -> None:
    described = operation(route)
    assert described["operationId"] == route.operation
    assert described["summary"] and described["description"].endswith(".")
    assert described["description"] != described["summary"]
    assert described["tags"][0] in {tag["name"] for tag in DOCUMENT["tags"]}
    assert ("requestBody" in described) is (route.body is not None)
    needed = "callbackToken" if route.takes_token else "apiKey"
    is_open_to_all = route.is_open and not route.takes_token
    assert described["security"] == ([] if is_open_to_all else [{needed: []}])
    for parameter in described["parameters"]:
        assert parameter["description"]
    assert {each["name"] for each in described["parameters"] if each["in"] == "path"} == set(route.path_parts)


@pytest.mark.parametrize("route", every_route(), ids=name_of)
def test_every_operation_names_all_of_its_problems(route: Route) -> None:
    found = {status: resolved(answer) for status, answer in operation(route)["responses"].items()}
    problems = {status: answer for status, answer in found.items() if int(status) >= 400}
    assert {"400", "413", "500", "503"} <= set(problems)
    assert route.is_open or {"401", "403"} <= set(problems)
    for status, answer in problems.items():
        alike = {problem for problem in route.all_problems if problem.status == int(status)}
        assert answer["content"].keys() == {CONTENT_TYPE}
        assert answer["content"][CONTENT_TYPE]["examples"].keys() == {problem.slug for problem in alike}
        assert set(re.findall(r"`([a-z-]+)`", answer["description"])) == {problem.slug for problem in alike}
        assert ("Retry-After" in answer["headers"]) is bool(
            alike & {Problem.RATE_LIMITED, Problem.SERVICE_UNAVAILABLE}
        )
        assert ("WWW-Authenticate" in answer["headers"]) is (status == "401")


@pytest.mark.parametrize("route", [route for route in every_route() if route.body is not None], ids=name_of)
def test_a_body_is_said_to_be_required_exactly_where_it_is(route: Route) -> None:
    world = ApiWorld()
    party = settle(world, "ours")
    key = world.world.create_tenant.operator().api_key if "/admin/" in route.path else party.key
    path = path_of(route)
    for name in route.path_parts:
        path = path.replace(f"{{{name}}}", party.ids[name][0])
    answer = ask(world, key, route.method, path)
    if operation(route)["requestBody"]["required"]:
        assert answer.problem in ("unsupported-media-type", "malformed-request")
    else:
        assert answer.status < 300 or answer.problem in ("invalid-state", "not-found")


@pytest.mark.parametrize("route", every_route(), ids=name_of)
def test_every_described_route_is_there(route: Route) -> None:
    """A real request reaches it: whatever it answers, it is not that there is no such path or method."""
    world = ApiWorld()
    world.limit_to(*ALL_SCOPES)
    path = route.path.replace("<job_id>", "job_unknown")
    answer = world.handle(Request(method=route.method, path=path, headers=world.credential))
    assert answer.status != 405
    assert answer.status != 404 or answer.json["detail"] != "there is no such path"


def test_openapi_document_is_served_unchanged() -> None:
    answer = ApiWorld().handle(Request(method="GET", path="/v1/openapi.json"))
    assert (answer.text, answer.json) == (openapi_json(), DOCUMENT)
