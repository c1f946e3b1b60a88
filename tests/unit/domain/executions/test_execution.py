"""The execution: which transitions are lawful, which values exist at all, and when a claim is."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.errors import InvalidValueError
from shared.domain.executions.states import OPEN, TERMINAL, State, Transition
from shared.domain.schedules.skipped_range import SkippedRange
from shared.names import Lane
from tests.support.builders import DUE_AT, execution_id, in_state, occurrence, one_off

NOT_STARTED = {State.PENDING, State.QUEUED}


@pytest.mark.parametrize(
    ("transition", "sources", "target"),
    [
        (Transition.CLAIM, NOT_STARTED | {State.WAITING, State.RUNNING}, State.RUNNING),
        (Transition.EXTEND, {State.RUNNING}, State.RUNNING),
        (Transition.SUCCEED, {State.RUNNING}, State.SUCCEEDED),
        (Transition.RETRY, {State.RUNNING}, State.WAITING),
        (Transition.REFUND, {State.RUNNING}, State.WAITING),
        (Transition.EXPIRE, {State.RUNNING}, State.SKIPPED),
        (Transition.WITHDRAW, {State.RUNNING}, State.CANCELLED),
        (Transition.FAIL, {State.RUNNING}, State.FAILED),
        (Transition.GIVE_UP, {State.RUNNING}, State.FAILED),
        (Transition.CANCEL, NOT_STARTED | {State.WAITING}, State.CANCELLED),
        (Transition.END_CHAIN, NOT_STARTED, State.CANCELLED),
    ],
)
def test_the_table_of_transitions_is_the_one_that_the_protocol_argues_from(
    transition: Transition, sources: set[State], target: State
) -> None:
    assert (set(transition.sources), transition.target) == (sources, target)


def test_no_transition_leaves_a_terminal_state() -> None:
    assert {source for transition in Transition for source in transition.sources} <= OPEN
    assert {state for state in State if state.is_terminal} == TERMINAL


def test_exactly_the_transitions_into_a_terminal_state_end_an_execution() -> None:
    ending = {transition for transition in Transition if transition.ends}
    lasting = {Transition.CLAIM, Transition.EXTEND, Transition.RETRY, Transition.REFUND}
    assert ending == set(Transition) - lasting


@pytest.mark.parametrize(
    "fields",
    [
        {"state": State.RUNNING},
        {"state": State.RUNNING, "owner": "a"},
        {"state": State.RUNNING, "lease_until": DUE_AT},
        {"state": State.PENDING, "owner": "a", "lease_until": DUE_AT},
        {"state": State.WAITING},
        {"attempt": -1},
        {"attempt": 6},
        {"async_until": DUE_AT},
    ],
)
def test_execution_with_an_unreachable_combination_of_fields_is_invalid(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        one_off(**fields)


def test_attempts_are_left_until_they_are_used_up_or_retries_are_stopped() -> None:
    assert in_state(one_off(), State.RUNNING, attempt=4).has_attempts_left
    assert not in_state(one_off(), State.RUNNING, attempt=5).has_attempts_left
    assert not in_state(one_off(), State.RUNNING, attempt=1, stop_retries=True).has_attempts_left


def test_a_lease_is_dead_once_its_last_millisecond_has_passed() -> None:
    running = in_state(one_off(), State.RUNNING, lease_until=DUE_AT)
    assert not running.lease_expired(DUE_AT)
    assert running.lease_expired(DUE_AT + 1)
    assert not one_off().lease_expired(DUE_AT + 1)


@pytest.mark.parametrize(
    ("state", "claimable_from"),
    [
        (State.PENDING, 0),
        (State.QUEUED, 0),
        (State.WAITING, DUE_AT + 60_000 - 1_500),
        (State.RUNNING, DUE_AT + 35_001),
        (State.SUCCEEDED, None),
        (State.FAILED, None),
        (State.CANCELLED, None),
        (State.SKIPPED, None),
    ],
)
def test_a_claim_is_lawful_at_once_then_from_its_retry_or_dead_lease_and_at_the_end_never(
    state: State, claimable_from: int | None
) -> None:
    assert in_state(one_off(), state).claimable_from == claimable_from


def test_the_next_call_starts_when_it_is_due_or_when_its_retry_is() -> None:
    assert one_off().not_before == DUE_AT
    assert in_state(one_off(), State.WAITING).not_before == DUE_AT + 60_000
    assert in_state(one_off(), State.WAITING, next_attempt_at=DUE_AT - 1).not_before == DUE_AT


def test_next_occurrence_has_no_progress_and_keeps_the_definition_of_its_revision() -> None:
    worn = in_state(
        occurrence(),
        State.SKIPPED,
        attempt=3,
        next_attempt_at=DUE_AT,
        last_body=b"x",
        stop_retries=True,
        ends_chain=True,
        missed=SkippedRange(count=1, first_at=1, last_at=1, resumed_at=2),
    )
    fresh = occurrence(nominal_at=DUE_AT + 60_000)
    assert worn.occurrence(DUE_AT + 60_000, created_at=fresh.created_at) == replace(fresh, run=2)


def test_a_one_off_has_no_other_occurrence() -> None:
    with pytest.raises(InvalidValueError):
        one_off().occurrence(DUE_AT, created_at=DUE_AT)


def pointer(**fields: Any) -> RetryReminder:
    plain: dict[str, Any] = {
        "dispatch_at": DUE_AT + 3_600_000,
        "target": execution_id(7),
        "claims": 2,
        "tenant_id": "acme",
        "lane": Lane.STANDARD,
        "created_at": DUE_AT,
    }
    return RetryReminder(**(plain | fields))


def test_a_pointer_stands_in_the_bucket_in_which_its_retry_is_due() -> None:
    assert pointer().location.bucket == (DUE_AT + 3_600_000) // 60_000
    assert pointer(target=execution_id(7)).location != pointer(target=execution_id(8)).location


def test_a_pointer_stands_in_a_shard_that_every_bucket_has_whatever_its_targets_has() -> None:
    assert pointer(target=replace(execution_id(7), shard=15)).location.shard == 0
