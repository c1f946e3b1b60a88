"""The OpenAPI document: every route, every schema, and nothing that does not resolve."""

from collections.abc import Iterator
from typing import Any

import pytest

from functions.api.openapi import document, openapi_json
from functions.api.problems import CONTENT_TYPE
from functions.api.route import Route
from functions.api.routes import ROUTES
from tests.unit.functions.api_world import ApiWorld, Request

DOCUMENT = document()


def references(value: Any) -> Iterator[str]:
    """Every `$ref` of the document."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "$ref":
                yield member
            else:
                yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


def operation(route: Route) -> dict[str, Any]:
    path = route.path.replace("<", "{").replace(">", "}")
    found: dict[str, Any] = DOCUMENT["paths"][path][route.method.lower()]
    return found


def test_it_is_an_openapi_3_1_document() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert set(DOCUMENT) >= {"info", "paths", "components"}


def test_it_has_every_route_and_no_other() -> None:
    described = {(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods}
    routed = {(route.path.replace("<", "{").replace(">", "}"), route.method.lower()) for route in ROUTES}
    assert described == routed


def test_every_reference_resolves() -> None:
    found = set(references(DOCUMENT))
    assert found
    for reference in found:
        assert reference.removeprefix("#/components/schemas/") in DOCUMENT["components"]["schemas"]


def test_every_schema_is_used() -> None:
    used = {reference.rpartition("/")[2] for reference in references(DOCUMENT)}
    assert used == set(DOCUMENT["components"]["schemas"])


@pytest.mark.parametrize("route", ROUTES, ids=[route.operation for route in ROUTES])
def test_each_operation_says_what_it_takes_and_answers(route: Route) -> None:
    described = operation(route)
    assert described["operationId"] == route.operation
    assert described["summary"]
    assert ("requestBody" in described) is (route.body is not None)
    assert str(route.success) in described["responses"]
    needed = "callbackToken" if route.takes_token else "apiKey"
    is_open_to_all = route.is_open and not route.takes_token
    assert described["security"] == ([] if is_open_to_all else [{needed: []}])
    assert {"500", "503"} <= set(described["responses"])
    assert route.is_open or {"401", "403"} <= set(described["responses"])


@pytest.mark.parametrize("route", ROUTES, ids=[route.operation for route in ROUTES])
def test_every_error_is_a_problem_document(route: Route) -> None:
    for status, response in operation(route)["responses"].items():
        if int(status) >= 400:
            assert response["content"].keys() == {CONTENT_TYPE}
            assert response["description"]


@pytest.mark.parametrize("route", ROUTES, ids=[route.operation for route in ROUTES])
def test_the_parameters_of_a_path_are_described(route: Route) -> None:
    wanted = {part[1:-1] for part in route.path.split("/") if part.startswith("<")}
    described = {each["name"] for each in operation(route)["parameters"] if each["in"] == "path"}
    assert described == wanted


def test_operations_have_names_of_their_own() -> None:
    names = [route.operation for route in ROUTES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("route", ROUTES, ids=[route.operation for route in ROUTES])
def test_every_described_route_is_there(route: Route) -> None:
    """A real request reaches it: whatever it answers, it is not that there is no such path or method."""
    world = ApiWorld()
    path = route.path.replace("<job_id>", "job_unknown")
    answer = world.handle(Request(method=route.method, path=path, headers=world.credential))
    assert answer.status != 405
    assert answer.status != 404 or answer.json["detail"] != "there is no such path"


def test_it_is_served_as_it_is() -> None:
    answer = ApiWorld().handle(Request(method="GET", path="/v1/openapi.json"))
    assert (answer.text, answer.json) == (openapi_json(), DOCUMENT)
