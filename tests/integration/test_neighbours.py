"""Lanes, tenants and limits beside a crowd of other calls, as far as the emulator's queues go.

The emulator hands out messages in the order of their arrival. The simulation shows that fair queues prefer the
messages of a quiet tenant.
"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from infra.local.api import Api
from infra.local.calls import Call
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack
from tests.support.slowdown import Slowdown

pytestmark = pytest.mark.integration

LAG_BOUND_MS = 1_500
QUIET = 10
NOISY = 200
AT_ONCE = 2
CROWD = 20
BUSY_SLOWDOWN = 2.0
"""From here on a late call is excused by its place among the arrivals of the crowd."""
PATIENCE = 180
"""Seconds to wait for calls on a busy machine; nothing is judged by it."""


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


def held_up(calls: list[Call], crowd: list[Call], slowdown: Slowdown) -> list[str]:
    """Calls that came later than the bound.

    A machine that is too busy for the crowd delays everything. On such a machine a late call counts only if it came
    after nine tenths of the crowd: an earlier one waited for the machine, and not for the crowd.
    """
    arrivals = sorted(call.arrived_at for call in crowd)
    last_tenth = arrivals[-(len(arrivals) // 10)]
    return [
        text
        for call, text in slowdown.late(calls, LAG_BOUND_MS)
        if call.arrived_at > last_tenth or slowdown.during(call) < BUSY_SLOWDOWN
    ]


@pytest.mark.parametrize("lane", ["critical", "standard"])
def test_a_flood_of_bulk_holds_up_no_other_lane(stack: LocalStack, slowdown: Slowdown, lane: str) -> None:
    api = stack.api(stack.create_tenant(f"flood-{lane}").api_key)
    with Receiver(respond=lambda _: Reply(after_seconds=0.2)) as flooded, Receiver() as other:
        start = soon(5)
        submit(api, flooded.url, [start] * NOISY, lane="bulk")
        submit(api, other.url, one_by_one(start + timedelta(milliseconds=500)), lane=lane)
        quiet = other.wait_for(QUIET, timeout=PATIENCE)
        calls = flooded.wait_for(NOISY, timeout=PATIENCE)
    assert held_up(quiet, calls, slowdown) == []
    assert len({call.execution_id for call in calls}) == len(calls) == NOISY


def test_a_tenant_at_its_limit_keeps_to_it_and_holds_up_no_other_tenant(
    stack: LocalStack, slowdown: Slowdown
) -> None:
    noisy, quiet = stack.create_tenant("noisy"), stack.create_tenant("quiet")
    stack.admin("change-tenant", noisy.name, "--quota", f"concurrency={AT_ONCE}")
    with Receiver(respond=lambda _: Reply(after_seconds=0.5)) as crowded, Receiver() as other:
        start = soon(5)
        submit(stack.api(noisy.api_key), crowded.url, [start] * CROWD)
        submit(stack.api(quiet.api_key), other.url, one_by_one(start + timedelta(milliseconds=500)))
        calls_of_the_quiet = other.wait_for(QUIET, timeout=PATIENCE)
        calls = crowded.wait_for(CROWD, timeout=PATIENCE)
    assert held_up(calls_of_the_quiet, calls, slowdown) == []
    arrived = sorted(call.arrived_at for call in calls)
    # Of three calls in a row the first has ended when the third begins.
    assert all(later - earlier > timedelta(seconds=0.45) for earlier, later in pairwise(arrived[::AT_ONCE]))
    assert {call.attempt for call in calls} == {1}, "to wait uses up no attempt"
