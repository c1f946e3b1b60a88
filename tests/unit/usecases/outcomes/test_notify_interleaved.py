"""NOTIFY, with a crash, a fault or a lost answer at each port call: told once it is at rest, and never twice."""

from functools import partial

import pytest

from shared.domain.bucket import MINUTE_MS, bucket_of
from shared.domain.delivery.callback import CallbackResponse
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import UnavailableError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from tests.support.builders import BUCKET, DUE_AT, in_state
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.notifications import (
    DOWN,
    OK,
    answering,
    body_of,
    notifications,
    telling,
    told_one_off,
)
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

ONCE = RetryPolicy(max_attempts=1)
ANSWERS = pytest.mark.parametrize("answer", [OK, DOWN])


def situation(answer: CallbackResponse) -> tuple[World, Execution]:
    world = answering(answer)
    world.ledger.note_swept_through(BUCKET - 1)
    return world, told_one_off(world, retry=ONCE)


def at(moment: int, now: int, _: str) -> None:
    if now == moment:
        die()


def fail_at(moment: int, now: int, name: str) -> None:
    """A claimer says by its answer that it does not know."""
    if now == moment and name != "claimer.claim":
        raise UnavailableError("injected")


def steps_of(answer: CallbackResponse) -> int:
    world, execution = situation(answer)
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


def assert_told_once(world: World, execution: Execution, moment: int) -> None:
    standing = world.standing(execution.id)
    assert standing.state in (State.SUCCEEDED, State.FAILED), moment
    (notification,) = notifications(world)[execution.id]
    assert notification.id == standing.progress.notification, moment
    assert notification.state is State.SUCCEEDED, moment
    assert len(notifications(world)) == 1, moment
    told = [body_of(call)["data"] for call in telling(world)]
    assert [each["outcome"] for each in told] == [standing.state], moment
    assert told[0]["attempts_begun"] == standing.attempt, moment


@ANSWERS
def test_a_process_that_dies_anywhere_leaves_what_the_sweep_finishes_without_any_message(
    answer: CallbackResponse,
) -> None:
    crashes = 0
    for moment in range(2 * steps_of(answer)):
        world, execution = situation(answer)
        world.steps.at_each = partial(at, moment)
        with pytest.raises(Crash):
            world.attempt(execution)
        crashes += 1
        come_to_rest(world)
        assert_told_once(world, execution, moment)
    assert crashes > 10


@ANSWERS
def test_notification_is_created_once_when_a_call_fails_or_its_reply_is_lost_at_any_step(
    answer: CallbackResponse,
) -> None:
    for moment in range(2 * steps_of(answer)):
        world, execution = situation(answer)
        world.steps.at_each = partial(fail_at, moment)
        world.attempt(execution)
        come_to_rest(world)
        assert_told_once(world, execution, moment)


@ANSWERS
def test_a_rival_at_any_moment_tells_nothing_twice(answer: CallbackResponse) -> None:
    """The message came twice, and its copy is worked on between any two steps of the first."""
    for moment in range(2 * steps_of(answer)):
        world, execution = situation(answer)

        def rival(due: int, now: int, _: str, world: World = world, execution: Execution = execution) -> None:
            if now == due:
                world.steps.at_each = None
                world.settle_refusal.execute(world.store.get(execution.id), 2)

        world.steps.at_each = partial(rival, moment)
        world.attempt(execution)
        come_to_rest(world)
        assert_told_once(world, execution, moment)


def lost_with_its_last_attempt() -> tuple[World, Execution]:
    world, execution = situation(OK)
    lost = world.put(in_state(execution, State.RUNNING, lease_until=DUE_AT + 1))
    world.clock.time_ms = (BUCKET + 1) * MINUTE_MS + 10_000
    return world, lost


def test_a_sweeper_that_dies_while_it_gives_up_leaves_what_the_next_one_finishes() -> None:
    world, lost = lost_with_its_last_attempt()
    world.sweep.execute()
    steps = len(world.steps.taken)
    died = 0
    for moment in range(2 * steps):
        world, lost = lost_with_its_last_attempt()
        world.steps.at_each = partial(at, moment)
        with pytest.raises(Crash):
            world.sweep.execute()
        died += 1
        come_to_rest(world)
        assert_told_once(world, lost, moment)
    assert died > 5


def test_bucket_stays_open_while_a_notification_is_missing() -> None:
    """Its notification is due in another one, for the attempt came late."""
    world, execution = situation(OK)
    world.clock.time_ms = (BUCKET + 3) * MINUTE_MS
    world.steps.fail("store.put_if_absent", times=2)
    world.attempt(execution)
    world.queue.messages.clear()
    world.sweep.execute()
    assert (BUCKET, 0) in world.ledger.rows
    assert notifications(world) == {}
    world.clock.time_ms += 30 * MINUTE_MS
    world.sweep.execute()
    assert (BUCKET, 0) not in world.ledger.rows
    assert len(notifications(world)) == 1


@pytest.mark.parametrize("fault", [UnreadableItemError, UnknownVersionError])
def test_notification_of_an_unreadable_tenant_is_reported_and_sent_later(
    fault: type[UnreadableItemError],
) -> None:
    def unreadable() -> None:
        raise fault("the tenant")

    world, execution = situation(OK)
    world.steps.fail("store.put_if_absent", times=2)
    world.attempt(execution)
    world.clock.time_ms = (BUCKET + 3) * MINUTE_MS
    world.steps.before("tenants.get", unreadable)
    report = world.sweep.execute()
    assert report.quarantined == [str(execution.id)]
    assert (BUCKET, 0) in world.ledger.rows
    assert notifications(world) == {}
    come_to_rest(world)
    assert (BUCKET, 0) not in world.ledger.rows
    assert_told_once(world, execution, 0)


def test_sweep_does_not_file_an_existing_notification_again() -> None:
    world, execution = situation(OK)
    world.attempt(execution)
    puts = world.steps.count("store.put_if_absent")
    world.clock.time_ms = (BUCKET + 1) * MINUTE_MS + 10_000
    world.sweep.execute()
    assert world.steps.count("store.put_if_absent") == puts


def test_notification_of_an_old_bucket_is_filed_a_minute_after_the_store_did_not_respond() -> None:
    world, execution = situation(OK)
    world.steps.crash_after("store.finish")
    with pytest.raises(Crash):
        world.attempt(execution)
    at = DUE_AT + 160 * MINUTE_MS
    world.ledger.note_swept_through(bucket_of(at))
    world.ledger.list_shard(BUCKET, execution.id.shard, at)
    world.clock.time_ms = at
    world.steps.fail("ledger.reopen")
    world.sweep.execute()
    assert notifications(world) == {}
    world.clock.time_ms = at + MINUTE_MS
    world.sweep.execute()
    assert len(notifications(world)) == 1
