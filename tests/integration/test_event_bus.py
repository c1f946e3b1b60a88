"""The event bus on the deployed stack: an event of EventBridge starts a job of the tenant that it is mapped to."""

import json
from typing import Any

import pytest

from infra.local.api import Api
from infra.local.clients import ACCOUNT
from infra.local.receiver import Receiver
from infra.local.stack import LocalStack

pytestmark = pytest.mark.integration


def put(stack: LocalStack, source: str, kind: str, detail: dict[str, Any]) -> None:
    entry = {
        "EventBusName": "punctual-local-events",
        "Source": source,
        "DetailType": kind,
        "Detail": json.dumps(detail),
    }
    answer = stack.client("events").put_events(Entries=[entry])
    assert answer["FailedEntryCount"] == 0, answer


def test_event_of_the_bus_starts_a_job_of_its_tenant(stack: LocalStack, operator: Api) -> None:
    tenant = stack.create_tenant("bus")
    api = stack.api(tenant.api_key)
    with Receiver(secret=tenant.signing_secret) as receiver:
        job = api.request(
            "POST",
            "/v1/jobs",
            {"schedule": {"rate_seconds": 86_400}, "request": {"url": f"{receiver.url}/from-the-bus"}},
        ).json()
        pattern = {"source": ["com.bus.shop"], "data": {"amount": [{"numeric": [">", 100]}]}}
        trigger = {"pattern": pattern, "job_id": job["id"]}
        assert api.request("PUT", "/v1/triggers/large", trigger).status == 200
        routes = {"routes": [{"source_prefix": "com.bus.", "tenant_id": "bus"}]}
        mapped = operator.request("PUT", f"/v1/admin/event-sources/{ACCOUNT}", routes)
        assert mapped.status == 200, mapped.body
        put(stack, "com.nobody", "paid", {"amount": 200})
        put(stack, "com.bus.shop", "paid", {"amount": 50})
        put(stack, "com.bus.shop", "paid", {"amount": 200})
        (call,) = receiver.wait_for(1, timeout=60)
        body = json.loads(call.body)
        assert body["event"]["data"] == {"amount": 200}
        assert (body["event"]["source"], body["event"]["type"]) == ("com.bus.shop", "paid")
        shown = api.request("GET", f"/v1/executions/{call.headers['webhook-id']}").json()
        assert shown["event"]["trigger"] == "large"
