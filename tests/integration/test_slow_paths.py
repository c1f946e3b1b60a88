"""A destination that answers slowly: its calls go on through the slow path, and hold up nobody's."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.api import Api
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack
from shared.names import Metric, QueueName
from tests.support.slowdown import Slowdown

pytestmark = pytest.mark.integration

SLOW_SECONDS = 6
LEARNT_FROM = 3
"""So many answers tell the worker that hears them that a destination is slow."""
JOBS = 20
LAG_BOUND_MS = 1_500
PATIENCE = 180
"""Seconds to wait for calls on a busy machine; nothing is judged by it."""


def submit(api: Api, receiver: Receiver, instants: list[datetime]) -> None:
    jobs = [
        {
            "schedule": {"at": instant.isoformat(timespec="milliseconds")},
            "request": {"url": f"{receiver.url}/hook", "json": {}},
        }
        for instant in instants
    ]
    answer = api.request("POST", "/v1/jobs/batch", {"jobs": jobs})
    assert [result["status"] for result in answer.json()["results"]] == [201] * len(jobs)


def claimed(stack: LocalStack) -> Counter[str]:
    """How many calls each executor has claimed, as its log says."""
    found: Counter[str] = Counter()
    for line in stack.emulator.home.log.read_text(errors="replace").splitlines():
        start = line.find('{"')
        if start >= 0 and f'"{Metric.CLAIMED}"' in line:
            logged = json.loads(line[start:])
            found[logged["service"]] += round(sum(logged[Metric.CLAIMED]))
    return found


def test_quick_calls_are_in_time_beside_slow_ones(stack: LocalStack, slowdown: Slowdown) -> None:
    tenant = stack.create_tenant("slow")
    api, before = stack.api(tenant.api_key), claimed(stack)
    with Receiver(respond=lambda _: Reply(after_seconds=SLOW_SECONDS)) as slow, Receiver() as quick:
        # One message, so that one worker hears all answers.
        submit(api, slow, [datetime.now(UTC)] * LEARNT_FROM)
        slow.wait_for(LEARNT_FROM, timeout=PATIENCE)
        start = datetime.now(UTC) + timedelta(seconds=SLOW_SECONDS + 2)
        # A second apart, in messages of their own: without a slow path they would hold every worker.
        submit(api, slow, [start + timedelta(seconds=number % 5) for number in range(JOBS)])
        submit(api, quick, [start + timedelta(milliseconds=500 + 200 * number) for number in range(JOBS)])
        late = slowdown.late(quick.wait_for(JOBS, timeout=PATIENCE), LAG_BOUND_MS)
        assert [text for _, text in late] == []
        calls = slow.wait_for(LEARNT_FROM + JOBS, timeout=PATIENCE)
        assert len({call.execution_id for call in calls}) == LEARNT_FROM + JOBS
        made = claimed(stack) - before
    assert made[f"executor-{QueueName.SLOW_STANDARD}"] > 0
    assert made[f"executor-{QueueName.STANDARD}"] == LEARNT_FROM + JOBS, "no slow call but the first ones"
