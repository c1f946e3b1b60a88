"""Who is called beside many others: lanes, tenants and limits, as far as the emulator's queues go.

They hand messages out as they came: that fair queues let a quiet tenant's go first is shown in the simulation.
"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from infra.local.api import Api
from infra.local.calls import Call
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack

pytestmark = pytest.mark.integration

LAG_BOUND_MS = 1_500
QUIET = 10
NOISY = 200
AT_ONCE = 2


def submit(api: Api, url: str, instants: list[datetime], **fields: str) -> None:
    for start in range(0, len(instants), 100):
        jobs = [
            {
                "schedule": {"at": instant.isoformat(timespec="milliseconds")},
                "request": {"url": url, "json": {}},
                **fields,
            }
            for instant in instants[start : start + 100]
        ]
        answer = api.request("POST", "/v1/jobs/batch", {"jobs": jobs})
        assert [result["status"] for result in answer.json()["results"]] == [201] * len(jobs)


def soon(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


def one_by_one(start: datetime) -> list[datetime]:
    return [start + timedelta(milliseconds=300 * number) for number in range(QUIET)]


def worst_lag(calls: list[Call]) -> float:
    return max(call.lag_ms for call in calls if call.lag_ms is not None)


@pytest.mark.parametrize("lane", ["critical", "standard"])
def test_a_flood_of_bulk_holds_up_no_other_lane(stack: LocalStack, lane: str) -> None:
    api = stack.api(stack.create_tenant(f"flood-{lane}").api_key)
    with Receiver(respond=lambda _: Reply(after_seconds=0.2)) as flooded, Receiver() as other:
        start = soon(5)
        submit(api, flooded.url, [start] * NOISY, lane="bulk")
        submit(api, other.url, one_by_one(start + timedelta(milliseconds=500)), lane=lane)
        assert worst_lag(other.wait_for(QUIET)) < LAG_BOUND_MS
        calls = flooded.wait_for(NOISY, timeout=60)
    assert len({call.execution_id for call in calls}) == len(calls) == NOISY


def test_a_tenant_at_its_limit_keeps_to_it_and_holds_up_no_other_tenant(stack: LocalStack) -> None:
    noisy, quiet = stack.create_tenant("noisy"), stack.create_tenant("quiet")
    stack.admin("change-tenant", noisy.name, "--quota", f"concurrency={AT_ONCE}")
    with Receiver(respond=lambda _: Reply(after_seconds=0.5)) as crowded, Receiver() as other:
        start = soon(5)
        submit(stack.api(noisy.api_key), crowded.url, [start] * 20)
        submit(stack.api(quiet.api_key), other.url, one_by_one(start + timedelta(milliseconds=500)))
        assert worst_lag(other.wait_for(QUIET)) < LAG_BOUND_MS
        calls = crowded.wait_for(20, timeout=120)
    arrived = sorted(call.arrived_at for call in calls)
    # Of three calls in a row the first has ended when the third begins.
    assert all(later - earlier > timedelta(seconds=0.45) for earlier, later in pairwise(arrived[::AT_ONCE]))
    assert {call.attempt for call in calls} == {1}, "to wait uses up no attempt"
