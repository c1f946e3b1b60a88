"""A chain that was begun by older tables of time zones: the deployed reconciler moves it to where today's have it."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.api import Api
from infra.local.stack import LocalStack, Tenant
from shared.adapters.clock import SystemEntropy, pause
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.codec.keys import execution_key, item_key
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.adapters.dynamodb.jobs.job_store import DynamoJobStore
from shared.domain.bucket import MINUTE_MS
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Cron, first_after
from tests.support.builders import with_changes

pytestmark = pytest.mark.integration

PATIENCE = 150
"""Seconds for the next minute to settle, on a busy machine; nothing is judged by it."""
OLD_RULES = "2020a -5:31"
"""By these a line of even minutes in Asia/Kolkata fires at odd ones."""


def test_the_next_run_moves_and_the_change_is_in_the_history(
    stack: LocalStack, tenant: Tenant, api: Api
) -> None:
    begins_at = (datetime.now(UTC) + timedelta(hours=1)).replace(second=0, microsecond=0)
    schedule = {"cron": "0-58/2 * * * *", "timezone": "Asia/Kolkata", "start_at": begins_at.isoformat()}
    request = {"url": "http://127.0.0.1:65000/never"}
    created = api.request("POST", "/v1/jobs", {"schedule": schedule, "request": request})
    assert created.status == 201, created.body
    job_id = created.json()["id"]
    head = _as_older_tables_had_it(stack, tenant, job_id)
    assert head.nominal_at // MINUTE_MS % 2 == 1

    _reconcile_until_recomputed(stack)

    job = api.request("GET", f"/v1/jobs/{job_id}").json()
    assert job["state"] == "active"
    runs = api.request("GET", f"/v1/jobs/{job_id}/executions").json()["executions"]
    (moved_to,) = (datetime.fromisoformat(run["due_at"]) for run in runs if run["state"] == "pending")
    assert moved_to.minute % 2 == 0
    left = _executions(stack).get(head.id)
    assert left is not None
    assert (left.state, left.progress.ends_chain) == (State.CANCELLED, True)
    upcoming = api.request("GET", f"/v1/jobs/{job_id}/upcoming?count=1").json()
    assert datetime.fromisoformat(upcoming["runs"][0]["scheduled_at"]) == moved_to
    assert api.request("DELETE", f"/v1/jobs/{job_id}").status == 200


def _reconcile_until_recomputed(stack: LocalStack) -> None:
    """A run that finds no minute settled since the last one looks at no job."""
    deadline = time.monotonic() + PATIENCE
    while not stack.invoke("reconciler", {"range": {"index": 0, "of": 1}})["recomputed"]:
        assert time.monotonic() < deadline
        time.sleep(2)


def _as_older_tables_had_it(stack: LocalStack, tenant: Tenant, job_id: str) -> Execution:
    """Rewrite the chain as an older release would have begun it; its head."""
    dynamodb, settings = stack.client("dynamodb"), stack.environment()
    region, executions = settings["PUNCTUAL_REGION"], settings["EXECUTIONS_TABLE"]
    jobs = DynamoJobStore(dynamodb, settings["JOBS_TABLE"], executions, region)
    store = _executions(stack)
    job = jobs.get(tenant.name, job_id)
    assert isinstance(job, Job)
    assert isinstance(job.schedule, Cron)
    head = store.get(job.id_at(job.chain_from))
    assert head is not None
    schedule = replace(job.schedule, rules=OLD_RULES)
    first_at = first_after(schedule, job.schedule.start_at or 0)
    assert first_at is not None
    older = with_changes(job, schedule=schedule, chain_from=first_at)
    dynamodb.delete_item(TableName=executions, Key=item_key(*execution_key(region, head.id)))
    assert jobs.replace(job, older)
    first = older.occurrence(first_at, created_at=head.created_at, run=1)
    store.put_if_absent(first)
    return first


def _executions(stack: LocalStack) -> DynamoExecutionStore:
    settings = stack.environment()
    table, region = settings["EXECUTIONS_TABLE"], settings["PUNCTUAL_REGION"]
    backoff = Backoff(pause, SystemEntropy())
    return DynamoExecutionStore(stack.client("dynamodb"), table, region, backoff)
