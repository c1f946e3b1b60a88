"""The laptop stack as a user has it: HTTP in, HTTP out, everything between them the deployed handlers.

All jobs are created first and waited for together, so that the whole timetable takes little over three minutes.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from infra.local.api import Api
from infra.local.calls import Call
from infra.local.receiver import Receiver
from infra.local.stack import LocalStack
from tests.support.slowdown import Slowdown

pytestmark = pytest.mark.integration

LAG_BOUND_MS = 1_500
"""What the laptop stack promises on a quiet machine. In the cloud an alarm watches a bound of its own."""
PATIENCE = 300
"""Seconds to wait for calls on a busy machine; nothing is judged by it."""
MINUTES = 3
RATE_SECONDS = 5
RATE_CALLS = 12


@dataclass(frozen=True, kw_only=True)
class Timetable:
    """The jobs that were created, and what became of them."""

    api: Api
    receiver: Receiver
    slowdown: Slowdown
    soon: str
    later: str
    cron: str
    rate: str

    def calls(self, path: str, count: int) -> list[Call]:
        """The calls of one job, once enough of them came."""
        return self.receiver.wait_for(count, path=path, timeout=PATIENCE)

    def assert_punctual(self, calls: list[Call]) -> None:
        """Never early, within the bound at the machine's speed, signed, and each execution once."""
        assert [call.lag_ms for call in calls if call.lag_ms is None or call.lag_ms < 0] == []
        assert [text for _, text in self.slowdown.late(calls, LAG_BOUND_MS)] == []
        assert all(call.genuine for call in calls)
        assert [call.attempt for call in calls] == [1] * len(calls)
        ids = [call.execution_id for call in calls]
        assert len(set(ids)) == len(ids)


def create(api: Api, schedule: dict[str, Any], url: str, **more: Any) -> str:
    answer = api.request(
        "POST", "/v1/jobs", {"schedule": schedule, "request": {"url": url, "json": {}}, **more}
    )
    assert answer.status == 201, answer.body
    job_id: str = answer.json()["id"]
    return job_id


@pytest.fixture(scope="module")
def timetable(stack: LocalStack, slowdown: Slowdown) -> Iterator[Timetable]:
    tenant = stack.create_tenant("timetable")
    api = stack.api(tenant.api_key)
    with Receiver(secret=tenant.signing_secret) as receiver:
        yield Timetable(
            api=api,
            receiver=receiver,
            slowdown=slowdown,
            cron=create(api, {"cron": "*/1 * * * *", "timezone": "UTC"}, f"{receiver.url}/cron"),
            later=create(api, {"delay_seconds": 90}, f"{receiver.url}/later"),
            soon=create(api, {"delay_seconds": 3}, f"{receiver.url}/soon"),
            rate=create(api, {"rate_seconds": RATE_SECONDS}, f"{receiver.url}/rate"),
        )


def test_a_one_off_job_three_seconds_ahead_is_called_once_and_on_time(timetable: Timetable) -> None:
    calls = timetable.calls("/soon", 1)
    timetable.assert_punctual(calls)
    job = timetable.api.request("GET", f"/v1/jobs/{timetable.soon}").json()
    assert job["state"] in ("running", "succeeded")


def test_a_rate_job_is_called_at_each_of_its_instants(timetable: Timetable) -> None:
    calls = timetable.calls("/rate", RATE_CALLS)
    timetable.api.request("DELETE", f"/v1/jobs/{timetable.rate}")
    timetable.assert_punctual(calls)
    instants = sorted(call.scheduled_at.timestamp() for call in calls if call.scheduled_at)
    assert {b - a for a, b in itertools.pairwise(instants)} == {RATE_SECONDS}


def test_a_job_that_a_watcher_has_to_find_is_called_once_and_on_time(timetable: Timetable) -> None:
    timetable.assert_punctual(timetable.calls("/later", 1))


def test_a_cron_job_is_called_each_minute(timetable: Timetable) -> None:
    calls = timetable.calls("/cron", MINUTES)
    timetable.api.request("DELETE", f"/v1/jobs/{timetable.cron}")
    timetable.assert_punctual(calls)
    instants = sorted(call.scheduled_at.timestamp() for call in calls if call.scheduled_at)
    assert {b - a for a, b in itertools.pairwise(instants)} == {60}


def test_job_is_not_called_after_its_deletion_was_acknowledged(timetable: Timetable) -> None:
    """Runs last: both recurring jobs were deleted by the tests above."""
    state = timetable.api.request("GET", f"/v1/jobs/{timetable.rate}").json()["state"]
    assert state == "deleted"
    assert len(timetable.receiver.calls("/soon")) == len(timetable.receiver.calls("/later")) == 1
    history = timetable.api.request("GET", f"/v1/jobs/{timetable.rate}/executions?limit=100").json()[
        "executions"
    ]
    called = {call.execution_id for call in timetable.receiver.calls("/rate")}
    assert called == {execution["id"] for execution in history if execution["attempts_begun"]}
    assert {execution["state"] for execution in history if not execution["attempts_begun"]} == {"cancelled"}
