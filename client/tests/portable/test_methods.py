"""Every method of both clients sends its operation as the OpenAPI document shows it, and reads its answers."""

import asyncio
import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from client.generate import names
from client.generate.operations import Described, arguments, described
from client.generate.schemas import attribute
from punctual import AsyncPunctual, Punctual, models

OPENAPI: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8")
)
OPERATIONS = described(OPENAPI)
CONTENT = "application/json"
INSTANT, TOKEN, KEY = "2025-02-19T12:00:00.000Z", "ct1_token", "pk_key"
QUERY: dict[str, Any] = {
    "limit": 7,
    "within": 60,
    "step_seconds": 60,
    "count": 3,
    "status": 503,
    "reveal": True,
    "stop_retries": True,
}
"""Values of parameters that are no texts."""


@dataclass(frozen=True)
class Case:
    """A call of a method: its body in the document, and a success."""

    operation: Described
    body: Any
    status: int
    answer: Any

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by name: those of the body, and one for each parameter."""
        given = {attribute(member): value for member, value in (self.body or {}).items()}
        if self.operation.id in names.BY_CLIENT:
            given = {}
        for parameter in self.operation.parameters("query"):
            given[attribute(parameter["name"])] = query_value(parameter)
        headers = {
            "idempotency_key": "key-1",
            "if_match": 3,
            "if_none_match": "*",
            "depth": "1.x",
            "traceparent": "00-1",
        }
        given |= {
            name: headers[name] for name, _ in map(names.HEADERS.__getitem__, self.operation.header_names)
        }
        return given | ({"token": TOKEN} if self.operation.needs_token else {})

    @property
    def ids(self) -> list[Any]:
        """The positional arguments."""
        if self.operation.id in names.BY_CLIENT:
            return [next(iter(self.body.values()))]
        return [f"{argument.name}-1" for argument in arguments(self.operation)[0]]


def query_value(parameter: Any) -> Any:
    name, schema = parameter["name"], parameter["schema"]
    return QUERY.get(name) or next(iter(schema.get("enum", [INSTANT if name in names.AGO else f"{name}-1"])))


def example(described_by: Any) -> Iterator[Any]:
    """The examples of a body or an answer."""
    for reference in described_by.get("content", {}).get(CONTENT, {}).get("examples", {}).values():
        yield OPENAPI["components"]["examples"][reference["$ref"].rpartition("/")[2]]["value"]


def cases() -> Iterator[Any]:
    for operation in OPERATIONS:
        bodies = list(example(operation.raw.get("requestBody", {}))) or [None]
        for status in operation.answers:
            for number, body in enumerate(bodies):
                answer = next(example(operation.raw["responses"][str(status)]))
                yield pytest.param(
                    Case(operation, body, status, answer), id=f"{operation.id}-{status}-{number}"
                )


class Server:
    """Answers every request alike, and keeps it."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(self.case.status, json=self.case.answer)


def method_of(client: Any, operation: Described) -> Any:
    *path, name = names.METHODS[operation.id].split(".")
    for part in path:
        client = getattr(client, part)
    return getattr(client, name)


def call(case: Case, is_async: bool) -> tuple[Any, httpx.Request]:
    """The result of the method, and the request that it sent."""
    server = Server(case)
    transport = httpx.MockTransport(server)
    if not is_async:
        with Punctual("https://api.example/base/", KEY, transport=transport) as p:
            result = method_of(p, case.operation)(*case.ids, **case.arguments)
    else:

        async def run() -> Any:
            async with AsyncPunctual("https://api.example/base/", KEY, transport=transport) as p:
                return await method_of(p, case.operation)(*case.ids, **case.arguments)

        result = asyncio.run(run())
    [request] = server.requests
    return result, request


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("case", list(cases()))
def test_method_sends_its_operation_and_reads_the_documented_answer(case: Case, is_async: bool) -> None:
    operation = case.operation
    result, request = call(case, is_async)
    path = operation.path
    for argument, variable in zip(arguments(operation)[0], operation.parameters("path"), strict=True):
        path = path.replace(f"{{{variable['name']}}}", f"{argument.name}-1")
    assert (request.method, request.url.path) == (operation.method.upper(), f"/base{path}")
    assert dict(request.url.params) == {
        parameter["name"]: json.dumps(value) if isinstance(value := query_value(parameter), int) else value
        for parameter in operation.parameters("query")
    }
    # No body is sent for one without members.
    assert (json.loads(request.content) if request.content else None) == (case.body or None)
    assert type(result) is getattr(models, operation.answers[case.status])
    assert_headers(operation, request)


def assert_headers(operation: Described, request: httpx.Request) -> None:
    expected = {
        "Idempotency-Key": "key-1",
        "If-Match": '"3"',
        "If-None-Match": "*",
        "Punctual-Depth": "1.x",
        "traceparent": "00-1",
    }
    for header, value in expected.items():
        assert request.headers.get(header) == (value if header in operation.header_names else None)
    assert request.headers.get("authorization") == (f"Bearer {KEY}" if operation.auth == "KEY" else None)
    assert request.headers.get("x-callback-token") == (TOKEN if operation.needs_token else None)
    assert request.headers.get("content-type") == (CONTENT if request.content else None)
    assert request.headers["user-agent"].startswith("punctual-client/")


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each.items], ids=lambda each: each.id)
def test_iteration_goes_through_all_pages_with_the_same_filters(operation: Described) -> None:
    answer = next(example(operation.raw["responses"]["200"]))
    sent: list[httpx.Request] = []

    def page(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json=answer | {"next_cursor": "c2" if len(sent) < 3 else None})

    case = Case(operation, None, 200, answer)
    with Punctual("https://api.example", KEY, transport=httpx.MockTransport(page)) as p:
        name = names.METHODS[operation.id].rpartition(".")[2].replace("list", "iterate", 1)
        group = method_of(p, operation).__self__
        given = {key: value for key, value in case.arguments.items() if key != "cursor"}
        items = list(getattr(group, name)(*case.ids, **given))
    assert len(items) == 3 * len(answer[operation.items])
    assert [request.url.params.get("cursor") for request in sent] == [None, "c2", "c2"]
    assert len({str(request.url.copy_remove_param("cursor")) for request in sent}) == 1


@pytest.mark.parametrize("client", [Punctual, AsyncPunctual])
def test_arguments_of_a_method_are_documented_and_the_same_in_both_clients(client: Any) -> None:
    made = client("https://api.example", KEY)
    other = Punctual("https://api.example", KEY)
    for operation in OPERATIONS:
        method = method_of(made, operation)
        assert inspect.signature(method) == inspect.signature(method_of(other, operation))
        assert inspect.iscoroutinefunction(method) is (client is AsyncPunctual)
        assert operation.raw["summary"].split()[0] in (inspect.getdoc(method) or "")
