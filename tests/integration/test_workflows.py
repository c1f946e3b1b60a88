"""Workflows on the deployed stack: tasks in order, a redrive, a cancellation, and a large request."""

import json
import time
from threading import Event
from typing import Any

import pytest

from infra.local.api import Api
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack

pytestmark = pytest.mark.integration

PATIENCE = 120
LARGE = "x" * 4_000
"""A body that is stored apart from its workflow."""


def ended(stack: LocalStack, api: Api, run: str) -> Any:
    until = time.monotonic() + PATIENCE
    while True:
        shown = api.request("GET", f"/v1/runs/{run}").json()
        if shown["ended_at"] is not None:
            return shown
        assert time.monotonic() < until, shown
        stack.tick()


def task(receiver: Receiver, key: str, *after: str, **members: Any) -> dict[str, Any]:
    request = {"url": f"{receiver.url}/{key}", "body": LARGE if key == "top" else key}
    return {"key": key, "after": list(after), "request": request, "retry": {"max_attempts": 1}, **members}


def test_diamond_runs_in_order_is_redriven_and_is_cancelled(stack: LocalStack) -> None:
    tenant = stack.create_tenant("workflows")
    api = stack.api(tenant.api_key)
    with Receiver(secret=tenant.signing_secret) as receiver:
        receiver.respond = lambda call: Reply(status=410 if call.path == "/join" else 200)
        diamond = [
            task(receiver, "top"),
            task(receiver, "left", "top"),
            task(receiver, "right", "top"),
            task(receiver, "join", "left", "right"),
        ]
        created = api.request("POST", "/v1/workflows", {"tasks": diamond})
        assert created.status == 201, created.body
        workflow = created.json()["id"]
        run = api.request("POST", f"/v1/workflows/{workflow}/runs").json()["id"]
        failed = ended(stack, api, run)
        assert (failed["state"], failed["counts"]["succeeded"]) == ("failed", 3)
        paths = [call.path for call in receiver.calls()]
        assert (paths[0], sorted(paths[1:3]), paths[3:]) == ("/top", ["/left", "/right"], ["/join"])

        receiver.respond = lambda _: Reply()
        redriven = api.request("POST", f"/v1/runs/{run}/redrive", {"epoch": 1})
        assert redriven.status == 200, redriven.body
        assert ended(stack, api, run)["state"] == "succeeded"
        assert [call.path for call in receiver.calls()][4:] == ["/join"]

        later = [task(receiver, "first", lane="bulk"), task(receiver, "second", "first")]
        changed = api.request(
            "PATCH", f"/v1/workflows/{workflow}", {"tasks": later}, headers={"If-Match": "*"}
        )
        assert changed.status == 200, changed.body
        release = Event()
        receiver.respond = lambda _: Reply(after=release)
        second = api.request("POST", f"/v1/workflows/{workflow}/runs").json()["id"]
        receiver.wait_for(1, path="/first")
        cancelled = api.request("POST", f"/v1/runs/{second}/cancel")
        assert (cancelled.status, cancelled.json()["state"]) == (202, "cancelling")
        release.set()
        stopped = ended(stack, api, second)
        assert stopped["state"] == "cancelled"
        assert [each["state"] for each in stopped["tasks"]] == ["succeeded", "cancelled"]
        assert receiver.calls("/second") == []
        assert all(call.genuine for call in receiver.calls())
        assert [
            each["id"] for each in api.request("GET", f"/v1/workflows/{workflow}/runs").json()["runs"]
        ] == [
            second,
            run,
        ]


def test_results_of_a_call_and_of_long_work_arrive_byte_for_byte(stack: LocalStack) -> None:
    tenant = stack.create_tenant("results")
    api = stack.api(tenant.api_key)
    exact = b'{"n":1.10,"big":123456789012345678901234567890}'
    with Receiver(secret=tenant.signing_secret) as receiver:
        accepts = Reply(status=202, headers={"X-Punctual-Async": "true"})
        receiver.respond = lambda call: (
            accepts if call.path == "/long" else Reply(body=b" " + exact + b"\r\n")
        )
        joins = {
            **task(receiver, "join", "short", "long", needs=["long", "short"]),
            "request": {"url": f"{receiver.url}/join", "json": {"own": LARGE}},
        }
        tasks = [task(receiver, "short"), task(receiver, "long"), joins]
        created = api.request("POST", "/v1/workflows", {"tasks": tasks})
        assert created.status == 201, created.body
        run = api.request("POST", f"/v1/workflows/{created.json()['id']}/runs").json()["id"]
        [long] = receiver.wait_for(1, path="/long")
        completion = f"/v1/executions/{long.execution_id}/complete"
        token = {"X-Callback-Token": long.headers["x-callback-token"]}
        refused = api.request("POST", completion, {}, headers=token)
        assert (refused.status, refused.json()["errors"][0]["pointer"]) == (422, "/result")
        assert api.request("POST", completion, {"result": [1.5, "ß"]}, headers=token).status == 200
        assert ended(stack, api, run)["state"] == "succeeded"
        [call] = receiver.calls("/join")
        assert call.genuine
        assert (call.headers["punctual-run"], call.headers["punctual-task"]) == (run, "join")
        assert exact in call.body
        document = json.loads(call.body)
        assert document["body"] == {"own": LARGE}
        assert document["results"]["long"] == {"state": "succeeded", "result": [1.5, "ß"]}
