"""Attempts that go on: their limits, their leases, and how much of it neighbouring records can bear."""

from typing import Any

import pytest

from shared.domain.delivery.async_policy import DEFAULT_ASYNC_POLICY, AsyncPolicy, check_span
from shared.domain.delivery.retry import MAX_ATTEMPTS, MAX_RETRY_SPAN_SECONDS, RetryPolicy
from shared.domain.errors import InvalidValueError
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS, Retention
from shared.domain.executions.states import State
from tests.support.builders import DUE_AT, in_state, occurrence, one_off


@pytest.mark.parametrize(
    "limits",
    [{"deadline_seconds": n} for n in (60, 43_200)] + [{"heartbeat_seconds": n} for n in (10, 3_600)],
)
def test_limits_within_bounds(limits: dict[str, int]) -> None:
    AsyncPolicy(**limits)


@pytest.mark.parametrize(
    "limits",
    [{"deadline_seconds": n} for n in (-1, 0, 59, 43_201)]
    + [{"heartbeat_seconds": n} for n in (-1, 0, 9, 3_601)],
)
def test_limits_outside_of_them_are_refused(limits: dict[str, int]) -> None:
    with pytest.raises(InvalidValueError):
        AsyncPolicy(**limits)


def test_a_sign_of_life_carries_a_heartbeat_far_and_never_beyond_the_deadline() -> None:
    policy = AsyncPolicy(deadline_seconds=600, heartbeat_seconds=60)
    deadline = policy.deadline_at(DUE_AT)
    assert deadline == DUE_AT + 600_000
    assert policy.lease_until(DUE_AT + 1, deadline) == DUE_AT + 60_001
    assert policy.lease_until(DUE_AT + 599_999, deadline) == deadline


def running(**fields: Any) -> Any:
    return in_state(one_off(), State.RUNNING, **fields)


def test_the_deadline_counts_from_the_claim_before_and_after_it_is_known_that_the_attempt_goes_on() -> None:
    claimed = running(lease_until=DUE_AT + 35_000)
    assert (claimed.claimed_at, claimed.attempt_deadline_at) == (DUE_AT, DUE_AT + 3_600_000)
    going_on = running(lease_until=DUE_AT + 777_000, async_until=DUE_AT + 3_600_000)
    assert (going_on.claimed_at, going_on.attempt_deadline_at) == (DUE_AT, DUE_AT + 3_600_000)


@pytest.mark.parametrize("state", [state for state in State if state is not State.RUNNING])
def test_only_a_running_execution_has_an_attempt_deadline(state: State) -> None:
    assert in_state(one_off(), state).attempt_deadline_at is None
    with pytest.raises(InvalidValueError):
        in_state(one_off(), state, async_until=DUE_AT)


def test_next_occurrence_keeps_the_async_policy_and_has_no_async_deadline() -> None:
    policy = AsyncPolicy(deadline_seconds=60)
    going_on = in_state(occurrence(async_policy=policy), State.RUNNING, async_until=DUE_AT)
    fresh = going_on.occurrence(DUE_AT + 60_000, created_at=DUE_AT)
    assert (fresh.call.async_policy, fresh.progress.async_until) == (policy, None)


def test_every_retry_policy_goes_with_the_default() -> None:
    longest = RetryPolicy(max_attempts=8, base_seconds=86_400, factor=1, cap_seconds=86_400)
    for retry in (longest, RetryPolicy(max_attempts=MAX_ATTEMPTS)):
        check_span(retry, DEFAULT_ASYNC_POLICY)
    spent_s = MAX_RETRY_SPAN_SECONDS + MAX_ATTEMPTS * DEFAULT_ASYNC_POLICY.deadline_seconds
    shortest = Retention(IDEMPOTENCY_DAYS + 1)
    assert spent_s < shortest.expires_at_s(0), "the neighbours' records are still there"
    assert shortest.days * DAY_SECONDS == shortest.expires_at_s(0)


@pytest.mark.parametrize(
    ("attempts", "deadline_s", "fits"),
    [(14, 43_200, False), (13, 43_200, True), (20, 28_000, True), (1, 43_200, True)],
)
def test_attempts_and_waits_together_take_seven_days_at_most(
    attempts: int, deadline_s: int, fits: bool
) -> None:
    retry = RetryPolicy(max_attempts=attempts, base_seconds=1, factor=1, cap_seconds=1)
    policy = AsyncPolicy(deadline_seconds=deadline_s)
    if fits:
        check_span(retry, policy)
    else:
        with pytest.raises(InvalidValueError, match="7 days"):
            check_span(retry, policy)
