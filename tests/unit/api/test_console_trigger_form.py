"""The form of a trigger in the console: every member of the API survives it, and errors are at their fields."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import send

FORM = "lib/trigger_form.js"
TAKEN = set(
    json.loads((Path(__file__).parents[3] / "docs/openapi.json").read_text())["components"]["schemas"][
        "TriggerIn"
    ]["properties"]
)
BODIES: list[dict[str, Any]] = [
    {"pattern": {"source": ["shop"], "data": {"amount": [{"numeric": [">=", 100.5]}]}}, "set": "billing"},
    {"pattern": {"source": ["shop"]}, "delay_seconds": 90, "throttle": {"count": 2, "per_seconds": 60}},
    {"pattern": {"id": [{"exists": True}]}, "debounce_seconds": 30, "debounce_max_seconds": 300},
]


def stored(world: ApiWorld, body: dict[str, Any]) -> Any:
    job = world.create(schedule={"rate_seconds": 86_400})["id"]
    answer = send(world, "PUT", "/v1/triggers/orders", body | {"job_id": job})
    assert answer.status == 200, answer.text
    return answer.json


def test_trigger_samples_have_every_member_that_the_api_takes() -> None:
    assert {name for body in BODIES for name in body} | {"job_id"} == TAKEN


@pytest.mark.parametrize("body", BODIES)
def test_trigger_that_is_opened_and_saved_is_not_changed(body: dict[str, Any]) -> None:
    trigger = stored(ApiWorld(), body)
    again = console_modules.result(FORM, "bodyOf", console_modules.result(FORM, "formOf", trigger))
    assert again == {"body": body | {"job_id": trigger["job_id"]}, "errors": []}


BROKEN: list[tuple[dict[str, str], str]] = [
    ({"jobId": "job_1"}, "jobId"),
    ({"pattern": '{"source": "shop"}'}, "pattern"),
    ({"pattern": "[]"}, "pattern"),
    ({"delivery": "delay", "delaySeconds": "soon"}, "delaySeconds"),
    ({"delivery": "debounce", "debounceSeconds": "30", "debounceMaxSeconds": "0"}, "debounceMaxSeconds"),
    ({"throttleCount": "2"}, "throttleSeconds"),
    ({"throttleSeconds": "60"}, "throttleCount"),
    ({"set": "Two words"}, "set"),
]


@pytest.mark.parametrize(("fields", "at"), BROKEN)
def test_trigger_that_the_api_refuses_has_the_error_at_its_field(fields: dict[str, str], at: str) -> None:
    world = ApiWorld()
    form = console_modules.result(FORM, "formOf", stored(world, {"pattern": {"source": ["shop"]}})) | fields
    refused = send(world, "PUT", "/v1/triggers/orders", console_modules.result(FORM, "bodyOf", form)["body"])
    assert refused.status == 422, refused.text
    shown = console_modules.result(FORM, "errorsByField", refused.json["errors"])
    assert (list(shown["fields"]), shown["rest"]) == ([at], [])


@pytest.mark.parametrize("pattern", ["", "{", '{"id": [12345678901234567890]}', '{"id": [1e400]}'])
def test_trigger_with_a_pattern_that_would_be_changed_is_not_sent(pattern: str) -> None:
    form = console_modules.result(FORM, "EMPTY") | {"name": "orders", "jobId": "job_1", "pattern": pattern}
    errors = console_modules.result(FORM, "bodyOf", form)["errors"]
    assert [each["pointer"] for each in errors] == ["/pattern"]


@pytest.mark.parametrize("name", ["", "Orders", "-a", "a" * 64, "a/b"])
def test_trigger_with_a_name_that_cannot_be_is_not_sent(name: str) -> None:
    form = console_modules.result(FORM, "EMPTY") | {"name": name, "pattern": "{}"}
    errors = console_modules.result(FORM, "bodyOf", form)["errors"]
    assert [each["pointer"] for each in errors] == ["/name"]
