"""ExecutionStore: an attempt that runs on, and whose lease is prolonged."""

from typing import Any

import pytest

from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.callback import Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import NotFoundError, UnknownVersionError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.ports.executions import Claim, ClaimRejected, Finish
from tests.support.builders import DUE_AT, EXPIRES_AT_S, OWNER, execution_id, in_state, one_off, with_changes
from tests.support.conformance.attempts import claimed, file_all_but_running, finish, running_like
from tests.support.conformance.labs import Lab

UNTIL = DUE_AT + 3_600_000
LEASE = DUE_AT + 95_000


def running_on(lab: Lab, **fields: Any) -> Execution:
    """A claimed execution that has been let run on."""
    execution = claimed(lab, with_changes(one_off(), **fields))
    assert lab.executions.extend_lease(execution, lease_until=LEASE, async_until=UNTIL) is None
    return with_changes(execution, lease_until=LEASE, async_until=UNTIL)


def test_accepted_attempt_keeps_its_state_number_and_owner(lab: Lab) -> None:
    going_on = running_on(lab)
    assert lab.executions.get(going_on.id) == going_on
    assert (going_on.state, going_on.attempt, going_on.progress.owner) == (State.RUNNING, 1, OWNER)
    assert lab.expiry(going_on.id) is None


def test_execution_with_a_live_lease_is_neither_claimed_nor_given_up(lab: Lab) -> None:
    going_on = running_on(lab)
    claim = Claim(execution_id=going_on.id, owner="another")
    assert lab.claimer.claim([claim], LEASE) == [ClaimRejected(going_on)]
    assert not lab.executions.give_up(
        going_on, reason=EndReason.WORKER_LOST, now_ms=LEASE, expires_at_s=EXPIRES_AT_S
    )


def test_attempt_claimed_under_an_expired_lease_is_not_async(lab: Lab) -> None:
    going_on = running_on(lab)
    (again,) = lab.claimer.claim([Claim(execution_id=going_on.id, owner="another")], LEASE + 1)
    wanted = with_changes(
        going_on, attempt=2, owner="another", lease_until=LEASE + 1 + 30_000 + 5_000, async_until=None
    )
    assert again == wanted == lab.executions.get(going_on.id)


def test_execution_with_an_expired_lease_is_given_up(lab: Lab) -> None:
    going_on = running_on(lab)
    assert lab.executions.give_up(
        going_on, reason=EndReason.WORKER_LOST, now_ms=LEASE + 1, expires_at_s=EXPIRES_AT_S
    )
    standing = lab.executions.get(going_on.id)
    assert standing is not None
    assert (standing.state, standing.progress.async_until) == (State.FAILED, None)


@pytest.mark.parametrize("transition", [Transition.SUCCEED, Transition.FAIL, Transition.RETRY])
def test_owner_of_an_accepted_attempt_records_its_outcome(lab: Lab, transition: Transition) -> None:
    going_on = running_on(lab)
    assert lab.executions.finish(going_on, finish(transition)) is None
    standing = lab.executions.get(going_on.id)
    assert standing is not None
    assert (standing.state, standing.progress.owner, standing.progress.async_until) == (
        transition.target,
        None,
        None,
    )


def test_lease_is_extended_again_and_again(lab: Lab) -> None:
    going_on = running_on(lab)
    for later_ms in (0, 1, 60_000):
        assert lab.executions.extend_lease(going_on, lease_until=LEASE + later_ms, async_until=UNTIL) is None
        assert lab.executions.get(going_on.id) == with_changes(going_on, lease_until=LEASE + later_ms)


def test_lease_is_never_shortened(lab: Lab) -> None:
    going_on = running_on(lab)
    before = lab.contents()
    assert lab.executions.extend_lease(going_on, lease_until=LEASE - 1, async_until=UNTIL) == going_on
    assert lab.executions.extend_lease(going_on, lease_until=LEASE - 1) == going_on
    assert lab.contents() == before


def test_a_dead_lease_that_nobody_took_over_is_prolonged_too(lab: Lab) -> None:
    going_on = running_on(lab)
    assert lab.executions.extend_lease(going_on, lease_until=LEASE + 600_000, async_until=UNTIL) is None
    claim = Claim(execution_id=going_on.id, owner="another")
    (refused,) = lab.claimer.claim([claim], LEASE + 1)
    assert isinstance(refused, ClaimRejected)


@pytest.mark.parametrize("async_until", [None, UNTIL])
def test_lease_is_extended_only_by_the_owner_of_the_attempt(lab: Lab, async_until: int | None) -> None:
    going_on = running_on(lab)
    before = lab.contents()
    for stranger in (with_changes(going_on, owner="another"), with_changes(going_on, attempt=2)):
        standing = lab.executions.extend_lease(stranger, lease_until=LEASE + 1, async_until=async_until)
        assert standing == going_on
    assert lab.contents() == before


@pytest.mark.parametrize("async_until", [None, UNTIL])
def test_lease_is_extended_only_for_a_running_execution(lab: Lab, async_until: int | None) -> None:
    others = file_all_but_running(lab)
    before = lab.contents()
    for standing in others:
        seen = running_like(standing)
        assert lab.executions.extend_lease(seen, lease_until=UNTIL, async_until=async_until) == standing
    assert lab.contents() == before


def test_lease_of_an_unknown_execution_is_not_found(lab: Lab) -> None:
    with pytest.raises(NotFoundError):
        lab.executions.extend_lease(in_state(one_off(), State.RUNNING), lease_until=UNTIL, async_until=UNTIL)
    assert lab.executions.get(execution_id()) is None


def test_an_item_of_a_newer_version_is_not_prolonged(lab: Lab) -> None:
    execution = claimed(lab)
    lab.make_newer(execution.id)
    before = lab.contents()
    with pytest.raises(UnknownVersionError):
        lab.executions.extend_lease(execution, lease_until=UNTIL, async_until=UNTIL)
    assert lab.contents() == before


def test_stopped_retries_refuse_a_lease_extension_before_the_call_and_not_after(lab: Lab) -> None:
    execution = claimed(lab)
    lab.executions.stop_retries(execution.id)
    stopped = with_changes(execution, stop_retries=True)
    assert lab.executions.extend_lease(execution, lease_until=LEASE) == stopped
    assert lab.executions.extend_lease(execution, lease_until=LEASE, async_until=UNTIL) is None
    assert lab.executions.get(execution.id) == with_changes(stopped, lease_until=LEASE, async_until=UNTIL)


def test_a_renewal_before_the_call_does_not_make_it_run_on(lab: Lab) -> None:
    execution = claimed(lab)
    assert lab.executions.extend_lease(execution, lease_until=LEASE) is None
    assert lab.executions.get(execution.id) == with_changes(execution, lease_until=LEASE)


def test_a_sweep_sees_which_attempts_run_on(lab: Lab) -> None:
    going_on = running_on(lab)
    claimed(lab, one_off(2))
    page = lab.executions.scan(going_on.id.bucket, 0, after=None, limit=10)
    assert [(row.id, row.async_accepted) for row in page.rows] == [
        (going_on.id, True),
        (one_off(2).id, False),
    ]
    assert page.rows[0].claimable_from == LEASE + 1
    lab.claimer.claim([Claim(execution_id=going_on.id, owner="another")], LEASE + 1)
    page = lab.executions.scan(going_on.id.bucket, 0, after=None, limit=10)
    assert not any(row.async_accepted for row in page.rows), "the next attempt has not gone on"


def test_async_policy_is_stored_with_the_execution(lab: Lab) -> None:
    policy = AsyncPolicy(deadline_seconds=43_200, heartbeat_seconds=10)
    going_on = running_on(lab, async_policy=policy, retry=RetryPolicy(max_attempts=2))
    standing = lab.executions.get(going_on.id)
    assert standing is not None
    assert standing.call.async_policy == policy


def test_an_outcome_of_half_a_day_is_stored_to_the_second(lab: Lab) -> None:
    going_on = running_on(lab)
    outcome = AttemptOutcome(
        attempt=1, started_at=DUE_AT, duration_ms=43_199_000, status=202, reason=Reason.OK
    )
    ended = Finish(transition=Transition.SUCCEED, outcomes=(outcome,), expires_at_s=EXPIRES_AT_S)
    assert lab.executions.finish(going_on, ended) is None
    standing = lab.executions.get(going_on.id)
    assert standing is not None
    assert standing.progress.outcomes == (outcome,)
