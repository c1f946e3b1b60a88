"""What failed for good: its owner is told, and redrives it; on the deployed stack, over HTTP."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from infra.local.api import Api
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack, Tenant
from shared.domain.ids import parse_execution_id

pytestmark = pytest.mark.integration

FAILED = 5


def until(ask: Callable[[], Any], is_so: Callable[[Any], bool], seconds: float = 30) -> Any:
    """The first answer that is as it should be; AssertionError if none was."""
    ends = time.monotonic() + seconds
    while not is_so(found := ask()):
        assert time.monotonic() < ends, found
        time.sleep(0.2)
    return found


def dead_letters(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.request("GET", "/v1/dead-letters").json()["executions"]
    return found


@pytest.fixture
def failing(stack: LocalStack) -> tuple[Tenant, Api]:
    tenant = stack.create_tenant(f"failing-{time.monotonic_ns()}")
    return tenant, stack.api(tenant.api_key)


def fail(api: Api, receiver: Receiver, count: int = 1) -> None:
    job = {
        "schedule": {"delay_seconds": 0},
        "request": {"url": f"{receiver.url}/hook", "json": {}},
        "on_failure": f"{receiver.url}/told",
    }
    answer = api.request("POST", "/v1/jobs/batch", {"jobs": [job] * count})
    assert {result["status"] for result in answer.json()["results"]} == {201}


def test_a_failure_is_told_of_once_and_redriven_once(stack: LocalStack, failing: tuple[Tenant, Api]) -> None:
    tenant, api = failing
    works = False

    def respond(call: Any) -> Reply:
        return Reply(status=200 if works or call.path == "/told" else 410)

    with Receiver(secret=tenant.signing_secret, respond=respond) as receiver:
        fail(api, receiver)
        [told] = receiver.wait_for(1, path="/told")
        [dead] = until(lambda: dead_letters(api), bool)
        assert told.genuine
        data = json.loads(told.body)["data"]
        assert data["execution_id"] == dead["id"] != told.execution_id
        assert data["console_url"] == f"{stack.api_url}/console#/runs/{dead['id']}"
        works = True
        pressed = [api.request("POST", f"/v1/executions/{dead['id']}/redrive") for _ in range(2)]
        [redrive] = {answer.json()["id"] for answer in pressed}
        again = receiver.wait_for(2, path="/hook")[1]
        assert (again.execution_id, again.attempt, again.genuine) == (redrive, 1, True)
        until(
            lambda: api.request("GET", f"/v1/executions/{redrive}").json()["state"],
            lambda state: state == "succeeded",
        )
        time.sleep(1)
        assert len(receiver.calls("/told")) == 1, "a redrive that succeeds fails nobody"
        assert len(receiver.calls("/hook")) == 2


def test_many_failures_are_redriven_in_bulk_at_their_pace(failing: tuple[Tenant, Api]) -> None:
    tenant, api = failing
    works = False
    with Receiver(
        secret=tenant.signing_secret, respond=lambda _: Reply(status=200 if works else 410)
    ) as receiver:
        fail(api, receiver, FAILED)
        until(lambda: dead_letters(api), lambda found: len(found) >= FAILED)
        works = True
        started = api.request("POST", "/v1/dead-letters/redrive", {"status": 410, "rate": 2})
        assert started.status == 202, started.body
        calls = receiver.wait_for(2 * FAILED, path="/hook")[FAILED:]
        assert len({call.execution_id for call in calls}) == FAILED
        # What the redriver planned: on a busy machine, late calls arrive together.
        planned = sorted(parse_execution_id(call.execution_id).dispatch_at for call in calls)
        assert planned[-1] - planned[0] > (FAILED - 1) * 500 - 1_000
