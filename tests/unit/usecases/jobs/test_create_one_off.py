"""CREATE a one-off job: durable before it is acknowledged, sealed, and in a shard that its bucket has."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.request import INLINE_BYTES, Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import (
    CallbackUrlNotAllowedError,
    InvalidValueError,
    ScheduleInPastError,
    ScheduleTooFarError,
    UnavailableError,
)
from shared.domain.executions.states import State
from shared.domain.ids import one_off_job_id
from shared.domain.schedules.schedule import Once
from shared.domain.schedules.timing import After
from shared.names import Lane
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.world import EARLY, REQUEST, World


def test_a_job_is_its_execution_with_everything_that_was_asked_for() -> None:
    world = World()
    retry = RetryPolicy(max_attempts=3)
    made = world.accept_one_off(After(3_600), name="report", lane=Lane.BULK, timeout_seconds=7, retry=retry)
    assert (made.tenant_id, made.name, made.lane, made.call.timeout_ms) == (
        TENANT,
        "report",
        Lane.BULK,
        7_000,
    )
    assert (made.nominal_at, made.created_at) == (EARLY + 3_600_000, EARLY)
    assert (made.call.retry, made.state, made.revision) == (retry, State.PENDING, 1)
    assert made.job_id == one_off_job_id(made.id)
    assert world.standing(made.id) == made


def test_the_request_is_sealed_and_bound_to_its_job() -> None:
    world = World()
    made = world.accept_one_off(After(3_600))
    assert REQUEST.body not in made.call.request
    assert world.open_request.execute(world.tenant, made) == REQUEST


@pytest.mark.parametrize(("delay", "is_sent"), [(0, True), (60, True), (3_600, False)])
def test_a_job_that_is_due_soon_is_sent_for_at_once(delay: int, is_sent: bool) -> None:
    world = World()
    made = world.accept_one_off(After(delay))
    assert world.sent() == ([made.id] if is_sent else [])
    assert made.state is (State.QUEUED if is_sent else State.PENDING)


def test_an_accepted_job_is_called() -> None:
    world = World()
    made = world.accept_one_off(After(5))
    Lanes(world).until(EARLY + 10_000)
    assert [dict(call.callback.headers)["webhook-id"] for call in world.sender.calls] == [str(made.id)]
    assert world.sender.calls[0].at >= EARLY + 5_000


def test_an_instant_up_to_a_minute_ago_is_accepted_and_runs_at_once() -> None:
    world = World()
    made = world.accept_one_off(Once(at=EARLY - 60_000))
    assert world.sent() == [made.id]
    assert world.queue.messages[0].visible_at == EARLY


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"timing": Once(at=EARLY - 60_001)}, ScheduleInPastError),
        ({"timing": Once(at=EARLY + 11 * 366 * 86_400_000)}, ScheduleTooFarError),
        ({"request": replace(REQUEST, url="http://receiver.example/")}, CallbackUrlNotAllowedError),
        ({"request": replace(REQUEST, method="TRACE")}, InvalidValueError),
        ({"request": replace(REQUEST, headers=(("Host", "x"),))}, InvalidValueError),
    ],
)
def test_refused_job_leaves_no_writes(fields: dict[str, Any], error: type[Exception]) -> None:
    world = World()
    with pytest.raises(error):
        world.accept(**fields, key="k")
    assert set(world.steps.taken) <= {"idempotency.find"}


@pytest.mark.parametrize("step", ["store.put_if_absent", "queue.send"])
def test_one_off_job_is_not_acknowledged_where_its_put_or_send_fails(step: str) -> None:
    world = World()
    world.steps.fail(step)
    with pytest.raises(UnavailableError):
        world.accept(After(1))


def test_two_jobs_that_are_asked_for_alike_are_two_jobs() -> None:
    world = World()
    first, second = world.accept_one_off(After(60)), world.accept_one_off(After(60))
    assert first.id != second.id


def test_jobs_spread_over_the_shards_of_their_minute() -> None:
    world = World(counts=ShardCounts(normal=4, quarter=4, midnight=4))
    assert {world.accept_one_off(Once(at=DUE_AT)).id.shard for _ in range(50)} == {0, 1, 2, 3}


def test_a_small_request_stands_in_the_item() -> None:
    world = World()
    made = world.accept_one_off(request=replace(REQUEST, body=b"x" * (INLINE_BYTES - 200)))
    assert (made.call.payload_id, world.table.payloads) == (None, {})


def test_large_request_is_stored_apart_and_before_the_job() -> None:
    world = World()
    large = replace(REQUEST, body=b"x" * INLINE_BYTES)
    made = world.accept_one_off(request=large)
    assert (made.call.payload_id, made.call.request) == (made.job_id, b"")
    assert world.steps.taken == [
        "budgets.take",
        "jobs.put_payload",
        "shard_counts.read",
        "shard_counts.begin",
        "store.put_if_absent",
    ]
    assert world.open_request.execute(world.tenant, made) == large


def test_a_large_request_reaches_its_receiver() -> None:
    world = World()
    world.accept(After(0), request=Request(method="POST", url=REQUEST.url, body=b"y" * 100_000))
    Lanes(world).until(EARLY + 5_000)
    assert [len(call.callback.body) for call in world.sender.calls] == [100_000]
