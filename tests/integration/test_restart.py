"""A laptop stack that is stopped and started again: its buckets are as the tables say."""

import time
from pathlib import Path
from typing import Any

import pytest

from infra.local.stack import LocalStack, local_stack
from shared.adapters.dynamodb.tenancy.audit_log import DynamoAuditLog
from shared.names import Env
from tests.support.archived_rows import archive_on
from tests.support.usecases.audit_trail import record

pytestmark = pytest.mark.integration
TWO_HOURS_MS = 7_200_000


def record_earlier(stack: LocalStack, tenant: str) -> None:
    """Write the audit record of a change in an hour that has ended."""
    log = DynamoAuditLog(stack.client("dynamodb"), stack.environment("auditor")[Env.AUDIT_TABLE])
    at = round(time.time() * 1_000) - TWO_HOURS_MS
    log.append(record(1, at, tenant_id=tenant), expires_at_s=2_000_000_000)


def verdict(stack: LocalStack) -> dict[str, Any]:
    """What `verify-audit` says of the trail after another run of the auditor."""
    stack.invoke("auditor", {})
    answer: dict[str, Any] = stack.admin("verify-audit")
    return answer


def archived(stack: LocalStack, key: str) -> list[str]:
    """The ids of archived executions that are listed, and that can be shown."""
    api = stack.api(key)
    listed = [
        each["id"] for each in api.request("GET", "/v1/executions").json()["executions"] if each["archived"]
    ]
    return [each for each in listed if api.request("GET", f"/v1/executions/{each}").json()["archived"]]


def test_audit_trail_and_archived_executions_survive_a_restart(tmp_path: Path) -> None:
    with local_stack(tmp_path / "local", warm_up=False) as stack:
        tenant = stack.create_tenant("acme")
        record_earlier(stack, "acme")
        rows = archive_on(stack, "acme")
        before = verdict(stack)
        assert (before["verified"], before["records"]) == (True, 1)
    with local_stack(tmp_path / "local", warm_up=False) as again:
        after = verdict(again)
        assert (after["findings"], after["records"]) == ([], 1)
        assert after["segments"] >= before["segments"] > 0
        assert sorted(archived(again, tenant.api_key)) == sorted(row.id for row in rows)
        assert "audit trail broken" not in again.emulator.home.log.read_text()
