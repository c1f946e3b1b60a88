"""What a dead worker leads to: one more attempt with the same id, or an honest failure."""

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from infra.local.api import Api
from infra.local.calls import Call
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack, Tenant

pytestmark = pytest.mark.integration

TIMEOUT_SECONDS = 3
RECOVERY_SECONDS = 150
"""A lease of 8 s, at most a minute to the end of the bucket, 10 s to its first sweep, and room to spare."""


@pytest.fixture(scope="module")
def tenant(stack: LocalStack) -> Tenant:
    return stack.create_tenant("crashes")


def create(api: Api, url: str, **more: Any) -> str:
    body = {
        "schedule": {"delay_seconds": 2},
        "request": {"url": url},
        "timeout_seconds": TIMEOUT_SECONDS,
        **more,
    }
    answer = api.request("POST", "/v1/jobs", body)
    assert answer.status == 201, answer.body
    job_id: str = answer.json()["id"]
    return job_id


def kill_executors(stack: LocalStack) -> None:
    for pid in stack.executor_pids():
        os.kill(pid, signal.SIGKILL)


def swept_until(stack: LocalStack, is_done: Callable[[], bool]) -> None:
    """Tick like EventBridge, only more often, until the sweep has recovered the execution."""
    deadline = time.monotonic() + RECOVERY_SECONDS
    while not is_done():
        assert time.monotonic() < deadline, "not recovered"
        time.sleep(2)
        stack.invoke("sweeper", {"range": {"index": 0, "of": 1}})


def test_a_worker_killed_in_mid_call_leads_to_exactly_one_more_attempt(
    stack: LocalStack, tenant: Tenant
) -> None:
    in_call = threading.Event()

    def hang_at_first(call: Call) -> Reply:
        in_call.set()
        return Reply(after_seconds=30) if call.attempt == 1 else Reply()

    api = stack.api(tenant.api_key)
    with Receiver(respond=hang_at_first, secret=tenant.signing_secret) as receiver:
        job_id = create(api, f"{receiver.url}/killed")
        assert in_call.wait(60)
        kill_executors(stack)
        swept_until(stack, lambda: len(receiver.calls("/killed")) > 1)
        swept_until(stack, lambda: api.request("GET", f"/v1/jobs/{job_id}").json()["state"] == "succeeded")
        first, second = receiver.calls("/killed")
    assert first.execution_id == second.execution_id
    assert (first.attempt, second.attempt) == (1, 2)
    assert first.genuine
    assert second.genuine


def test_a_worker_killed_with_the_last_attempt_ends_as_a_dead_letter(
    stack: LocalStack, tenant: Tenant
) -> None:
    in_call = threading.Event()

    def hang(call: Call) -> Reply:
        in_call.set()
        return Reply(after_seconds=30)

    api = stack.api(tenant.api_key)
    with Receiver(respond=hang) as receiver:
        job_id = create(api, f"{receiver.url}/last", retry={"max_attempts": 1})
        assert in_call.wait(60)
        kill_executors(stack)
        swept_until(stack, lambda: api.request("GET", f"/v1/jobs/{job_id}").json()["state"] == "failed")
        assert len(receiver.calls("/last")) == 1
    dead = api.request("GET", "/v1/dead-letters").json()["executions"]
    assert [(letter["job_id"], letter["end_reason"]) for letter in dead] == [(job_id, "worker_lost")]


def test_a_failing_receiver_is_tried_again_and_then_listed(stack: LocalStack) -> None:
    tenant = stack.create_tenant("failing")
    api = stack.api(tenant.api_key)
    with Receiver(respond=lambda _: Reply(status=500, body=b"broken")) as receiver:
        retry = {"max_attempts": 3, "base_seconds": 1, "cap_seconds": 1}
        job_id = create(api, f"{receiver.url}/failing", retry=retry)
        calls = receiver.wait_for(3, path="/failing", timeout=90)
        deadline = time.monotonic() + 60
        while api.request("GET", f"/v1/jobs/{job_id}").json()["state"] != "failed":
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert [call.attempt for call in receiver.calls("/failing")] == [1, 2, 3]
    assert len({call.execution_id for call in calls}) == 1
    (letter,) = api.request("GET", "/v1/dead-letters").json()["executions"]
    assert letter["end_reason"] == "attempts_used_up"
    assert letter["last_response_body"] == "broken"
    assert [attempt["status"] for attempt in letter["attempts"]] == [500, 500, 500]


def test_a_message_that_nobody_can_read_is_parked_with_the_reason(stack: LocalStack) -> None:
    stack.client("sqs").send_message(QueueUrl=stack.outputs["StandardQueueUrl"], MessageBody="no wake-up")
    deadline = time.monotonic() + 60
    while True:
        found = [each for each in stack.admin("list-parked")["messages"] if each["body"] == "no wake-up"]
        if found:
            break
        assert time.monotonic() < deadline, "not parked"
        time.sleep(0.5)
    (message,) = found
    assert message["lane"] == "standard"
    assert message["reason"].startswith("unreadable message")
    assert stack.admin("remove-parked", message["id"]) == message, (
        "the drills need a stack without parked messages"
    )


def test_no_payload_is_in_the_table_or_in_a_log(stack: LocalStack) -> None:
    tenant = stack.create_tenant("canary")
    api = stack.api(tenant.api_key)
    with Receiver() as receiver:
        body = {
            "schedule": {"delay_seconds": 3},
            "request": {
                "url": f"{receiver.url}/canary?token=CANARY-url",
                "headers": {"X-Secret": "CANARY-header"},
                "body": "CANARY-body",
            },
        }
        assert api.request("POST", "/v1/jobs", body).status == 201
        receiver.wait_for(1, path="/canary", timeout=90)
    assert "CANARY" not in stack.emulator.home.log.read_text(errors="replace")
    table = stack.client("dynamodb").scan(TableName=stack.outputs["ExecutionsTableName"])
    assert "CANARY" not in repr(table["Items"])
