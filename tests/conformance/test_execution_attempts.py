"""ExecutionStore: what the owner of an attempt may do, and what becomes of an owner that died."""

from dataclasses import replace
from functools import partial

import pytest

from shared.domain.delivery.callback import Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.ports.executions import Claim, ClaimRejected
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    OWNER,
    execution_id,
    expiry_for,
    in_every_state,
    in_state,
    one_off,
    with_changes,
)
from tests.support.conformance.attempts import (
    OUTCOME,
    REFUNDS,
    RETRY_AT,
    claimed,
    file_all_but_running,
    finish,
    running_like,
)
from tests.support.conformance.labs import Lab

ENDS = [Transition.SUCCEED, Transition.FAIL]
OUTCOMES = [*ENDS, Transition.RETRY, *REFUNDS]


@pytest.mark.parametrize("transition", OUTCOMES)
def test_note_that_the_successor_was_sent_is_stored_with_an_outcome(lab: Lab, transition: Transition) -> None:
    execution = claimed(lab)
    assert lab.executions.finish(execution, replace(finish(transition), successor_sent=True)) is None
    found = lab.executions.get(execution.id)
    assert found is not None
    assert found.progress.successor_sent


def test_note_that_the_successor_was_sent_outlives_later_writes(lab: Lab) -> None:
    execution = claimed(lab)
    until = (execution.progress.lease_until or 0) + 1_000
    assert not execution.progress.successor_sent
    extend = partial(lab.executions.extend_lease, execution, lease_until=until, async_until=until)
    assert extend(successor_sent=True) is None
    assert extend() is None
    assert lab.executions.finish(execution, finish(Transition.SUCCEED)) is None
    found = lab.executions.get(execution.id)
    assert found is not None
    assert found.progress.successor_sent


@pytest.mark.parametrize("transition", OUTCOMES)
def test_an_attempt_ends_with_its_outcome_and_without_owner_and_lease(
    lab: Lab, transition: Transition
) -> None:
    execution = claimed(lab)
    assert lab.expiry(execution.id) is None
    assert lab.executions.finish(execution, finish(transition, last_body=b"no room")) is None
    assert lab.expiry(execution.id) == (EXPIRES_AT_S if transition.ends else None)
    assert lab.executions.get(execution.id) == with_changes(
        execution,
        state=transition.target,
        owner=None,
        lease_until=None,
        outcomes=() if transition in REFUNDS else (OUTCOME,),
        last_body=b"no room",
        next_attempt_at=None if transition.ends else RETRY_AT,
        refunded=1 if transition in REFUNDS else 0,
        refunded_since=DUE_AT + 3 if transition in REFUNDS else None,
        end_reason=EndReason.ATTEMPTS_USED_UP if transition is Transition.FAIL else None,
    )


def test_every_outcome_of_twenty_attempts_is_kept(lab: Lab) -> None:
    outcomes = tuple(
        replace(OUTCOME, attempt=attempt, started_at=DUE_AT + attempt, status=None, reason=Reason.TIMEOUT)
        for attempt in range(1, 21)
    )
    policy = RetryPolicy(max_attempts=20)
    waiting = in_state(one_off(retry=policy), State.WAITING, attempt=19, outcomes=outcomes[:19])
    lab.executions.put_if_absent(waiting)
    last = lab.claimer.claim([Claim(execution_id=waiting.id, owner=OWNER)], DUE_AT * 2)[0]
    assert isinstance(last, Execution)
    assert last.progress.outcomes == outcomes[:19]
    lab.executions.finish(last, finish(Transition.FAIL, outcomes=outcomes))
    failed = lab.executions.get(waiting.id)
    assert failed is not None
    assert (failed.progress.outcomes, failed.attempt, failed.state) == (outcomes, 20, State.FAILED)


def test_refund_allows_another_claim_and_keeps_the_retry_policy(lab: Lab) -> None:
    """The number of claims is part of the fencing token, so a refund never lowers it."""
    running = claimed(lab, one_off(retry=RetryPolicy(max_attempts=1)))
    for number in (1, 2, 3):
        since = running.progress.refunded_since or DUE_AT + number
        refund = finish(Transition.REFUND, next_attempt_at=RETRY_AT * number, refunded_since=since)
        assert lab.executions.finish(running, refund) is None
        waiting = lab.executions.get(running.id)
        assert waiting is not None
        assert (waiting.state, waiting.attempt, waiting.progress.claims) == (State.WAITING, 0, number)
        assert (waiting.progress.refunded, waiting.progress.refunded_since) == (number, DUE_AT + 1)
        assert waiting.call.retry == RetryPolicy(max_attempts=1)
        claim = Claim(execution_id=running.id, owner=f"{OWNER}{number}")
        again = lab.claimer.claim([claim], RETRY_AT * number)[0]
        assert isinstance(again, Execution)
        assert (again.attempt, again.progress.claims) == (1, number + 1)
        running = again
    lease_ends_at = (running.progress.lease_until or 0) + 1
    refused = lab.claimer.claim([Claim(execution_id=running.id, owner="another")], lease_ends_at)[0]
    assert refused == ClaimRejected(running), "the only attempt of the policy is running"


def test_a_refund_that_is_written_again_refunds_once(lab: Lab) -> None:
    running = claimed(lab)
    refund = finish(Transition.REFUND)
    assert lab.executions.finish(running, refund) is None
    waiting = lab.executions.get(running.id)
    assert lab.executions.finish(running, refund) == waiting


def test_the_last_failing_body_outlives_a_success(lab: Lab) -> None:
    execution = claimed(lab)
    lab.executions.finish(execution, finish(Transition.RETRY, last_body=b"no room"))
    again = lab.claimer.claim([Claim(execution_id=execution.id, owner=OWNER)], RETRY_AT)[0]
    assert isinstance(again, Execution)
    lab.executions.finish(again, finish(Transition.SUCCEED))
    last = lab.executions.get(execution.id)
    assert last is not None
    assert last.progress.last_body == b"no room"


@pytest.mark.parametrize("transition", OUTCOMES)
def test_an_attempt_that_was_taken_over_is_fenced(lab: Lab, transition: Transition) -> None:
    stalled = claimed(lab)
    later = (stalled.progress.lease_until or 0) + 1
    successor = lab.claimer.claim([Claim(execution_id=stalled.id, owner="another")], later)[0]
    before = lab.contents()
    assert lab.executions.finish(stalled, finish(transition)) == successor
    assert lab.contents() == before


def test_finish_needs_both_the_attempt_number_and_the_owner(lab: Lab) -> None:
    execution = claimed(lab)
    before = lab.contents()
    for stranger in (with_changes(execution, attempt=2), with_changes(execution, owner="another")):
        for transition in OUTCOMES:
            assert lab.executions.finish(stranger, finish(transition)) == execution
    assert lab.contents() == before


def test_only_a_running_attempt_is_finished(lab: Lab) -> None:
    others = file_all_but_running(lab)
    before = lab.contents()
    for standing in others:
        for transition in OUTCOMES:
            assert lab.executions.finish(running_like(standing), finish(transition)) == standing
    assert lab.contents() == before


@pytest.mark.parametrize("transition", OUTCOMES)
def test_an_outcome_that_is_written_twice_is_refused_the_second_time(
    lab: Lab, transition: Transition
) -> None:
    execution = claimed(lab)
    lab.executions.finish(execution, finish(transition))
    standing = lab.executions.finish(execution, finish(transition))
    assert standing == lab.executions.get(execution.id)
    assert standing is not None
    assert (standing.state, standing.progress.outcomes) == (
        transition.target,
        finish(transition).outcomes,
    )


def test_ended_execution_is_never_claimed_again(lab: Lab) -> None:
    for number, transition in enumerate((*ENDS, Transition.GIVE_UP)):
        running = claimed(lab, one_off(number))
        if transition is Transition.GIVE_UP:
            lab.executions.give_up(
                running, reason=EndReason.WORKER_LOST, now_ms=DUE_AT * 2, expires_at_s=EXPIRES_AT_S
            )
        else:
            lab.executions.finish(running, finish(transition))
        ended = lab.executions.get(running.id)
        assert ended is not None
        assert ended.state is transition.target
        claims = [Claim(execution_id=running.id, owner=owner) for owner in (OWNER, "another")]
        for claim in claims:
            assert lab.claimer.claim([claim], DUE_AT * 3) == [ClaimRejected(ended)]


def test_finish_of_an_unknown_execution_is_not_found(lab: Lab) -> None:
    with pytest.raises(NotFoundError):
        lab.executions.finish(in_state(one_off(), State.RUNNING), finish(Transition.SUCCEED))
    assert lab.executions.get(one_off().id) is None


@pytest.mark.parametrize("transition", [Transition.RETRY, Transition.REFUND])
def test_stopped_retries_refuse_another_attempt_and_nothing_else(lab: Lab, transition: Transition) -> None:
    execution = claimed(lab)
    assert lab.executions.stop_retries(execution.id)
    standing = lab.executions.finish(execution, finish(transition))
    assert standing == with_changes(execution, stop_retries=True)
    assert lab.executions.finish(execution, finish(Transition.FAIL, end_reason=EndReason.STOPPED)) is None
    last = lab.executions.get(execution.id)
    assert last is not None
    assert (last.state, last.progress.end_reason) == (State.FAILED, EndReason.STOPPED)


def test_retries_are_stopped_only_while_an_attempt_runs(lab: Lab) -> None:
    for standing in in_every_state():
        lab.executions.put_if_absent(standing, expires_at_s=expiry_for(standing))
        is_running = standing.state is State.RUNNING
        assert lab.executions.stop_retries(standing.id) == is_running
        assert lab.executions.get(standing.id) == with_changes(standing, stop_retries=is_running)


def test_no_retries_are_stopped_of_what_is_not_there(lab: Lab) -> None:
    assert not lab.executions.stop_retries(execution_id())
    assert lab.executions.get(execution_id()) is None


def test_an_execution_is_given_up_under_a_dead_lease(lab: Lab) -> None:
    lost = claimed(lab)
    assert lab.executions.give_up(
        lost,
        reason=EndReason.WORKER_LOST,
        now_ms=(lost.progress.lease_until or 0) + 1,
        expires_at_s=EXPIRES_AT_S,
    )
    assert lab.executions.get(lost.id) == with_changes(
        lost, state=State.FAILED, owner=None, lease_until=None, end_reason=EndReason.WORKER_LOST
    )
    assert lab.expiry(lost.id) == EXPIRES_AT_S


def test_an_execution_is_not_given_up_while_its_lease_lives(lab: Lab) -> None:
    running = claimed(lab)
    before = lab.contents()
    assert not lab.executions.give_up(
        running,
        reason=EndReason.WORKER_LOST,
        now_ms=running.progress.lease_until or 0,
        expires_at_s=EXPIRES_AT_S,
    )
    assert lab.contents() == before


def test_an_execution_is_not_given_up_once_another_attempt_runs(lab: Lab) -> None:
    stalled = claimed(lab)
    lab.claimer.claim(
        [Claim(execution_id=stalled.id, owner="another")], (stalled.progress.lease_until or 0) + 1
    )
    before = lab.contents()
    assert not lab.executions.give_up(
        stalled, reason=EndReason.WORKER_LOST, now_ms=DUE_AT + 10_000_000, expires_at_s=EXPIRES_AT_S
    )
    assert lab.contents() == before


def test_only_a_running_execution_is_given_up(lab: Lab) -> None:
    others = file_all_but_running(lab)
    before = lab.contents()
    for standing in others:
        seen = with_changes(running_like(standing), attempt=standing.attempt)
        assert not lab.executions.give_up(
            seen, reason=EndReason.WORKER_LOST, now_ms=DUE_AT * 2, expires_at_s=EXPIRES_AT_S
        )
    assert lab.contents() == before


def test_missing_execution_is_not_given_up(lab: Lab) -> None:
    running = in_state(one_off(), State.RUNNING)
    assert not lab.executions.give_up(
        running, reason=EndReason.WORKER_LOST, now_ms=DUE_AT * 2, expires_at_s=EXPIRES_AT_S
    )
    assert lab.executions.get(running.id) is None
