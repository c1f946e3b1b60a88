"""Operators and lists over HTTP, on the deployed stack, where each request needs grants of its own."""

from typing import Any

import pytest

from infra.local.api import Api
from infra.local.stack import LocalStack

pytestmark = pytest.mark.integration

TENANTS = "/v1/admin/tenants"
FAR = {"schedule": {"delay_seconds": 1_800}, "request": {"url": "http://127.0.0.1:65000/never"}}


def asked(api: Api, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
    answer = api.request(method, path, body)
    assert answer.status == status, answer.body
    return answer.json()


def test_operator_opens_an_account_whose_keys_work(stack: LocalStack, operator: Api) -> None:
    made = asked(operator, "POST", TENANTS, {"id": "opened"}, status=201)
    assert "opened" in {tenant["id"] for tenant in asked(operator, "GET", TENANTS)["tenants"]}
    asked(stack.api(made["api_key"]), "POST", "/v1/jobs", FAR, status=201)
    second = asked(operator, "POST", f"{TENANTS}/opened/keys", {"scopes": ["read"]}, status=201)
    keys = asked(operator, "GET", f"{TENANTS}/opened/keys")["keys"]
    assert len(keys) == 2
    asked(operator, "DELETE", f"{TENANTS}/opened/keys/{second['id']}")
    assert asked(operator, "GET", f"{TENANTS}/opened/usage")["quotas"]


def test_operator_sees_parked_messages_lanes_and_what_is_due(operator: Api) -> None:
    assert "messages" in asked(operator, "GET", "/v1/admin/parked")
    lanes = asked(operator, "GET", "/v1/admin/lanes")
    assert list(lanes["lanes"]) == ["critical", "standard", "bulk"]
    asked(operator, "DELETE", "/v1/admin/parked/1740000000000-none", status=404)
    alarms = asked(operator, "GET", "/v1/admin/alarms")["alarms"]
    assert {alarm["state"] for alarm in alarms} <= {"alarm", "insufficient_data", "ok"}
    assert all(alarm["runbook"].startswith("docs/runbooks/") for alarm in alarms)
    assert "Parked" in {alarm["name"] for alarm in alarms}
    assert "rows" in asked(operator, "GET", "/v1/admin/upcoming?within=60")


def test_tenant_lists_its_executions(stack: LocalStack) -> None:
    api = stack.api(stack.create_tenant("lists").api_key)
    job = asked(api, "POST", "/v1/jobs", FAR, status=201)
    for path, name in (("/v1/executions", "executions"), ("/v1/upcoming?within=3600", "runs")):
        assert [each["job_id"] for each in asked(api, "GET", path)[name]] == [job["id"]]
    assert [each["id"] for each in asked(api, "GET", "/v1/jobs")["jobs"]] == [job["id"]]
    assert asked(api, "GET", "/v1/dead-letters")["executions"] == []
    assert asked(api, "GET", "/v1/usage")["quotas"]
