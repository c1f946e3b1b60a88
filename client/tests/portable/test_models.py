"""The models read and send what the OpenAPI document shows, and tolerate what later or older deployments do."""

import copy
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from client.generate.schemas import class_name, is_request
from punctual import models

OPENAPI: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8")
)
EXAMPLES = {
    name: example["value"]
    for name, example in OPENAPI["components"]["examples"].items()
    if name.partition(".")[0] in OPENAPI["components"]["schemas"]
}
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
