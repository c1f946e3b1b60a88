"""Maps of workflows through the API: hostile definitions, quotas, and the items of a run as they are shown."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.archive.row import row_of
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.ids import parse_execution_id
from shared.domain.tenancy.quota import Quota
from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import send
from tests.support.fakes.sender import succeeds
from tests.support.usecases.archived import archive
from tests.support.usecases.lanes import Lanes

URL = "https://receiver.example"
DAY_MS = 86_400_000


def task(key: str, *after: str, **members: Any) -> dict[str, Any]:
    return {"key": key, "after": list(after), "request": {"url": f"{URL}/{key}"}, **members}


def mapped(key: str, over: str, path: str = "/files", **members: Any) -> dict[str, Any]:
    return task(key, over, **{"map": {"over": over, "path": path}, **members})


FAN_OUT = [task("list"), mapped("each", "list"), task("join", "each", needs=["each"])]


def answering(files: int, *failing: int) -> Any:
    """A receiver that lists so many files, and refuses some of them for good."""

    def answer(callback: Callback) -> CallbackResponse:
        position = dict(callback.headers).get("Punctual-Item")
        if position is not None and int(position) in failing:
            return CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
        body = b'{"files": [%s]}' % b",".join([b"0"] * files) if position is None else b"1"
        return replace(succeeds(callback), body=body)

    return answer


def run_of(world: ApiWorld, *tasks: dict[str, Any], seconds: int = 5, **members: Any) -> Any:
    created = world.post({"tasks": list(tasks) or FAN_OUT, **members}, "/v1/workflows")
    assert created.status == 201, created.text
    started = send(world, "POST", f"/v1/workflows/{created.json['id']}/runs")
    assert started.status == 201, started.text
    Lanes(world.world).until(world.world.clock.time_ms + seconds * 1_000)
    return world.get(f"/v1/runs/{started.json['id']}").json


HOSTILE: dict[str, tuple[list[Any], str, str]] = {
    "a task that is not in after": (
        [task("a"), task("b", map={"over": "a"})],
        "/tasks/1/map/over",
        "add 'a' to after",
    ),
    "an unknown task": ([task("a", map={"over": "x"})], "/tasks/0/map/over", "after"),
    "no task": ([task("a"), task("b", "a", map={})], "/tasks/1/map/over", "required"),
    "an unknown member": (
        [task("a"), task("b", "a", map={"over": "a", "items": 1})],
        "/tasks/1/map/items",
        "",
    ),
    "a list": ([task("a"), task("b", "a", map=["a"])], "/tasks/1/map", ""),
    "a path that is no pointer": (
        [task("a"), mapped("b", "a", "files")],
        "/tasks/1/map/path",
        "JSON Pointer",
    ),
    "a path with a bad escape": ([task("a"), mapped("b", "a", "/~2")], "/tasks/1/map/path", "~0 for ~"),
    "a path that is too long": ([task("a"), mapped("b", "a", "/" + "x" * 256)], "/tasks/1/map/path", "256"),
    "a path that is too deep": ([task("a"), mapped("b", "a", "/a" * 33)], "/tasks/1/map/path", "32"),
    "a method without a body": (
        [task("a"), mapped("b", "a", request={"url": URL, "method": "GET"})],
        "/tasks/1/request/method",
        "elements are in the body",
    ),
    "a body that is no JSON": (
        [task("a"), mapped("b", "a", request={"url": URL, "body": "x"})],
        "/tasks/1/request/body",
        "with a map, the body is JSON",
    ),
    "a source whose answers have no body": (
        [task("a", request={"url": URL, "method": "HEAD"}), mapped("b", "a")],
        "/tasks/0/request/method",
        "HEAD",
    ),
    "ten maps": (
        [task("a"), *(mapped(f"m{n}", "a") for n in range(10))],
        "/tasks",
        "at most 1000 executions, and this one could have 1001",
    ),
    "a map that handles the failure of its own source": (
        [task("a"), mapped("b", "a", run_if="any_failed")],
        "/tasks/1/run_if",
        "never runs",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_map_is_refused_with_the_path_of_the_fault(name: str) -> None:
    tasks, pointer, words = HOSTILE[name]
    world = ApiWorld()
    answer = world.post({"tasks": tasks}, "/v1/workflows")
    assert answer.status == 422, answer.text
    [fault] = [each for each in answer.json["errors"] if each["pointer"] == pointer]
    assert words in fault["detail"]
    assert world.world.table.workflows == {}


def test_map_is_shown_as_it_was_defined_and_survives_a_patch() -> None:
    world = ApiWorld()
    created = world.post({"tasks": FAN_OUT}, "/v1/workflows").json
    assert created["tasks"][1]["map"] == {"over": "list", "path": "/files"}
    assert "map" not in created["tasks"][0]
    path = f"/v1/workflows/{created['id']}"
    patched = send(world, "PATCH", path, {"name": "other"}, "*")
    assert patched.status == 200, patched.text
    assert patched.json["tasks"] == created["tasks"]


def test_run_shows_the_counts_of_the_items_and_the_executions_of_failed_ones() -> None:
    world = ApiWorld(answer_to=answering(30, 3, 7))
    run = run_of(world, on_failure="continue")
    _, each, join = run["tasks"]
    assert (each["state"], each["execution_id"], each["reason"]) == ("failed", None, None)
    listed = each["items"].pop("unsuccessful")
    assert each["items"] == {
        "count": 30,
        "open": 0,
        "succeeded": 28,
        "failed": 2,
        "cancelled": 0,
        "skipped": 0,
    }
    assert [(item["index"], item["state"]) for item in listed] == [(3, "failed"), (7, "failed")]
    failed = world.get(f"/v1/executions/{listed[0]['execution_id']}").json
    assert failed["task"] == {"run_id": run["id"], "key": "each", "epoch": 1, "item": 3}
    assert "items" not in join


def test_archived_item_of_a_map_is_shown_as_its_record_was() -> None:
    world = ApiWorld(answer_to=answering(3, 0))
    run = run_of(world, on_failure="continue")
    (listed,) = run["tasks"][1]["items"]["unsuccessful"]
    path = f"/v1/executions/{listed['execution_id']}"
    before = world.get(path).json
    execution = world.world.table.executions.pop(parse_execution_id(before["id"])).execution
    archive(world.world.archive_reader, world.world.history, [row_of(execution)])
    world.world.clock.time_ms += 40 * DAY_MS
    assert world.get(path).json == before | {"archived": True}
    assert before["task"]["item"] == 0


def test_largest_map_lists_each_of_its_failed_items_with_its_execution() -> None:
    world = ApiWorld(answer_to=answering(100, *range(100)))
    run = run_of(world, on_failure="continue")
    items = run["tasks"][1]["items"]
    assert (items["count"], items["failed"]) == (100, 100)
    assert [each["index"] for each in items["unsuccessful"]] == list(range(100))
    last = world.get(f"/v1/executions/{items['unsuccessful'][99]['execution_id']}").json
    assert last["task"]["item"] == 99


def test_map_that_waits_is_blocked_and_has_no_items() -> None:
    world = ApiWorld(answer_to=answering(2))
    workflow = world.post({"tasks": FAN_OUT}, "/v1/workflows").json
    started = send(world, "POST", f"/v1/workflows/{workflow['id']}/runs").json
    [_, each, _] = world.get(f"/v1/runs/{started['id']}").json["tasks"]
    assert each["state"] == "blocked"
    assert "items" not in each


def test_map_that_found_no_array_shows_why() -> None:
    world = ApiWorld(answer_to=answering(101))
    run = run_of(world)
    assert (run["state"], run["tasks"][1]["reason"]) == ("failed", "map_too_long")


def test_map_counts_a_hundred_in_the_quota_of_a_minute() -> None:
    world = ApiWorld(answer_to=answering(2))
    path = f"/v1/workflows/{world.post({'tasks': FAN_OUT}, '/v1/workflows').json['id']}/runs"
    world.allow(Quota.DUE_PER_MINUTE, 101)
    refused = send(world, "POST", path)
    assert (refused.status, refused.json["quota"]) == (429, "due_per_minute")
    world.allow(Quota.DUE_PER_MINUTE, 102 + 101)
    assert send(world, "POST", path).status == 201
