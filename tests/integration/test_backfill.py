"""A backfill over real HTTP, with a large request, from the request to the calls and to the end of its job."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.api import Api
from infra.local.receiver import Receiver

pytestmark = pytest.mark.integration

PATIENCE = 90
"""Seconds that a busy machine may take over what takes a moment; nothing is judged by it."""


def test_a_past_range_is_called_for_once_each_and_ends_with_its_job(api: Api, receiver: Receiver) -> None:
    text = "\u00e4" * 20_000
    request = {"url": f"{receiver.url}/backfilled", "body": text}
    schedule = {"cron": "0 3 * * *", "timezone": "UTC"}
    job = api.request("POST", "/v1/jobs", {"schedule": schedule, "request": request}).json()
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    wanted = [today - timedelta(days=days, hours=-3) for days in (4, 3, 2)]
    asked = {"from": wanted[0].isoformat(), "to": (wanted[-1] + timedelta(seconds=1)).isoformat()}
    path, key = f"/v1/jobs/{job['id']}/backfill", {"Idempotency-Key": "backfill"}
    assert api.request("POST", path, asked | {"dry_run": True}).json()["count"] == 3
    made = api.request("POST", path, asked, key)
    assert made.status == 201, made.body
    assert api.request("POST", path, asked, key).headers["idempotency-replayed"] == "true"
    calls = receiver.wait_for(3, path="/backfilled", timeout=PATIENCE)
    assert {call.scheduled_at for call in calls} == set(wanted)
    assert {call.headers["x-backfill-of"] for call in calls} == {job["id"]}
    assert {call.body for call in calls} == {text.encode()}
    assert len({call.execution_id for call in calls}) == 3
    location = made.headers["location"]
    assert _comes_to(api, location, "completed")
    history = api.request("GET", f"{location}/executions").json()["executions"]
    assert {one["state"] for one in history} == {"succeeded"}
    slow = api.request("POST", path, asked | {"every_seconds": 3600}).json()["id"]
    assert api.request("DELETE", f"/v1/jobs/{job['id']}").json()["state"] == "deleted"
    listed = api.request("GET", f"/v1/jobs?backfill_of={job['id']}").json()["jobs"]
    assert {(one["id"], one["state"]) for one in listed} == {
        (made.json()["id"], "deleted"),
        (slow, "deleted"),
    }


def _comes_to(api: Api, location: str, state: str) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if api.request("GET", location).json()["state"] == state:
            return True
        time.sleep(0.5)
    return False
