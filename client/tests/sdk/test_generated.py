"""The generated modules fit the OpenAPI document, and the document fits them."""

import copy
import inspect
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
import pytest

from client.generate import names
from client.generate.__main__ import DOCUMENT, PACKAGE, generated
from client.generate.operations import described
from client.generate.schemas import GenerationError, class_name, is_request
from functions.api.http.problems import Problem
from punctual import _operations, models
from punctual._async_groups import AsyncOperations
from punctual._operation import Operation
from punctual._sync_groups import Operations
from punctual.problems import PROBLEMS, ApiError

OPENAPI: dict[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"))
EXAMPLES = {
    name: example["value"]
    for name, example in OPENAPI["components"]["examples"].items()
    if name.partition(".")[0] in OPENAPI["components"]["schemas"]
}
OPERATION_IDS = [raw["operationId"] for methods in OPENAPI["paths"].values() for raw in methods.values()]
MAPS = {
    name
    for schema in OPENAPI["components"]["schemas"].values()
    for name, member in schema.get("properties", {}).items()
    if "additionalProperties" in json.dumps(member)
}
"""Members with free names in them."""
PLANTED = {"a_new_member": {"of": ["a later", 1.5, None]}}


def model(name: str) -> Any:
    """The model of an example."""
    return getattr(models, class_name(name.partition(".")[0]))


def planted(value: Any) -> Any:
    """The same document with unknown members in every object."""
    if isinstance(value, dict):
        return {name: each if name in MAPS else planted(each) for name, each in value.items()} | PLANTED
    return [planted(each) for each in value] if isinstance(value, list) else value


def instants_alike(value: Any) -> Any:
    """The same document, with every instant written in one way."""
    if isinstance(value, dict):
        return {name: instants_alike(each) for name, each in value.items()}
    if isinstance(value, list):
        return [instants_alike(each) for each in value]
    if isinstance(value, str) and value[:2] == "20" and value.endswith("Z"):
        return datetime.fromisoformat(value.replace("Z", "+00:00")).isoformat()
    return value


def absent_members(document: Any, decoded: Any, path: str = "") -> Iterator[str]:
    """Members of the document that are not what was decoded."""
    if isinstance(document, dict):
        for name, each in document.items():
            yield from absent_members(each, decoded.get(name) if decoded else None, f"{path}/{name}")
    elif isinstance(document, list):
        for place, each in enumerate(document):
            yield from absent_members(each, decoded[place], f"{path}/{place}")
    elif document != decoded:
        yield path


def test_generated_modules_are_those_of_the_document() -> None:
    for name, source in generated(OPENAPI).items():
        assert (PACKAGE / name).read_text(encoding="utf-8") == source, f"{name} is old: run make client-sdk"


@pytest.mark.parametrize("client", [Operations, AsyncOperations])
def test_client_has_a_method_for_every_operation(client: type) -> None:
    constants = {each.id for each in vars(_operations).values() if isinstance(each, Operation)}
    assert sorted(constants) == sorted(OPERATION_IDS)
    for operation in OPERATION_IDS:
        group: Any = client(None)
        *path, name = names.METHODS[operation].split(".")
        for part in path:
            group = getattr(group, part)
        method = getattr(group, name)
        assert inspect.iscoroutinefunction(method) is (client is AsyncOperations), operation
        assert inspect.getdoc(method), operation


def test_methods_of_both_clients_have_the_same_arguments() -> None:
    for operation in OPERATION_IDS:
        both = []
        for root in (Operations(None), AsyncOperations(None)):  # type: ignore[arg-type]
            group: Any = root
            *path, name = names.METHODS[operation].split(".")
            for part in path:
                group = getattr(group, part)
            both.append(inspect.signature(getattr(group, name)))
        assert both[0] == both[1]


def test_a_class_exists_for_each_problem_type_of_the_server() -> None:
    assert set(PROBLEMS) == {problem.slug for problem in Problem}
    assert all(issubclass(kind, ApiError) and kind.slug == slug for slug, kind in PROBLEMS.items())


@pytest.mark.parametrize("name", [name for name in EXAMPLES if not is_request(name.partition(".")[0])])
def test_documented_answer_is_read_whole_and_unknown_members_are_ignored(name: str) -> None:
    decoded = msgspec.json.decode(json.dumps(planted(EXAMPLES[name])), type=model(name))
    told = json.loads(msgspec.json.encode(decoded))
    assert list(absent_members(instants_alike(EXAMPLES[name]), instants_alike(told))) == []


@pytest.mark.parametrize("name", [name for name in EXAMPLES if is_request(name.partition(".")[0])])
def test_documented_request_is_what_its_model_sends(name: str) -> None:
    decoded = msgspec.json.decode(json.dumps(EXAMPLES[name]), type=model(name))
    assert json.loads(msgspec.json.encode(decoded)) == EXAMPLES[name]


def test_nullable_member_that_an_older_deployment_does_not_send_is_none() -> None:
    job = copy.deepcopy(EXAMPLES["JobOut.recurring"])
    del job["alerts"], job["backfill"], job["no_next_run"]
    decoded = msgspec.json.decode(json.dumps(job), type=models.Job)
    assert (decoded.alerts, decoded.backfill, decoded.no_next_run) == (None, None, None)


def test_patch_tells_null_from_what_is_not_given() -> None:
    patch = models.JobPatch(tags=None, lane="bulk")
    assert json.loads(msgspec.json.encode(patch)) == {"tags": None, "lane": "bulk"}


def test_state_that_this_version_does_not_know_is_read() -> None:
    job = EXAMPLES["JobOut.once"] | {"state": "teleported", "lane": "scenic"}
    decoded = msgspec.json.decode(json.dumps(job), type=models.Job)
    assert (decoded.state, decoded.lane) == ("teleported", "scenic")


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
