"""Lanes, tenants and limits beside a crowd of other calls, as far as the emulator's queues go.

The emulator hands out messages in the order of their arrival. The simulation shows that fair queues prefer the
messages of a quiet tenant.
"""

import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from infra.local.api import Api
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS

pytestmark = pytest.mark.integration

QUIET = 10
NOISY = 200
AT_ONCE = 2
CROWD = 20
PATIENCE = 180
"""Seconds to wait for calls on a busy machine."""


def submit(api: Api, url: str, instants: list[datetime], **fields: str | int) -> None:
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


def wait_beside(crowded: Receiver, quiet: Receiver, release: threading.Event) -> None:
    """Wait for the calls of the quiet tenant or lane while each call of the crowd waits for its response.

    A tenant or lane that shares workers or a limit with the crowd gets no call before the crowd's calls time out.
    """
    held = crowded.wait_for(1, timeout=PATIENCE)[0]
    quiet.wait_for(QUIET, timeout=PATIENCE)
    held_for = datetime.now(UTC) - held.arrived_at
    assert held_for < timedelta(seconds=MAX_CALLBACK_TIMEOUT_SECONDS), "a call of the crowd has timed out"
    release.set()


@pytest.mark.parametrize("lane", ["critical", "standard"])
def test_a_flood_of_bulk_holds_up_no_other_lane(stack: LocalStack, lane: str) -> None:
    api = stack.api(stack.create_tenant(f"flood-{lane}").api_key)
    release = threading.Event()
    with Receiver(respond=lambda _: Reply(after=release)) as flooded, Receiver() as other:
        start = soon(5)
        submit(api, flooded.url, [start] * NOISY, lane="bulk", timeout_seconds=MAX_CALLBACK_TIMEOUT_SECONDS)
        submit(api, other.url, one_by_one(start + timedelta(milliseconds=500)), lane=lane)
        wait_beside(flooded, other, release)
        calls = flooded.wait_for(NOISY, timeout=PATIENCE)
    assert len({call.execution_id for call in calls}) == len(calls) == NOISY


def test_a_tenant_at_its_limit_keeps_to_it_and_holds_up_no_other_tenant(stack: LocalStack) -> None:
    noisy, quiet = stack.create_tenant("noisy"), stack.create_tenant("quiet")
    stack.admin("change-tenant", noisy.name, "--quota", f"concurrency={AT_ONCE}")
    release = threading.Event()
    with (
        Receiver(respond=lambda _: Reply(after=release, after_seconds=0.5)) as crowded,
        Receiver() as other,
    ):
        start = soon(5)
        submit(
            stack.api(noisy.api_key),
            crowded.url,
            [start] * CROWD,
            timeout_seconds=MAX_CALLBACK_TIMEOUT_SECONDS,
        )
        submit(stack.api(quiet.api_key), other.url, one_by_one(start + timedelta(milliseconds=500)))
        wait_beside(crowded, other, release)
        calls = crowded.wait_for(CROWD, timeout=PATIENCE)
    arrived = sorted(call.arrived_at for call in calls)
    # Of three calls in a row the first has ended when the third begins.
    assert all(later - earlier > timedelta(seconds=0.45) for earlier, later in pairwise(arrived[::AT_ONCE]))
    assert {call.attempt for call in calls} == {1}, "to wait uses up no attempt"
