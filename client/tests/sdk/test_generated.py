"""The generated modules fit the OpenAPI document, and the document fits them."""

import copy
import json
from typing import Any

import pytest

from client.generate import names
from client.generate.__main__ import DOCUMENT, PACKAGE, generated
from client.generate.operations import described
from client.generate.schemas import GenerationError
from functions.api.http.problems import Problem
from punctual import _operations
from punctual._async_groups import AsyncOperations
from punctual._operation import Operation
from punctual._sync_groups import Operations
from punctual.problems import PROBLEMS, ApiError

OPENAPI: dict[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"))
OPERATION_IDS = [raw["operationId"] for methods in OPENAPI["paths"].values() for raw in methods.values()]


def test_generated_modules_are_those_of_the_document() -> None:
    for name, source in generated(OPENAPI).items():
        assert (PACKAGE / name).read_text(encoding="utf-8") == source, f"{name} is old: run make client-sdk"


def test_every_operation_has_a_method_in_the_generated_clients() -> None:
    constants = {each.id for each in vars(_operations).values() if isinstance(each, Operation)}
    assert sorted(constants) == sorted(OPERATION_IDS) == sorted(names.METHODS)
    for root in (Operations, AsyncOperations):
        for method in names.METHODS.values():
            group: Any = root(None)  # type: ignore[arg-type]
            for part in method.split("."):
                group = getattr(group, part)
            assert callable(group), method


def test_a_class_exists_for_each_problem_type_of_the_server() -> None:
    assert set(PROBLEMS) == {problem.slug for problem in Problem}
    assert all(issubclass(kind, ApiError) and kind.slug == slug for slug, kind in PROBLEMS.items())


def changed(path: str, method: str, **raw: Any) -> dict[str, Any]:
    """The document with another operation."""
    document = copy.deepcopy(OPENAPI)
    document["paths"][path] = {
        method: copy.deepcopy(OPENAPI["paths"]["/v1/jobs/{job_id}/pause"]["post"]) | raw
    }
    return document


def test_operation_without_a_method_stops_the_generator() -> None:
    with pytest.raises(GenerationError, match="newOne has no method: add it to METHODS"):
        generated(changed("/v1/new", "post", operationId="newOne"))


def test_method_of_no_operation_stops_the_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(names.METHODS, "gone", "jobs.gone")
    with pytest.raises(GenerationError, match="gone"):
        described(OPENAPI)


def test_request_of_which_no_table_says_whether_it_may_be_repeated_stops_the_generator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(names.METHODS, "newOne", "jobs.new_one")
    with pytest.raises(GenerationError, match="whether newOne may be repeated"):
        generated(changed("/v1/new", "post", operationId="newOne"))
