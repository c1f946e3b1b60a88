"""ExecutionStore: cancellation, tombstones, dead letters and items that cannot be read."""

from dataclasses import replace
from itertools import pairwise

import pytest

from shared.domain.errors import NotFoundError, UnknownVersionError, UnreadableItemError
from shared.domain.execution import EndReason, Execution, State, Transition
from shared.domain.ids import ExecutionId
from shared.ports import Claim, Finish
from tests.builders import DUE_AT, EXPIRES_AT_S, OWNER, TENANT, execution_id, expiry_for, in_state, one_off
from tests.conformance.labs import Lab

CANCELLATIONS = [Transition.CANCEL, Transition.END_CHAIN]


def cancel(lab: Lab, wanted: ExecutionId, transition: Transition = Transition.CANCEL) -> Execution | None:
    return lab.executions.cancel(wanted, transition, reason=EndReason.JOB_DELETED, expires_at_s=EXPIRES_AT_S)


@pytest.mark.parametrize("transition", CANCELLATIONS)
@pytest.mark.parametrize("state", State)
def test_a_cancellation_holds_exactly_from_the_states_of_the_table(
    lab: Lab, state: State, transition: Transition
) -> None:
    standing = in_state(one_off(), state)
    lab.executions.put_if_absent(standing, expires_at_s=expiry_for(standing))
    before = lab.contents()
    if state not in transition.sources:
        assert cancel(lab, standing.id, transition) == standing
        assert lab.contents() == before
        return
    assert cancel(lab, standing.id, transition) is None
    cancelled = lab.executions.get(standing.id)
    assert cancelled is not None
    assert cancelled.state is State.CANCELLED
    assert cancelled.end_reason is EndReason.JOB_DELETED
    assert cancelled.ends_chain == (transition is Transition.END_CHAIN)
    assert lab.expiry(standing.id) == EXPIRES_AT_S


@pytest.mark.parametrize("transition", CANCELLATIONS)
@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED])
def test_nothing_is_claimed_after_a_cancellation(lab: Lab, state: State, transition: Transition) -> None:
    lab.executions.put_if_absent(in_state(one_off(), state))
    cancel(lab, one_off().id, transition)
    lab.claimer.claim([Claim(execution_id=one_off().id, owner=OWNER)], DUE_AT * 2)
    standing = lab.executions.get(one_off().id)
    assert standing is not None
    assert (standing.state, standing.attempt) == (State.CANCELLED, 0)


def test_a_retry_is_not_made_after_a_cancellation(lab: Lab) -> None:
    lab.executions.put_if_absent(in_state(one_off(), State.WAITING))
    cancel(lab, one_off().id)
    lab.claimer.claim([Claim(execution_id=one_off().id, owner=OWNER)], DUE_AT * 2)
    standing = lab.executions.get(one_off().id)
    assert standing is not None
    assert (standing.state, standing.attempt) == (State.CANCELLED, 1)


@pytest.mark.parametrize("transition", CANCELLATIONS)
def test_there_is_nothing_to_cancel_where_nothing_stands(lab: Lab, transition: Transition) -> None:
    with pytest.raises(NotFoundError):
        cancel(lab, execution_id(), transition)
    assert lab.executions.get(execution_id()) is None


@pytest.mark.parametrize("transition", CANCELLATIONS)
def test_an_item_of_a_newer_version_is_not_cancelled(lab: Lab, transition: Transition) -> None:
    lab.executions.put_if_absent(one_off())
    lab.make_newer(one_off().id)
    before = lab.contents()
    with pytest.raises(UnknownVersionError):
        cancel(lab, one_off().id, transition)
    assert lab.contents() == before


@pytest.mark.parametrize("state", State)
def test_a_broken_item_is_failed_unless_it_has_ended(lab: Lab, state: State) -> None:
    execution = in_state(one_off(), state)
    lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    lab.damage(execution.id)
    before = lab.contents()
    assert lab.executions.mark_unreadable(execution.id, EXPIRES_AT_S) == (not state.is_terminal)
    assert (lab.contents() == before) == state.is_terminal
    assert lab.expiry(execution.id) == EXPIRES_AT_S


def test_an_item_that_was_failed_for_being_broken_is_never_claimed(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    lab.damage(one_off().id)
    lab.executions.mark_unreadable(one_off().id, EXPIRES_AT_S)
    before = lab.contents()
    lab.claimer.claim([Claim(execution_id=one_off().id, owner=OWNER)], DUE_AT)
    assert lab.contents() == before
    with pytest.raises(UnreadableItemError):
        lab.executions.get(one_off().id)


def test_an_item_of_a_newer_version_is_not_failed_for_being_unreadable(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    lab.make_newer(one_off().id)
    before = lab.contents()
    assert not lab.executions.mark_unreadable(one_off().id, EXPIRES_AT_S)
    assert lab.contents() == before


@pytest.mark.parametrize("state", State)
def test_an_item_that_can_be_read_is_not_failed_for_being_unreadable(lab: Lab, state: State) -> None:
    execution = in_state(one_off(), state)
    lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    before = lab.contents()
    assert not lab.executions.mark_unreadable(execution.id, EXPIRES_AT_S)
    assert lab.contents() == before


def test_what_is_not_there_is_not_failed_for_being_unreadable(lab: Lab) -> None:
    assert not lab.executions.mark_unreadable(execution_id(), EXPIRES_AT_S)
    assert lab.executions.get(execution_id()) is None


def fail(lab: Lab, execution: Execution, transition: Transition = Transition.FAIL) -> None:
    running = in_state(execution, State.RUNNING)
    lab.executions.put_if_absent(running)
    if transition is Transition.GIVE_UP:
        late = (running.lease_until or 0) + 1
        lab.executions.give_up(running, reason=EndReason.WORKER_LOST, now_ms=late, expires_at_s=EXPIRES_AT_S)
        return
    is_retry = transition is Transition.RETRY
    lab.executions.finish(
        running,
        Finish(
            transition=transition,
            outcomes=(),
            next_attempt_at=DUE_AT + 1 if is_retry else None,
            expires_at_s=None if is_retry else EXPIRES_AT_S,
        ),
    )


@pytest.mark.parametrize("state", sorted(set(State) - {State.FAILED}))
def test_what_has_not_failed_is_no_dead_letter(lab: Lab, state: State) -> None:
    execution = in_state(one_off(), state)
    lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    assert lab.executions.failed(TENANT, after=None, limit=10) == ([], None)


@pytest.mark.parametrize(
    "transition", [Transition.SUCCEED, Transition.RETRY, Transition.FAIL, Transition.GIVE_UP]
)
def test_exactly_a_failure_makes_a_dead_letter(lab: Lab, transition: Transition) -> None:
    fail(lab, one_off(), transition)
    ids, _ = lab.executions.failed(TENANT, after=None, limit=10)
    assert ids == ([one_off().id] if transition.target is State.FAILED else [])


def test_a_cancellation_makes_no_dead_letter(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    cancel(lab, one_off().id)
    assert lab.executions.failed(TENANT, after=None, limit=10) == ([], None)


@pytest.mark.parametrize("limit", [1, 3, 4, 7, 100])
def test_dead_letters_are_paged_newest_first_and_each_comes_once(lab: Lab, limit: int) -> None:
    for number in range(7):
        fail(lab, one_off(number, due_at=DUE_AT + number * 45_000, shard=number % 2))
    seen: list[ExecutionId] = []
    after: str | None = None
    while True:
        ids, after = lab.executions.failed(TENANT, after=after, limit=limit)
        assert len(ids) <= limit
        seen += ids
        if after is None:
            break
    assert len(set(seen)) == len(seen) == 7
    assert all(later.dispatch_at > earlier.dispatch_at for later, earlier in pairwise(seen))


def test_dead_letters_are_shown_to_their_own_tenant_alone(lab: Lab) -> None:
    fail(lab, one_off(1))
    fail(lab, replace(one_off(2), tenant_id="acme-2"))
    assert lab.executions.failed(TENANT, after=None, limit=10)[0] == [one_off(1).id]
    assert lab.executions.failed("acme-2", after=None, limit=10)[0] == [one_off(2).id]
