"""Alerts, with a crash, a fault or a rival at each port call: announced once at rest, and none is lost."""

from collections.abc import Callable
from functools import partial

import pytest

from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from tests.support.builders import BUCKET, DUE_AT
from tests.support.usecases.alerts import (
    FAILED,
    ONCE,
    RECOVERED,
    SKIPPED,
    Receiver,
    announcements,
    subscription,
)
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.notifications import OK, both, notifications, telling
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

Situation = Callable[[], tuple[World, Execution]]


def base(receiver: Receiver) -> World:
    world = receiver.world()
    world.ledger.note_swept_through(BUCKET - 1)
    return world


def failing() -> tuple[World, Execution]:
    world = base(Receiver())
    one_off = world.one_off(retry=ONCE, alerts=subscription(world, FAILED, RECOVERED))
    return world, world.put(one_off)


def failing_with_a_callback() -> tuple[World, Execution]:
    world = base(Receiver())
    one_off = world.one_off(retry=ONCE, alerts=subscription(world, FAILED), callbacks=both(world))
    return world, world.put(one_off)


def skipped() -> tuple[World, Execution]:
    world = base(Receiver(OK))
    alerts = subscription(world, SKIPPED)
    return world, world.put(world.one_off(retry=ONCE, alerts=alerts, start_deadline_at=DUE_AT - 1))


def recovering() -> tuple[World, Execution]:
    world = base(Receiver(OK))
    job = world.recurring(retry=ONCE, alerts=subscription(world, FAILED, RECOVERED), max_runs=1)
    health = world.job_health.read(job.tenant_id, job.id)
    world.job_health.swap(job.tenant_id, job.id, health, health.after_failure(DUE_AT - 5_000), 0)
    return world, world.standing(job.id_at(DUE_AT))


SITUATIONS = pytest.mark.parametrize(
    ("situation", "event", "callbacks"),
    [
        (failing, "failed", 0),
        (failing_with_a_callback, "failed", 1),
        (skipped, "skipped", 0),
        (recovering, "recovered", 0),
    ],
)


def at(moment: int, now: int, _: str) -> None:
    if now == moment:
        die()


def fail_at(moment: int, now: int, name: str) -> None:
    """A claimer says by its answer that it does not know."""
    if now == moment and name != "claimer.claim":
        raise UnavailableError("injected")


def steps_of(situation: Situation) -> int:
    world, execution = situation()
    world.steps.taken.clear()
    world.attempt(execution)
    return len(world.steps.taken)


def come_to_rest(world: World) -> None:
    """No message of before is left: sweeps look, and what they send for runs."""
    world.steps.calm()
    world.queue.messages.clear()
    lanes = Lanes(world)
    for _ in range(40):
        world.clock.time_ms += MINUTE_MS
        world.sweep.execute()
        lanes.until(world.clock.time_ms)


def assert_announced_once(
    world: World, execution: Execution, event: str, callbacks: int, moment: int
) -> None:
    standing = world.standing(execution.id)
    if event == "recovered" and standing.state is State.FAILED:
        event = "failed"  # Its only attempt was lost with its worker.
    found = notifications(world)[execution.id]
    assert len(found) == 1 + callbacks, moment
    assert {each.state for each in found} == {State.SUCCEEDED}, moment
    assert [(each["events"], each["outcome"]) for each in announcements(world)] == [
        ([event], standing.state)
    ], moment
    assert len(telling(world)) == callbacks, moment


@SITUATIONS
def test_process_that_dies_anywhere_leaves_what_the_sweep_announces_without_any_message(
    situation: Situation, event: str, callbacks: int
) -> None:
    crashes = 0
    for moment in range(2 * steps_of(situation)):
        world, execution = situation()
        world.steps.taken.clear()
        world.steps.at_each = partial(at, moment)
        with pytest.raises(Crash):
            world.attempt(execution)
        crashes += 1
        come_to_rest(world)
        assert_announced_once(world, execution, event, callbacks, moment)
    assert crashes > 5


@SITUATIONS
def test_alert_is_created_once_when_a_call_fails_or_its_reply_is_lost_at_any_step(
    situation: Situation, event: str, callbacks: int
) -> None:
    for moment in range(2 * steps_of(situation)):
        world, execution = situation()
        world.steps.taken.clear()
        world.steps.at_each = partial(fail_at, moment)
        world.attempt(execution)
        come_to_rest(world)
        assert_announced_once(world, execution, event, callbacks, moment)


@SITUATIONS
def test_rival_at_any_moment_announces_nothing_twice(
    situation: Situation, event: str, callbacks: int
) -> None:
    """The message came twice, and its copy is worked on between any two steps of the first."""
    for moment in range(2 * steps_of(situation)):
        world, execution = situation()
        world.steps.taken.clear()

        def rival(due: int, now: int, _: str, world: World = world, execution: Execution = execution) -> None:
            if now == due:
                world.steps.at_each = None
                world.settle_refusal.execute(world.store.get(execution.id), 2)

        world.steps.at_each = partial(rival, moment)
        world.attempt(execution)
        come_to_rest(world)
        assert_announced_once(world, execution, event, callbacks, moment)
