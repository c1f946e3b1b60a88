"""Inputs of runs, as clients and receivers see them: by request, and from an event."""

import json
from typing import Any

import pytest

from shared.domain.tenancy.quota import Quota
from shared.domain.workflows.run_input import LONGEST_INPUT_BYTES, MAX_INPUT_BYTES
from tests.support.api.api_world import Answer, ApiWorld
from tests.support.api.job_requests import send
from tests.unit.api.test_triggers import Shop
from tests.unit.api.test_workflows import created, shown, task, wait

INPUT: dict[str, Any] = {"order": 7, "lines": [{"sku": "ü", "price": 1.10}], "none": None}


def start(world: ApiWorld, workflow: Any, body: Any = None, **headers: str) -> Answer:
    return send(world, "POST", f"/v1/workflows/{workflow['id']}/runs", body, **headers)


def bodies(world: ApiWorld, key: str) -> list[Any]:
    calls = [call.callback for call in world.world.sender.calls if call.callback.url.endswith(f"/{key}")]
    return [json.loads(call.body) for call in calls]


def test_tasks_with_input_get_that_of_their_run_and_others_do_not() -> None:
    world = ApiWorld()
    own = {"url": "https://receiver.example/b", "json": {"to": "sales"}}
    workflow = created(world, task("a", input=True), task("b", "a", input=True, request=own), task("c", "b"))
    assert [each["input"] for each in workflow["tasks"]] == [True, True, False]
    answer = start(world, workflow, {"input": INPUT})
    assert (answer.status, answer.json["has_input"]) == (201, True)
    wait(world)
    assert bodies(world, "a") == [{"input": INPUT, "body": None, "results": {}}]
    assert bodies(world, "b") == [{"input": INPUT, "body": {"to": "sales"}, "results": {}}]
    (call,) = [call.callback for call in world.world.sender.calls if call.callback.url.endswith("/c")]
    assert call.body == b""
    run = shown(world, answer.json["id"])
    assert (run["state"], run["has_input"]) == ("succeeded", True)
    assert "sku" not in json.dumps(run)


@pytest.mark.parametrize("body", [None, {}, {"input": None}])
def test_run_without_input_says_so(body: Any) -> None:
    world = ApiWorld()
    answer = start(world, created(world, task("a", input=True)), body)
    assert (answer.status, answer.json["has_input"]) == (201, False)
    wait(world)
    assert bodies(world, "a") == [{"input": None, "body": None, "results": {}}]


@pytest.mark.parametrize("value", [0, False, "", [], {}, "\u2028\U0001f600", 1.5, [[[[1]]]]])
def test_every_json_value_but_null_is_an_input(value: Any) -> None:
    world = ApiWorld()
    answer = start(world, created(world, task("a", input=True)), {"input": value})
    assert answer.json["has_input"]
    wait(world)
    assert bodies(world, "a")[0]["input"] == value


def test_input_of_the_greatest_length_arrives_and_a_longer_one_is_refused() -> None:
    world = ApiWorld()
    workflow = created(world, task("a", input=True))
    longest = "x" * (MAX_INPUT_BYTES - 2)
    assert start(world, workflow, {"input": longest}).status == 201
    refused = start(world, workflow, {"input": longest + "x"})
    assert refused.problem == "validation-failed"
    (error,) = refused.json["errors"]
    assert (error["pointer"], "hand on a reference" in error["detail"]) == ("/input", True)
    wait(world)
    assert [each["input"] for each in bodies(world, "a")] == [longest]


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("body", [{"inputs": 1}, [1], "x", {"input": deep(40)}])
def test_hostile_body_of_a_start_is_refused_and_starts_nothing(body: Any) -> None:
    world = ApiWorld()
    workflow = created(world, task("a", input=True))
    assert start(world, workflow, body).status in (400, 422)
    assert world.get(f"/v1/workflows/{workflow['id']}/runs").json["runs"] == []
    assert not world.world.table.payloads


def test_repetition_with_another_input_is_refused_and_with_the_same_starts_nothing() -> None:
    world = ApiWorld()
    workflow = created(world, task("a", input=True))
    first = start(world, workflow, {"input": INPUT}, **{"idempotency-key": "order-7"})
    again = start(world, workflow, {"input": INPUT}, **{"idempotency-key": "order-7"})
    assert (again.status, again.json["id"]) == (201, first.json["id"])
    for other in ({"input": 8}, {}, None):
        refused = start(world, workflow, other, **{"idempotency-key": "order-7"})
        assert refused.problem == "idempotency-key-reused"
    wait(world)
    assert [each["input"] for each in bodies(world, "a")] == [INPUT]


def test_input_counts_in_the_quota_of_payloads() -> None:
    world = ApiWorld()
    workflow = created(world, task("a", input=True))
    world.allow(Quota.PAYLOAD_BYTES, 1_000)
    refused = start(world, workflow, {"input": "x" * 1_000})
    assert refused.problem == "quota-exceeded"
    assert not world.world.table.payloads


def test_input_that_no_task_takes_is_refused_with_its_place() -> None:
    world = ApiWorld()
    refused = start(world, created(world, task("a")), {"input": 7})
    assert refused.problem == "validation-failed"
    (error,) = refused.json["errors"]
    assert (error["pointer"], "no task of the workflow takes an input" in error["detail"]) == ("/input", True)


@pytest.mark.parametrize(
    ("request_", "pointer", "word"),
    [
        ({"url": "https://receiver.example/a", "method": "GET"}, "/tasks/0/request/method", "input"),
        ({"url": "https://receiver.example/a", "body": "no JSON"}, "/tasks/0/request/body", "input"),
        ({"url": "https://receiver.example/a", "json": "x" * 180_000}, "/tasks/0/request/body", "36864"),
    ],
)
def test_task_whose_request_cannot_have_the_input_is_refused(
    request_: dict[str, Any], pointer: str, word: str
) -> None:
    world = ApiWorld()
    refused = world.post({"tasks": [task("a", input=True, request=request_)]}, "/v1/workflows")
    assert refused.problem == "validation-failed"
    (error,) = refused.json["errors"]
    assert (error["pointer"], word in error["detail"]) == (pointer, True)
    assert LONGEST_INPUT_BYTES == 36_864


def test_event_is_the_input_of_the_run_that_it_starts() -> None:
    shop = Shop()
    workflow = created(shop.api, task("a", input=True))
    job = shop.api.post({"schedule": {"rate_seconds": 86_400}, "workflow": workflow["id"]}).json
    shop.put("large", job_id=job["id"])
    texts = dict.fromkeys(("type", "id"), "\U0001f600" * 256)
    data = {"amount": 120, "text": "ü" * 16_000}
    assert shop.started(data=data, **texts)["outcome"] == "filed"
    shop.pass_seconds(60)
    event = {"source": "shop", **texts, "data": data}
    assert bodies(shop.api, "a") == [{"input": event, "body": None, "results": {}}]
    (run,) = shop.api.get(f"/v1/workflows/{workflow['id']}/runs").json["runs"]
    assert (run["state"], run["has_input"]) == ("succeeded", True)


def test_run_of_the_schedule_beside_those_of_events_has_no_input() -> None:
    shop = Shop()
    workflow = created(shop.api, task("a", input=True))
    job = shop.api.post({"schedule": {"rate_seconds": 86_400}, "workflow": workflow["id"]}).json
    shop.put("large", job_id=job["id"])
    shop.started()
    assert send(shop.api, "POST", f"/v1/jobs/{job['id']}/trigger").status == 201
    shop.pass_seconds(60)
    assert sorted(each["input"] is None for each in bodies(shop.api, "a")) == [False, True]


def test_change_of_the_flag_is_a_change_of_the_workflow() -> None:
    world = ApiWorld()
    for input_, change in ((False, "created"), (True, "updated"), (True, "unchanged")):
        done = send(world, "PUT", "/v1/workflows/by-key/order", {"tasks": [task("a", input=input_)]})
        assert done.json["change"] == change
        if change == "updated":
            assert [each["pointer"] for each in done.json["fields"]] == ["/tasks/a/input"]
