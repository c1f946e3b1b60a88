"""Workflows of apply files: what becomes of members and defaults, and errors with file, line and member."""

import json
import re
from typing import Any

import msgspec
import pytest

from punctual.applyfile import ApplyFileError, Source, Workflow, read_apply_file
from punctual.applyfile.schema import TARGET_MEMBERS
from punctual.applyfile.workflow_schema import (
    TASK_KEY,
    TASK_MEMBERS,
    WORKFLOW_MEMBERS,
    OwnTaskFields,
    RunAlerts,
    RunCallbacks,
    TaskMap,
)
from tests.support.sources import ROOT

SCHEMAS = json.loads((ROOT / "docs" / "openapi.json").read_text())["components"]["schemas"]
ORDER = """\
set: shop
workflows:
  order:
    tasks:
      charge:
        url: https://example.com/charge
"""


def read(text: str) -> Workflow:
    (workflow,) = read_apply_file(text.encode()).workflows
    return workflow


def refusal(text: str) -> str:
    with pytest.raises(ApplyFileError) as refused:
        read_apply_file(text.encode(), "jobs.yaml")
    return str(refused.value)


def test_workflow_becomes_the_body_of_the_api_with_its_values() -> None:
    workflow = read(
        ORDER.replace(
            "order:\n", "order:\n    name: order\n    deadline_seconds: 60\n    on_failure: continue\n"
        )
        + "        headers: {X-Token: {env: TOKEN}}\n"
        "        json: {n: 1}\n"
        "      ship:\n"
        "        after: [charge]\n"
        "        run_if: all_ended\n"
        "        url: {env: SHIP_URL}\n"
        "        lane: bulk\n"
        "        timeout_seconds: 5\n"
        "        retry: {max_attempts: 2}\n"
        "        body: {command: [pass, show, body]}\n"
    )
    command = Source(command=("pass", "show", "body"))
    assert workflow.line == 3
    assert set(workflow.sources()) == {Source("TOKEN"), Source("SHIP_URL"), command}
    assert workflow.hidden() == {"/tasks/ship/request/url"}
    values = {Source("TOKEN"): "t", Source("SHIP_URL"): "https://example.com/s", command: "b"}
    assert workflow.body(values) == {
        "name": "order",
        "deadline_seconds": 60,
        "on_failure": "continue",
        "tasks": [
            {
                "key": "charge",
                "request": {
                    "url": "https://example.com/charge",
                    "headers": {"X-Token": "t"},
                    "json": {"n": 1},
                },
            },
            {
                "key": "ship",
                "after": ["charge"],
                "run_if": "all_ended",
                "lane": "bulk",
                "timeout_seconds": 5,
                "retry": {"max_attempts": 2},
                "request": {"url": "https://example.com/s", "body": "b"},
            },
        ],
    }


def test_task_with_a_target_becomes_the_body_of_the_api() -> None:
    workflow = read(
        ORDER + "      tell:\n"
        "        after: [charge]\n"
        "        lambda: arn:aws:lambda:eu-west-1:111122223333:function:tell\n"
        "        invocation_type: request_response\n"
        "        body: {env: BODY}\n"
    )
    assert workflow.body({Source("BODY"): "{}"})["tasks"][1] == {
        "key": "tell",
        "after": ["charge"],
        "target": {
            "lambda": {
                "arn": "arn:aws:lambda:eu-west-1:111122223333:function:tell",
                "invocation_type": "request_response",
                "body": "{}",
            }
        },
    }


def test_defaults_complete_tasks_where_they_have_a_meaning() -> None:
    file = read_apply_file(
        b"set: s\n"
        b"defaults:\n"
        b"  timezone: Europe/Berlin\n"
        b"  overlap_policy: skip\n"
        b"  tags: [team]\n"
        b"  lane: bulk\n"
        b"  body: text\n"
        b"  url: https://example.com/\n"
        b"  headers: {X-Team: a, X-Other: b}\n"
        b"workflows:\n"
        b"  w:\n"
        b"    tasks:\n"
        b"      one: {}\n"
        b"      two: {headers: {x-team: c}, json: null, lane: critical}\n"
    )
    (workflow,) = file.workflows
    assert workflow.body({}) == {
        "tags": ["team"],
        "tasks": [
            {
                "key": "one",
                "lane": "bulk",
                "request": {
                    "url": "https://example.com/",
                    "headers": {"X-Team": "a", "X-Other": "b"},
                    "body": "text",
                },
            },
            {
                "key": "two",
                "lane": "critical",
                "request": {
                    "url": "https://example.com/",
                    "headers": {"X-Other": "b", "x-team": "c"},
                    "json": None,
                },
            },
        ],
    }


def test_urls_that_are_called_after_a_run_may_come_from_outside_the_file() -> None:
    workflow = read(
        ORDER + "    callbacks: {on_success: {env: DONE}, on_failure: none}\n"
        "    alerts: {url: {command: [pass, chat]}, format: slack, events: [failed, recovered]}\n"
    )
    done, chat = Source("DONE"), Source(command=("pass", "chat"))
    assert workflow.sources() == (done, chat)
    assert workflow.hidden() == {"/callbacks/on_success", "/alerts/url"}
    body = workflow.body({done: "https://example.com/done", chat: "https://chat.example/s3cret"})
    assert body["callbacks"] == {"on_success": "https://example.com/done", "on_failure": "none"}
    assert body["alerts"] == {
        "url": "https://chat.example/s3cret",
        "format": "slack",
        "events": ["failed", "recovered"],
    }
    with pytest.raises(
        ApplyFileError, match=r"workflows.order.alerts.url: the value of .* is no URL"
    ) as refused:
        workflow.body({done: "none", chat: "s3 cret"})
    assert "s3 cret" not in str(refused.value)


TASK = "        url: https://example.com/charge\n"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("set: s\nworkflows: []\n", "jobs.yaml:2: workflows: must be a mapping"),
        ("set: s\nworkflows: {}\n", "jobs: is required"),
        ("set: s\nworkflows:\n  'a b': {}\n", "jobs.yaml:3: .*a key has letters"),
        ("set: s\nworkflows:\n  w: {}\n", "jobs.yaml:3: workflows.w.tasks: is required"),
        ("set: s\nworkflows:\n  w: {tasks: {}}\n", "has 1 to 100 tasks, and this one has 0"),
        (ORDER + "    taks: {}\n", "jobs.yaml:7: workflows.order.taks: unknown member; did you mean tasks"),
        (ORDER + "    schedule: {}\n", "jobs.yaml:7: .*a workflow has no schedule"),
        (ORDER + "    set: t\n", "jobs.yaml:7: .*stands at the head"),
        (
            ORDER + "    deadline_seconds: 604801\n",
            "jobs.yaml:7: .*deadline_seconds: expected `int` <= 604800",
        ),
        (ORDER + "    alerts: {events: [failed]}\n", "jobs.yaml:7: .*alerts: .*missing required field `url`"),
        (ORDER + "    alerts: {url: none, events: [late]}\n", "jobs.yaml:7: .*alerts.events"),
        (
            ORDER + "    alerts: {url: {env: A, command: [b]}}\n",
            "jobs.yaml:7: .*url: exactly one of env, command",
        ),
        (
            ORDER + "    callbacks: {on_sucess: none}\n",
            "jobs.yaml:7: .*callbacks: .*unknown field `on_sucess`",
        ),
        (ORDER + "    callbacks: {on_success: chat.example}\n", "jobs.yaml:7: .*callbacks.on_success: "),
        (ORDER + "    on_failure: stop\n", "jobs.yaml:7: .*on_failure: "),
        (ORDER + "    name: ''\n", "jobs.yaml:7: .*name: "),
        (ORDER + "    tags: [A]\n", "jobs.yaml:7: .*tags"),
        (ORDER + "    tags: [a, a]\n", "jobs.yaml:7: .*a tag occurs twice"),
        (ORDER.replace("charge:", "'a b':"), "jobs.yaml:5: .*the key of a task is"),
        (ORDER.replace(TASK, ""), "jobs.yaml:5: workflows.order.tasks.charge: is required"),
        (
            ORDER.replace(TASK, "        lane: bulk\n"),
            "jobs.yaml:5: workflows.order.tasks.charge.url: is required",
        ),
        (ORDER + "        afer: []\n", "jobs.yaml:7: .*charge.afer: unknown member; did you mean after"),
        (ORDER + "        cron: x\n", "jobs.yaml:7: .*charge.cron: unknown member"),
        (ORDER + "        request: {}\n", "jobs.yaml:7: .*its members stand beside the others"),
        (ORDER + "        target: {}\n", "jobs.yaml:7: .*its members stand beside the others: sqs"),
        (ORDER + "        source: a\n", "jobs.yaml:7: .*has no meaning without eventbridge"),
        (
            ORDER + "        sns: arn:aws:sns:x\n        body: a\n",
            "jobs.yaml:6: .*url: has no meaning with `sns`",
        ),
        (ORDER + "        key: x\n", "jobs.yaml:7: .*the name above the members is the key"),
        (ORDER + "        after: [absent]\n", "jobs.yaml:7: .*no task of the workflow has the key 'absent'"),
        (ORDER + "        after: charge\n", "jobs.yaml:7: .*after: expected `array`"),
        (ORDER + "        run_if: maybe\n", "jobs.yaml:7: .*run_if: "),
        (ORDER + "        retry: {max_attempts: 21}\n", "jobs.yaml:7: .*max_attempts: expected `int` <= 20"),
        (ORDER + "        body: a\n        json: b\n", "jobs.yaml:8: .*`body` or `json`, not both"),
        (ORDER + "        headers: {X: {env: A, command: [b]}}\n", "exactly one of env, command"),
        (ORDER + "      charge: {}\n", "occurs twice"),
    ],
)
def test_errors_name_the_file_the_line_and_the_member(text: str, error: str) -> None:
    assert re.search(error, refusal(text)), refusal(text)


@pytest.mark.parametrize(
    ("member", "value", "error"),
    [
        (
            "headers: {X-Token: {env: A}}",
            "a\nb",
            "headers.X-Token: the value of A has characters that no header has",
        ),
        ("body: {env: A}", "\udcff", "body: the value of A is not UTF-8"),
        ("url: {env: A}", "s3cret", "url: the value of A is no URL"),
    ],
)
def test_value_that_cannot_be_sent_is_named_by_its_place_and_not_shown(
    member: str, value: str, error: str
) -> None:
    text = ORDER.replace(TASK, "") + f"        {member}\n" + ("" if "url" in member else TASK)
    with pytest.raises(ApplyFileError) as refused:
        read(text).body({Source("A"): value})
    assert str(refused.value).startswith(f"workflows.order.tasks.charge.{error}")
    assert value not in str(refused.value)


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ("map: {over: absent}", "map.over: no task of the workflow has the key 'absent'"),
        ("map: {path: /files}", "map"),
        ("map: [charge]", "map"),
        ("map: {over: charge, items: 1}", "map"),
    ],
)
def test_map_of_a_task_is_read_and_hostile_ones_are_refused(members: str, error: str) -> None:
    good = (
        ORDER
        + "      each:\n        after: [charge]\n"
        + "        map: {over: charge, path: /files}\n        url: https://a.example/\n"
    )
    tasks = read(good).body({})["tasks"]
    assert tasks[-1]["map"] == {"over": "charge", "path": "/files"}
    with pytest.raises(ApplyFileError) as refused:
        read(good.replace("map: {over: charge, path: /files}", members))
    assert f"workflows.order.tasks.each.{error}" in str(refused.value)


def test_members_are_those_of_the_api() -> None:
    flat = {"url", "method", "headers", "body", "json", "auth", *TARGET_MEMBERS}
    task = set(SCHEMAS["TaskIn"]["properties"])
    assert set(TASK_MEMBERS) == (task - {"key", "request", "target"}) | flat
    assert set(WORKFLOW_MEMBERS) == set(SCHEMAS["KeyedWorkflowIn"]["properties"]) - {"set"}
    pairs = ((RunCallbacks, "RunCallbacksIn"), (RunAlerts, "RunAlertsIn"), (TaskMap, "MapIn"))
    for ours, theirs in pairs:
        assert set(ours.__struct_fields__) == set(SCHEMAS[theirs]["properties"])
    parts = msgspec.json.schema(RunAlerts)["$defs"]["RunAlerts"]["properties"]
    assert set(parts["events"]["items"]["enum"]) == set(
        SCHEMAS["RunAlertsIn"]["properties"]["events"]["items"]["enum"]
    )
    assert len(set(TASK_MEMBERS)) == len(TASK_MEMBERS)
    limits = {name: SCHEMAS["TaskIn"]["properties"][name]["maxItems"] for name in ("after", "needs")}
    own: Any = msgspec.json.schema(OwnTaskFields)["$defs"]["OwnTaskFields"]["properties"]
    assert {name: own[name]["maxItems"] for name in limits} == limits
    pattern: Any = SCHEMAS["TaskIn"]["properties"]["key"]["pattern"]
    assert set(pattern) == set(f"^{TASK_KEY.pattern}$")
