"""Claimer: who may run an execution, and from when."""

from dataclasses import replace

import pytest

from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import EARLY_MS, Execution
from shared.domain.executions.states import State
from shared.ports.executions import Claim, Claimer, ClaimRejected, WriteUnknown
from tests.support.builders import (
    DUE_AT,
    OWNER,
    execution_id,
    expiry_for,
    in_every_state,
    in_state,
    one_off,
    with_changes,
)
from tests.support.conformance.labs import Lab

Claiming = tuple[Lab, Claimer]
MINE = Claim(execution_id=execution_id(), owner="mine")
LEASE_MS = 30_000 + 5_000


def filed(lab: Lab, execution: Execution) -> Execution:
    lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    return execution


@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED])
def test_a_claim_counts_the_attempt_and_takes_the_lease_before_the_call(
    claiming: Claiming, state: State
) -> None:
    lab, claimer = claiming
    execution = filed(lab, in_state(one_off(), state))
    granted = claimer.claim([MINE], DUE_AT)
    assert granted == [
        with_changes(execution, state=State.RUNNING, attempt=1, owner="mine", lease_until=DUE_AT + LEASE_MS)
    ]
    assert lab.executions.get(execution.id) == granted[0]
    assert lab.expiry(execution.id) is None


def test_the_lease_outlasts_the_timeout_of_the_job_by_five_seconds(claiming: Claiming) -> None:
    lab, claimer = claiming
    filed(lab, one_off(timeout_ms=1_000))
    (granted,) = claimer.claim([MINE], DUE_AT)
    assert isinstance(granted, Execution)
    assert granted.progress.lease_until == DUE_AT + 6_000


def test_a_live_lease_refuses_others_and_shows_who_holds_it(claiming: Claiming) -> None:
    lab, claimer = claiming
    running = filed(lab, in_state(one_off(), State.RUNNING))
    assert running.progress.lease_until is not None
    before = lab.contents()
    for now_ms in (DUE_AT, running.progress.lease_until):
        assert claimer.claim([MINE], now_ms) == [ClaimRejected(running)]
    assert lab.contents() == before


def test_a_dead_lease_is_taken_over_as_another_attempt(claiming: Claiming) -> None:
    lab, claimer = claiming
    running = filed(lab, in_state(one_off(), State.RUNNING))
    now_ms = (running.progress.lease_until or 0) + 1
    assert claimer.claim([MINE], now_ms) == [
        with_changes(running, attempt=2, owner="mine", lease_until=now_ms + LEASE_MS)
    ]


def test_a_retry_is_claimed_from_a_second_and_a_half_before_its_time(claiming: Claiming) -> None:
    lab, claimer = claiming
    waiting = filed(lab, in_state(one_off(), State.WAITING, next_attempt_at=DUE_AT + 60_000))
    opens_at = DUE_AT + 60_000 - EARLY_MS
    assert claimer.claim([MINE], opens_at - 1) == [ClaimRejected(waiting)]
    (granted,) = claimer.claim([MINE], opens_at)
    assert isinstance(granted, Execution)
    assert (granted.attempt, granted.not_before) == (2, DUE_AT + 60_000)


def test_ended_execution_is_never_claimed(claiming: Claiming) -> None:
    lab, claimer = claiming
    ended = [filed(lab, execution) for execution in in_every_state() if execution.state.is_terminal]
    before = lab.contents()
    claims = [Claim(execution_id=execution.id, owner="mine") for execution in ended]
    assert claimer.claim(claims, DUE_AT * 2) == [ClaimRejected(execution) for execution in ended]
    assert lab.contents() == before


def test_no_attempt_begins_beyond_the_limit(claiming: Claiming) -> None:
    lab, claimer = claiming
    limit = RetryPolicy(max_attempts=2)
    used_up = filed(lab, in_state(one_off(retry=limit), State.RUNNING, attempt=2))
    assert claimer.claim([MINE], DUE_AT * 2) == [ClaimRejected(used_up)]


def test_no_attempt_begins_once_retries_are_stopped(claiming: Claiming) -> None:
    lab, claimer = claiming
    running = filed(lab, in_state(one_off(), State.RUNNING))
    lab.executions.stop_retries(running.id)
    assert claimer.claim([MINE], DUE_AT * 2) == [ClaimRejected(with_changes(running, stop_retries=True))]


def test_a_claim_on_nothing_is_refused_and_leaves_nothing(claiming: Claiming) -> None:
    lab, claimer = claiming
    assert claimer.claim([MINE], DUE_AT) == [ClaimRejected(None)]
    assert lab.executions.get(MINE.execution_id) is None


def test_a_claim_whose_answer_was_lost_is_recognised_by_its_owner(claiming: Claiming) -> None:
    lab, claimer = claiming
    filed(lab, one_off())
    first = claimer.claim([MINE], DUE_AT)
    before = lab.contents()
    assert claimer.claim([MINE], DUE_AT + 900) == first
    assert lab.contents() == before


def test_the_owner_of_an_attempt_that_has_ended_is_nobody(claiming: Claiming) -> None:
    lab, claimer = claiming
    waiting = filed(lab, in_state(one_off(), State.WAITING))
    assert claimer.claim([replace(MINE, owner=OWNER)], DUE_AT) == [ClaimRejected(waiting)]


def test_key_is_granted_to_the_first_of_several_claims(claiming: Claiming) -> None:
    lab, claimer = claiming
    filed(lab, one_off())
    owners = [claimer.claim([replace(MINE, owner=f"owner {number}")], DUE_AT)[0] for number in range(4)]
    assert isinstance(owners[0], Execution)
    assert owners[1:] == [ClaimRejected(owners[0])] * 3


def test_key_is_never_granted_twice_within_a_batch(claiming: Claiming) -> None:
    lab, claimer = claiming
    filed(lab, one_off())
    answers = claimer.claim([MINE, replace(MINE, owner="other")], DUE_AT)
    assert len(answers) == 2
    assert sum(isinstance(answer, Execution) for answer in answers) <= 1
    standing = lab.executions.get(MINE.execution_id)
    assert standing is not None
    assert standing.attempt <= 1


@pytest.mark.parametrize("count", [0, 1, 53])
def test_every_claim_has_its_answer_in_order(claiming: Claiming, count: int) -> None:
    lab, claimer = claiming
    filed_ones = range(0, count, 5)
    for number in filed_ones:
        filed(lab, one_off(number, due_at=DUE_AT + number * 1_000))
    wanted = [execution_id(number, dispatch_at=DUE_AT + number * 1_000) for number in range(count)]
    claims = [Claim(execution_id=each, owner=f"owner {each.entropy}") for each in wanted]
    answers = claimer.claim(claims, DUE_AT)
    assert len(answers) == count
    for number, answer in enumerate(answers):
        if number in filed_ones:
            assert isinstance(answer, Execution)
            assert (answer.id, answer.progress.owner, answer.attempt) == (
                wanted[number],
                f"owner {number}",
                1,
            )
        else:
            assert answer == ClaimRejected(None)


def test_claims_of_a_batch_are_granted_and_refused_apart(claiming: Claiming) -> None:
    lab, claimer = claiming
    fresh = filed(lab, one_off(1))
    running = filed(lab, in_state(one_off(2), State.RUNNING))
    ended = filed(lab, in_state(one_off(3), State.SUCCEEDED))
    claims = [Claim(execution_id=each.id, owner="mine") for each in (running, ended, fresh)]
    *refused, granted = claimer.claim(claims, DUE_AT)
    assert refused == [ClaimRejected(running), ClaimRejected(ended)]
    assert isinstance(granted, Execution)
    assert granted.id == fresh.id


def test_an_item_of_a_newer_version_is_neither_claimed_nor_refused(claiming: Claiming) -> None:
    lab, claimer = claiming
    states = (State.PENDING, State.RUNNING, State.SUCCEEDED)
    newer = [filed(lab, in_state(one_off(number), state)) for number, state in enumerate(states)]
    for execution in newer:
        lab.make_newer(execution.id)
    before = lab.contents()
    claims = [Claim(execution_id=execution.id, owner="mine") for execution in newer]
    assert [type(answer) for answer in claimer.claim(claims, DUE_AT * 2)] == [WriteUnknown] * 3
    assert lab.contents() == before


def test_a_broken_item_blocks_no_other_of_its_batch(claiming: Claiming) -> None:
    lab, claimer = claiming
    for number in (1, 2, 3):
        filed(lab, one_off(number))
    lab.damage(execution_id(2))
    claims = [Claim(execution_id=execution_id(number), owner="mine") for number in (1, 2, 3)]
    kinds = [type(answer) for answer in claimer.claim(claims, DUE_AT)]
    assert kinds == [Execution, WriteUnknown, Execution]


GUARDED = one_off(start_deadline_at=DUE_AT + 60_000)
ADMITTED = replace(MINE, admitted=True)


def test_a_guarded_execution_is_claimed_by_whoever_was_admitted_and_by_nobody_else(
    claiming: Claiming,
) -> None:
    lab, claimer = claiming
    filed(lab, GUARDED)
    for now_ms in (DUE_AT, DUE_AT + 10**12):
        assert claimer.claim([MINE], now_ms) == [ClaimRejected(GUARDED)]
    (granted,) = claimer.claim([ADMITTED], DUE_AT)
    assert isinstance(granted, Execution)
    assert (granted.state, granted.attempt, granted.progress.lease_until) == (
        State.RUNNING,
        1,
        DUE_AT + LEASE_MS,
    )
    assert claimer.claim([ADMITTED], DUE_AT) == [granted], "an answer that was lost"


@pytest.mark.parametrize("state", sorted(set(State) - {State.PENDING, State.QUEUED}))
def test_an_admission_is_good_for_the_first_attempt_alone(claiming: Claiming, state: State) -> None:
    lab, claimer = claiming
    standing = filed(lab, in_state(GUARDED, state))
    assert claimer.claim([ADMITTED], DUE_AT + 10**12) == [ClaimRejected(standing)]


def test_unguarded_execution_is_not_granted_to_a_claim_with_admission(claiming: Claiming) -> None:
    lab, claimer = claiming
    standing = filed(lab, one_off())
    assert claimer.claim([ADMITTED], DUE_AT) == [ClaimRejected(standing)]


def test_batch_may_mix_guarded_and_unguarded_claims(claiming: Claiming) -> None:
    lab, claimer = claiming
    filed(lab, GUARDED)
    filed(lab, one_off(2))
    other = Claim(execution_id=execution_id(2), owner="other")
    answers = claimer.claim([ADMITTED, other], DUE_AT)
    assert [isinstance(answer, Execution) for answer in answers] == [True, True]
