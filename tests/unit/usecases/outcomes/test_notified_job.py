"""A notification names its job: name, tags, lane, host and lag, and no more of the request than the host."""

from typing import Any

import pytest

from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import UnavailableError, UnknownVersionError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.names import Lane
from tests.support.builders import DUE_AT, TENANT, in_state, with_changes
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.notifications import (
    DOWN,
    OK,
    answering,
    body_of,
    both,
    ended,
    notifications,
    telling,
    told_one_off,
)
from tests.support.usecases.world import World

MINUTE = 60_000
ONCE = RetryPolicy(max_attempts=1)


def told_of(world: World) -> dict[str, Any]:
    """The `data` of the one notification that arrived."""
    Lanes(world).until(world.clock.time_ms + MINUTE // 2)
    (call,) = telling(world)
    data: dict[str, Any] = body_of(call)["data"]
    return data


def calling(world: World, execution: Execution, url: str) -> Execution:
    """The same execution with another URL to call."""
    request = Request(method="POST", url=url, headers=(("Authorization", "s3cr3t"),), body=b"s3cr3t")
    return world.put(with_changes(execution, request=world.seal(execution.job_id, request)))


def test_notification_names_a_one_off_job_by_its_own_name_tags_and_lane() -> None:
    world = answering(OK)
    ended(world, told_one_off(world, name="import", tags=("team:a", "env:b"), lane=Lane.BULK))
    told = told_of(world)
    assert (told["name"], told["tags"], told["lane"]) == ("import", ["team:a", "env:b"], "bulk")


def test_notification_of_a_run_has_the_current_name_and_tags_of_its_job() -> None:
    world = answering(DOWN)
    job = world.recurring(callbacks=both(world), retry=ONCE, name="nightly", tags=("team:a",))
    ended(world, world.standing(job.id_at(DUE_AT)))
    told = told_of(world)
    assert (told["job_id"], told["name"], told["tags"]) == (job.id, "nightly", ["team:a"])


def gone(world: World, job_id: str) -> None:
    del world.table.jobs[TENANT, job_id]


def newer(world: World, _: str) -> None:
    def unreadable() -> None:
        raise UnknownVersionError("the definition has version 2")

    world.steps.before("jobs.get", unreadable, times=20)


@pytest.mark.parametrize("lose", [gone, newer])
def test_notification_is_sent_without_a_name_if_the_definition_cannot_be_read(lose: Any) -> None:
    world = answering(DOWN)
    job = world.recurring(callbacks=both(world), retry=ONCE, name="nightly", tags=("team:a",))
    ended(world, world.standing(job.id_at(DUE_AT)))
    lose(world, job.id)
    told = told_of(world)
    assert (told["name"], told["tags"], told["host"]) == (None, [], "receiver.example")


def test_notification_waits_for_a_definition_that_cannot_be_read_for_now() -> None:
    world = answering(DOWN)
    job = world.recurring(callbacks=both(world), retry=ONCE, name="nightly")
    ended(world, world.standing(job.id_at(DUE_AT)))
    ((notification,),) = notifications(world).values()
    world.steps.fail("jobs.get", times=20)
    with pytest.raises(UnavailableError):
        world.open_request.execute(world.tenant, notification)
    world.steps.calm()
    assert told_of(world)["name"] == "nightly"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://r.example/p4th?t=s3cr3t", "r.example"),
        ("https://r.example:8443/p4th", "r.example"),
        ("https://R.Example/?s3cr3t", "r.example"),
        ("https://[2600::1]/p4th", "2600::1"),
    ],
)
def test_notification_has_the_host_of_the_url_and_nothing_else_of_the_request(url: str, host: str) -> None:
    world = answering(DOWN)
    ended(world, calling(world, told_one_off(world, retry=ONCE), url))
    Lanes(world).until(world.clock.time_ms + MINUTE // 2)
    (call,) = telling(world)
    assert body_of(call)["data"]["host"] == host
    assert not any(part in call.callback.body for part in (b"s3cr3t", b"p4th", b"8443"))


def test_notification_of_an_unreadable_request_has_no_host() -> None:
    world = answering(OK)
    broken = told_one_off(world, retry=ONCE)
    ended(world, world.put(with_changes(broken, request=b"broken")))
    told = told_of(world)
    assert (told["host"], told["attempts"][0]["reason"]) == (None, "request_unreadable")


def test_lag_is_counted_from_the_due_time_to_the_first_attempt() -> None:
    world = answering(DOWN)
    execution = told_one_off(world, retry=RetryPolicy(max_attempts=2, delays_seconds=(60,)))
    world.clock.time_ms = DUE_AT + 1_234
    world.file.execute(execution)
    Lanes(world).until(world.clock.time_ms + 5 * MINUTE)
    (call,) = telling(world)
    told = body_of(call)["data"]
    assert (len(told["attempts"]), told["lag_ms"]) == (2, 1_234)


def test_lag_is_unknown_if_the_first_attempt_was_lost_with_its_worker() -> None:
    world = answering(DOWN)
    execution = told_one_off(world, retry=RetryPolicy(max_attempts=2, delays_seconds=(60,)))
    lost = in_state(execution, State.RUNNING, lease_until=DUE_AT - 1)
    ended(world, world.put(lost))
    told = told_of(world)
    assert ([each["number"] for each in told["attempts"]], told["lag_ms"]) == ([2], None)


def test_lag_is_never_negative() -> None:
    world = answering(OK)
    execution = ended(world, told_one_off(world))
    early = execution.progress.outcomes[0]
    assert early.started_at == DUE_AT
    object.__setattr__(early, "started_at", DUE_AT - 3)
    assert told_of(world)["lag_ms"] == 0
