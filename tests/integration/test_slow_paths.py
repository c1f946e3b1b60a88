"""A destination that answers slowly: its calls go on through the slow path, and hold up nobody's."""

import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.local.api import Api
from infra.local.calls import Call
from infra.local.prewarm import NO_RECORDS
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack
from shared.names import Lane, Metric, QueueName
from shared.usecases.limits.hot_scope_notes import HOT_SCOPES_TTL_MS
from tests.support.slowdown import Slowdown

pytestmark = pytest.mark.integration

SLOW_SECONDS = 6
LEARNT_FROM = 3
"""So many answers tell the worker that hears them that a destination is slow."""
JOBS = 20
LANE = Lane.CRITICAL
"""No other test has recurring jobs there, whose runs would be counted too."""
WORKERS = 4
"""A call's lag is judged among workers that run: on a busy machine a cold start takes longer than the bound."""
LAG_BOUND_MS = 1_500
PATIENCE = 180
"""Seconds to wait for calls on a busy machine; nothing is judged by it."""


def submit(api: Api, receiver: Receiver, instants: list[datetime]) -> list[str]:
    """Create a job for each instant; return the ids."""
    jobs = [
        {
            "schedule": {"at": instant.isoformat(timespec="milliseconds")},
            "lane": LANE,
            "request": {"url": f"{receiver.url}/hook", "json": {}},
            "timeout_seconds": 60,
        }
        for instant in instants
    ]
    answer = api.request("POST", "/v1/jobs/batch", {"jobs": jobs})
    results = answer.json()["results"]
    assert [result["status"] for result in results] == [201] * len(jobs)
    return [result["job"]["id"] for result in results]


def await_success(api: Api, job_ids: list[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    for job_id in job_ids:
        while api.request("GET", f"/v1/jobs/{job_id}").json()["state"] != "succeeded":
            assert time.monotonic() < deadline, f"job {job_id} has not succeeded"
            time.sleep(0.2)


def slow_destinations(operator: Api) -> set[str]:
    """The destinations that workers have noted as slow, as operators see them."""
    scopes: list[dict[str, Any]] = operator.request("GET", "/v1/admin/lanes").json()["hot_scopes"]
    return {scope["id"] for scope in scopes if scope["reason"] == "slow"}


def await_note(operator: Api, known: set[str]) -> None:
    """Wait until one more destination is noted as slow."""
    deadline = time.monotonic() + PATIENCE
    while not slow_destinations(operator) - known:
        assert time.monotonic() < deadline, "no worker has noted the destination as slow"
        time.sleep(0.2)


def start_workers(stack: LocalStack, busy: Receiver) -> None:
    """Start workers of the lane beside the one whose calls `busy` has not answered yet.

    None of the batches can wait for a worker: the first is still at its calls, and the others are starting.
    """
    busy.wait_for(LEARNT_FROM, timeout=PATIENCE)
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(stack.invoke, [f"executor-{QueueName.CRITICAL}"] * WORKERS, [NO_RECORDS] * WORKERS))


def claimed(stack: LocalStack) -> Counter[str]:
    """How many calls each executor has claimed, as its log says."""
    found: Counter[str] = Counter()
    for line in stack.emulator.home.log.read_text(errors="replace").splitlines():
        start = line.find('{"')
        if start >= 0 and f'"{Metric.CLAIMED}"' in line:
            logged = json.loads(line[start:])
            found[logged["service"]] += logged[Metric.CLAIMED]
    return found


def test_quick_calls_are_made_in_time_while_slow_ones_wait(
    stack: LocalStack, operator: Api, slowdown: Slowdown
) -> None:
    tenant = stack.create_tenant("slow")
    api, before, answers = stack.api(tenant.api_key), claimed(stack), threading.Event()
    known = slow_destinations(operator)

    def respond(_: Call) -> Reply:
        return Reply(after=answers) if learnt else Reply(after_seconds=SLOW_SECONDS)

    learnt = False
    with Receiver(respond=respond) as slow, Receiver() as quick:
        # One message, so that one worker hears all answers.
        first = submit(api, slow, [datetime.now(UTC)] * LEARNT_FROM)
        start_workers(stack, slow)
        await_success(api, first)
        await_note(operator, known)
        # By then every other worker has read the note.
        learnt, start = True, datetime.now(UTC) + timedelta(milliseconds=HOT_SCOPES_TTL_MS + 1_000)
        # A second apart, in messages of their own: without a slow path they would hold every worker.
        submit(api, slow, [start + timedelta(seconds=number % 5) for number in range(JOBS)])
        submit(api, quick, [start + timedelta(milliseconds=500 + 200 * number) for number in range(JOBS)])
        try:
            late = slowdown.late(quick.wait_for(JOBS, timeout=PATIENCE), LAG_BOUND_MS)
        finally:
            answers.set()
        assert [text for _, text in late] == []
        calls = slow.wait_for(LEARNT_FROM + JOBS, timeout=PATIENCE)
        assert len({call.execution_id for call in calls}) == LEARNT_FROM + JOBS
        made = claimed(stack) - before
    assert made[f"executor-{QueueName.SLOW_CRITICAL}"] > 0
    assert made[f"executor-{QueueName.CRITICAL}"] == LEARNT_FROM + JOBS, "no slow call but the first ones"
