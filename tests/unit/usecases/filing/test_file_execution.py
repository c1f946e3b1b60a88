"""FILE: whoever may acknowledge, has a durable execution, and a scan still to come or a message in its lane."""

from dataclasses import replace

import pytest

from shared.domain.bucket import bucket_start_ms
from shared.domain.errors import IdentityConflictError, UnavailableError
from shared.domain.executions.states import State
from tests.support.builders import BUCKET, DUE_AT, in_state, one_off, with_changes
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

NEAR_FROM = bucket_start_ms(BUCKET) - 125_000
DRAFT = one_off()


def test_near_its_time_an_execution_is_queued_and_sent() -> None:
    world = World(NEAR_FROM)
    filed = world.file.execute(DRAFT)
    assert filed == with_changes(DRAFT, state=State.QUEUED) == world.standing(DRAFT.id)
    assert world.sent() == [DRAFT.id]
    assert world.queue.messages[0].wakeup.not_before == DUE_AT


def test_far_execution_is_pending_and_left_to_the_watchers() -> None:
    world = World(NEAR_FROM - 1)
    assert world.file.execute(DRAFT).state is State.PENDING
    assert world.sent() == []


def test_a_put_that_took_so_long_that_the_scan_may_have_passed_is_sent() -> None:
    world = World(NEAR_FROM - 1)
    world.steps.after("store.put_if_absent", lambda: setattr(world.clock, "time_ms", NEAR_FROM))
    assert world.file.execute(DRAFT).state is State.PENDING
    assert world.sent() == [DRAFT.id]


def test_execution_is_durable_before_its_wakeup_is_sent() -> None:
    world = World(NEAR_FROM)
    world.steps.before("queue.send", lambda: world.standing(DRAFT.id))
    world.file.execute(DRAFT)
    assert world.steps.taken == [
        "shard_counts.read",
        "shard_counts.begin",
        "store.put_if_absent",
        "queue.send",
    ]


def test_a_failed_send_is_no_success_and_the_execution_stays() -> None:
    world = World(NEAR_FROM)
    world.queue.fail_once(DRAFT.id)
    with pytest.raises(UnavailableError):
        world.file.execute(DRAFT)
    assert world.standing(DRAFT.id).state is State.QUEUED


def test_a_failed_put_sends_nothing() -> None:
    world = World(NEAR_FROM)
    world.steps.fail("store.put_if_absent")
    with pytest.raises(UnavailableError):
        world.file.execute(DRAFT)
    assert world.sent() == []


def test_filing_again_carries_on_and_sends_again() -> None:
    world = World(NEAR_FROM)
    world.steps.crash_after("store.put_if_absent")
    with pytest.raises(Crash):
        world.file.execute(DRAFT)
    assert world.sent() == []
    assert world.file.execute(replace(DRAFT, created_at=DUE_AT)) == with_changes(DRAFT, state=State.QUEUED)
    assert world.sent() == [DRAFT.id]


def test_filing_a_pending_one_again_sends_once_it_is_near() -> None:
    world = World(NEAR_FROM - 1)
    world.file.execute(DRAFT)
    world.clock.time_ms = NEAR_FROM
    assert world.file.execute(DRAFT).state is State.PENDING
    assert world.sent() == [DRAFT.id]


@pytest.mark.parametrize("state", State)
def test_different_request_under_the_same_id_is_a_conflict_in_every_state(state: State) -> None:
    world = World(DUE_AT)
    standing = world.put(in_state(DRAFT, state))
    with pytest.raises(IdentityConflictError):
        world.file.execute(replace(DRAFT, fingerprint=b"another request!"))
    assert (world.standing(DRAFT.id), world.sent()) == (standing, [])


@pytest.mark.parametrize(
    "state",
    [State.SUCCEEDED, State.FAILED, State.CANCELLED, State.SKIPPED, State.RUNNING, State.WAITING],
)
def test_begun_or_ended_execution_is_not_sent_again(state: State) -> None:
    """A retry has its own message or pointer: one more message could only be a chain of delays."""
    world = World(DUE_AT)
    standing = world.put(in_state(DRAFT, state))
    assert world.file.execute(DRAFT) == standing == world.standing(DRAFT.id)
    assert world.sent() == []
