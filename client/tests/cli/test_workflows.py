"""`punctual workflows`, and `punctual run` for runs of workflows."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from client.tests.cli.scene import DIAMOND, GONE, Scene
from client.tests.sdk.deployment import HOOK
from punctual.cli.exits import Exit
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.support.fakes.sender import succeeds


def test_run_that_is_waited_for_is_shown_with_its_tasks_and_its_graph() -> None:
    scene = Scene()
    ran = scene.shell.ok("workflows", "start", scene.workflow, "--wait")
    lines = ran.out.splitlines()
    assert ["top", "succeeded"] in [line.split()[:2] for line in lines]
    assert lines[-4:] == [
        "top  succeeded",
        "├── left  succeeded",
        "│   └── join  succeeded  (and after right)",
        "└── right  succeeded",
    ]


def test_input_of_a_run_is_json_or_a_file_and_reaches_its_task(tmp_path: Path) -> None:
    scene = Scene()
    body = {"tasks": [{"key": "a", "input": True, "request": {"url": f"{HOOK}/a"}}]}
    workflow = scene.shell.json("workflows", "create", "-", stdin=json.dumps(body))["id"]
    file = tmp_path / "order.json"
    file.write_text('{"order": 8}')
    assert scene.shell.json("workflows", "start", workflow, "--input", '{"order": 7}')["has_input"]
    scene.shell.ok("workflows", "start", workflow, "--input", f"@{file}")
    scene.shell.ok("workflows", "start", workflow, "--input", "@-", stdin="[9]")
    assert not scene.shell.json("workflows", "start", workflow)["has_input"]
    scene.shell.deployment.sleep(5)
    calls = scene.shell.deployment.world.world.sender.calls
    inputs = [json.loads(call.callback.body)["input"] for call in calls]
    assert sorted(map(str, inputs)) == sorted(map(str, [{"order": 7}, {"order": 8}, [9], None]))
    refused = scene.shell.run("workflows", "start", workflow, "--input", "secret {")
    assert (refused.code, "secret" in refused.err) == (Exit.USAGE, False)


def test_statistics_of_a_workflow_count_its_tasks_by_its_id_and_by_its_key() -> None:
    scene = Scene()
    scene.shell.ok("workflows", "start", scene.workflow, "--wait")
    scene.shell.ok("workflows", "put", "shop.order", "-", stdin=json.dumps(_with_urls()))
    assert scene.shell.json("stats", scene.workflow)["total"]["ended"] == 4
    assert scene.shell.json("stats", "--workflow", scene.workflow)["total"]["ended"] == 4
    assert scene.shell.json("stats", "--workflow", "shop.order")["total"]["ended"] == 0
    both = scene.shell.run("stats", scene.workflow, "--workflow", "shop.order")
    assert (both.code, "not both" in both.err) == (Exit.USAGE, True)
    absent = scene.shell.run("stats", "--workflow", "absent")
    assert (absent.code, "no workflow has the key 'absent'" in absent.err) == (Exit.NOT_FOUND, True)


def test_run_that_fails_ends_the_command_with_1_and_is_redriven() -> None:
    scene = Scene()
    sender = scene.shell.deployment.world.world.sender
    sender.answer_to = _refuses_join
    workflow = scene.shell.json("workflows", "create", "-", stdin=json.dumps(_with_urls()))["id"]
    failed = scene.shell.run("workflows", "start", workflow, "--wait", "--json")
    assert (failed.code, failed.json["state"]) == (Exit.FAILED, "failed")
    sender.answer_to = succeeds
    assert scene.shell.json("run", "redrive", failed.json["id"])["epoch"] == 2
    scene.shell.deployment.sleep(5)
    run = scene.shell.json("run", failed.json["id"])
    assert (run["state"], [task["epoch"] for task in run["tasks"]]) == ("succeeded", [1, 1, 1, 2])


def test_run_shows_which_of_its_tasks_have_handed_on_a_result() -> None:
    scene = Scene()
    scene.shell.deployment.world.world.sender.answer_to = lambda callback: replace(
        succeeds(callback), body=b'{"count": 7}'
    )
    tasks = [
        {"key": "count", "request": {"url": HOOK}},
        {"key": "report", "after": ["count"], "needs": ["count"], "request": {"url": HOOK}},
    ]
    workflow = scene.shell.json("workflows", "create", "-", stdin=json.dumps({"tasks": tasks}))["id"]
    run = scene.shell.json("workflows", "start", workflow, "--wait")["id"]
    lines = [line.split() for line in scene.shell.ok("run", "show", run).out.splitlines()]
    [head] = [line for line in lines if line[:2] == ["TASK", "STATE"]]
    by_task = {line[0]: line for line in lines if line[:1] in (["count"], ["report"]) and len(line) > 4}
    assert "RESULT" in head
    assert ("yes" in by_task["count"], "yes" in by_task["report"]) == (True, False)


def run_of_a_map(scene: Scene, count: int, *failing: int) -> Any:
    """An ended run with so many items, some of which their receiver has refused for good."""

    def answers(callback: Callback) -> CallbackResponse:
        position = dict(callback.headers).get("Punctual-Item")
        if position is not None and int(position) in failing:
            return CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
        return replace(
            succeeds(callback), body=str(list(range(count))).encode() if position is None else b"0"
        )

    scene.shell.deployment.world.world.sender.answer_to = answers
    tasks = [
        {"key": "list", "request": {"url": HOOK}},
        {"key": "each", "after": ["list"], "map": {"over": "list"}, "request": {"url": HOOK}},
    ]
    body = json.dumps({"tasks": tasks, "on_failure": "continue"})
    workflow = scene.shell.json("workflows", "create", "-", stdin=body)["id"]
    return scene.shell.run("workflows", "start", workflow, "--wait", "--json").json


def test_run_of_a_large_map_names_its_first_failed_items_and_where_the_others_are() -> None:
    scene = Scene()
    run = run_of_a_map(scene, 23, *range(23))
    shown = scene.shell.ok("run", "show", run["id"]).out
    assert ("item 19:" in shown, "item 20:" in shown) == (True, False)
    assert "3 more failed items: see --json" in shown
    assert len(scene.shell.json("run", "show", run["id"])["tasks"][1]["items"]["unsuccessful"]) == 23


def test_run_shows_the_items_of_a_map_and_the_executions_of_failed_ones() -> None:
    scene = Scene()
    run = run_of_a_map(scene, 3, 1)
    failed = run["tasks"][1]["items"]["unsuccessful"][0]["execution_id"]
    shown = scene.shell.ok("run", "show", run["id"]).out
    assert "each  failed (3 items: 2 succeeded, 1 failed)" in shown
    assert f"item 1: {failed}" in shown
    assert "ITEMS" not in scene.shell.ok("run", "show", scene.workflow_run).out


def test_cancelled_run_shows_why_its_tasks_did_not_run() -> None:
    scene = Scene()
    ran = scene.shell.ok("run", "show", scene.cancelled_run)
    assert "run_cancelled" in ran.out
    assert scene.shell.json("workflows", "runs", scene.workflow)[0]["counts"]["cancelled"] == 4


def test_edited_workflow_keeps_its_tasks() -> None:
    scene = Scene()
    edited = scene.shell.json("workflows", "edit", scene.workflow, "-", stdin='{"name": "other"}')
    assert (edited["name"], edited["revision"], len(edited["tasks"])) == ("other", 2, 4)
    stale = scene.shell.run(
        "workflows", "edit", scene.workflow, "-", "--if-match", "1", stdin='{"name": null}'
    )
    assert stale.code == Exit.CONFLICT


@pytest.mark.parametrize("text", ["", "[]", "{", '{"task": []}', '"secret"'])
def test_file_that_is_no_workflow_is_refused_without_a_request(text: str) -> None:
    scene = Scene()
    ran = scene.shell.run("workflows", "create", "-", stdin=text)
    assert ran.code == Exit.USAGE
    assert scene.shell.deployment.sent == []
    assert "secret" not in ran.err


def test_cycle_is_refused_with_its_keys() -> None:
    looped = {"tasks": [{"key": "a", "after": ["a"], "request": {"url": HOOK}}]}
    ran = Scene().shell.run("workflows", "create", "-", stdin=json.dumps(looped))
    assert ran.code == Exit.REFUSED
    assert "a → a" in ran.err


def _with_urls() -> dict[str, Any]:
    """The diamond, with a URL of its own for each task."""
    tasks = [{**task, "request": {"url": f"{HOOK}/{task['key']}"}} for task in DIAMOND["tasks"]]
    return {**DIAMOND, "tasks": tasks}


def _refuses_join(callback: Callback) -> CallbackResponse:
    return GONE if callback.url.endswith("join") else succeeds(callback)


def test_job_on_a_schedule_starts_a_workflow() -> None:
    scene = Scene()
    made = scene.shell.json("create", "--every", "1h", "--workflow", scene.workflow, "--overlap", "skip")
    assert (made["workflow"], made["request"]) == (scene.workflow, None)
    shown = scene.shell.ok("get", made["id"]).out
    assert scene.workflow in shown
    assert "POST" not in shown
    refused = scene.shell.run("create", "--every", "1h", "--workflow", scene.workflow, "--max-attempts", "2")
    assert refused.code != 0
    assert "each task" in refused.err


def test_job_names_its_workflow_by_key() -> None:
    scene = Scene()
    body = json.dumps(DIAMOND)
    first = scene.shell.json("workflows", "put", "shop.order", "-", stdin=body)["id"]
    second = scene.shell.json("workflows", "put", "shop.return", "-", stdin=body)["id"]
    made = scene.shell.json("create", "--every", "1h", "--workflow", "shop.order")
    assert made["workflow"] == first
    edited = scene.shell.json("edit", made["id"], "--workflow", "shop.return")
    assert edited["job"]["workflow"] == second
    absent = scene.shell.run("create", "--every", "1h", "--workflow", "shop.absent")
    assert absent.code == Exit.NOT_FOUND
    assert "--workflow: no workflow has the key 'shop.absent'" in absent.err
    assert len(scene.shell.json("list")) == 1


WHOLE: dict[str, Any] = {
    "name": "whole",
    "tags": ["a"],
    "tasks": [{"key": "a", "request": {"url": HOOK}}],
    "on_failure": "continue",
    "deadline_seconds": 60,
    "callbacks": {"on_success": f"{HOOK}/done", "on_failure": "none"},
    "alerts": {"url": f"{HOOK}/chat", "events": ["failed"]},
}


def test_file_of_a_workflow_may_have_every_member_of_the_api() -> None:
    schemas = json.loads((Path(__file__).parents[3] / "docs/openapi.json").read_text())["components"][
        "schemas"
    ]
    assert WHOLE.keys() == schemas["WorkflowIn"]["properties"].keys()
    assert {*WHOLE, "set"} == schemas["KeyedWorkflowIn"]["properties"].keys()
    scene = Scene()
    made = scene.shell.json("workflows", "create", "-", stdin=json.dumps(WHOLE))
    put = scene.shell.json("workflows", "put", "s.whole", "-", stdin=json.dumps(WHOLE | {"set": "s"}))
    edited = scene.shell.json("workflows", "edit", made["id"], "-", stdin=json.dumps({"callbacks": None}))
    assert made["callbacks"]["on_success"] == put["callbacks"]["on_success"] == f"{HOOK}/done"
    assert edited["callbacks"] != made["callbacks"]
