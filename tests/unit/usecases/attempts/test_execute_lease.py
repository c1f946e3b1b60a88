"""EXECUTE: a call is made under a lease that covers it, and only the lease's owner records an outcome."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import JobState
from shared.ports.jobs import Payload
from shared.usecases.attempts.call_receiver import RENEWAL_TRIES
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT, in_state, one_off, with_changes
from tests.support.usecases.overtaking import OTHER, during_the_call, overtake
from tests.support.usecases.world import World

OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)


def test_the_attempt_is_counted_before_the_call_and_the_lease_outlasts_it() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    seen: list[Execution] = []
    world.sender.answer_to = during_the_call(lambda: seen.append(world.standing(execution.id)), OK)
    world.attempt(execution)
    assert (seen[0].state, seen[0].attempt) == (State.RUNNING, 1)
    assert seen[0].progress.lease_until == DUE_AT + 30_000 + 5_000


def test_the_call_gets_its_whole_timeout() -> None:
    world = World(DUE_AT)
    world.attempt(world.put(world.one_off(timeout_ms=7_000)))
    assert [call.timeout_seconds for call in world.sender.calls] == [7.0]


def stalled(stalled_ms: int, **fields: Any) -> tuple[World, Execution]:
    """The worker stands still right after its claim."""
    world = World(DUE_AT)
    execution = world.put(with_changes(world.one_off(), **fields))
    world.steps.after("claimer.claim", lambda: setattr(world.clock, "time_ms", DUE_AT + stalled_ms))
    return world, execution


@pytest.mark.parametrize(("stalled_ms", "renewals"), [(5_000, 0), (5_001, 1), (40_000, 1)])
def test_a_lease_that_does_not_cover_the_timeout_is_prolonged_before_the_call(
    stalled_ms: int, renewals: int
) -> None:
    world, execution = stalled(stalled_ms, retry=RetryPolicy(max_attempts=1))
    leases: list[int | None] = []
    world.sender.answer_to = during_the_call(
        lambda: leases.append(world.standing(execution.id).progress.lease_until), OK
    )
    world.attempt(execution)
    assert world.steps.count("store.extend_lease") == renewals
    assert leases == [DUE_AT + 35_000 + renewals * stalled_ms]
    assert [call.timeout_seconds for call in world.sender.calls] == [30.0]
    assert world.standing(execution.id).state is State.SUCCEEDED, "no attempt was used up by standing still"


@pytest.mark.parametrize("step", ["fail", "lose_answer"])
def test_a_renewal_without_an_answer_is_asked_for_again(step: str) -> None:
    world, execution = stalled(6_000)
    getattr(world.steps, step)("store.extend_lease")
    world.attempt(execution)
    assert [call.timeout_seconds for call in world.sender.calls] == [30.0]
    assert world.standing(execution.id).progress.outcomes[0].reason is Reason.OK


def test_an_attempt_whose_lease_could_not_be_renewed_is_refunded_without_a_call() -> None:
    world, execution = stalled(6_000, retry=RetryPolicy(max_attempts=1))
    world.steps.fail("store.extend_lease", times=RENEWAL_TRIES)
    report = world.attempt(execution)
    assert world.sender.calls == []
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.REFUNDED]
    standing = world.standing(execution.id)
    assert (standing.state, standing.attempt, standing.progress.outcomes) == (State.WAITING, 0, ())


@pytest.mark.parametrize("stall_ms", [6_000, 60_000])
def test_a_worker_that_was_overtaken_while_it_stood_still_makes_no_call(stall_ms: int) -> None:
    """After the shorter stall its function has time enough for the call: the refused renewal alone forbids it."""
    world, execution = stalled(stall_ms)
    world.steps.before("store.extend_lease", lambda: overtake(world, execution))
    report = world.attempt(execution)
    assert world.sender.calls == []
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.FENCED]
    assert world.standing(execution.id).progress.owner == OTHER


def test_stalled_worker_makes_no_call_after_retries_were_stopped() -> None:
    """The stop was acknowledged while no call was under way."""
    world, execution = stalled(60_000)
    world.steps.before("store.extend_lease", lambda: world.store.stop_retries(execution.id))
    world.attempt(execution)
    assert world.sender.calls == []
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.FAILED, EndReason.STOPPED)


@pytest.mark.parametrize("state", [JobState.DELETING, JobState.DELETED])
def test_stalled_worker_makes_no_call_after_its_job_was_deleted(state: JobState) -> None:
    """The deletion may have looked for running attempts so long ago that it did not look at this one."""
    world = World(DUE_AT)
    job = world.recurring()
    head = world.standing(job.id_at(DUE_AT))

    def freeze() -> None:
        world.clock.time_ms = DUE_AT + 3_600_000
        world.table.jobs[job.tenant_id, job.id] = replace(job, state=state)

    world.steps.after("claimer.claim", freeze)
    world.attempt(head)
    assert world.sender.calls == []
    assert world.standing(head.id).progress.end_reason is EndReason.JOB_DELETED


def test_an_attempt_whose_worker_is_stalled_twice_before_its_call_is_refunded() -> None:
    world, execution = stalled(6_000)
    world.steps.after("store.extend_lease", lambda: setattr(world.clock, "time_ms", DUE_AT + 60_000))
    report = world.attempt(execution)
    assert world.sender.calls == []
    assert [attempt.answer.reason for attempt in report.attempts] == [Reason.LEASE_TOO_SHORT]
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.REFUNDED]


def put_with_payload_apart(world: World) -> Execution:
    """An execution whose request is read after the claim, from an item of its own."""
    apart = world.put(with_changes(world.one_off(), payload_id=one_off().job_id, request=b""))
    world.jobs.put_payload(Payload(apart.tenant_id, apart.job_id, world.seal(apart.job_id), stored_at=0))
    return apart


@pytest.mark.parametrize(("slow_ms", "calls"), [(5_000, [30.0]), (5_001, [])])
def test_a_slow_preparation_never_shortens_the_timeout_of_the_call(slow_ms: int, calls: list[float]) -> None:
    world = World(DUE_AT)
    execution = put_with_payload_apart(world)
    world.steps.after("jobs.get_payload", lambda: setattr(world.clock, "time_ms", DUE_AT + slow_ms))
    world.attempt(execution)
    assert [call.timeout_seconds for call in world.sender.calls] == calls
    assert world.standing(execution.id).attempt == len(calls)


@pytest.mark.parametrize("answer", [CallbackResponse(reason=Reason.OK, duration_ms=5, status=200), DOWN])
def test_a_worker_that_was_overtaken_records_nothing(answer: CallbackResponse) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.sender.answer_to = during_the_call(lambda: overtake(world, execution), answer)
    report = world.attempt(execution)
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.owner, standing.progress.outcomes) == (State.RUNNING, OTHER, ())
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.FENCED]
    assert (report.returned(), world.sent()) == ([], [])


def test_the_owner_counts_and_not_the_attempt_alone() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.sender.answer_to = during_the_call(lambda: overtake(world, execution, attempt=1), DOWN)
    world.attempt(execution)
    assert world.standing(execution.id).progress.owner == OTHER


def test_an_outcome_after_the_end_is_discarded() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off(retry=RetryPolicy(max_attempts=1)))
    lost = in_state(world.standing(execution.id), State.FAILED, attempt=1, end_reason=EndReason.WORKER_LOST)
    world.sender.answer_to = during_the_call(
        lambda: setattr(world.table.executions[execution.id], "execution", lost), DOWN
    )
    assert world.attempt(execution).attempts[0].end is AttemptEnd.FENCED
    assert world.standing(execution.id) == lost


def test_retries_stopped_during_the_call_make_it_the_last() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.sender.answer_to = during_the_call(lambda: world.store.stop_retries(execution.id), DOWN)
    report = world.attempt(execution)
    row = world.table.executions[execution.id]
    assert (row.execution.state, row.execution.progress.end_reason) == (State.FAILED, EndReason.STOPPED)
    assert row.expires_at_s is not None
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.FAILED]
    assert (report.returned(), world.sent()) == ([], [])


def test_retries_stopped_during_a_call_that_succeeds_change_nothing() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.sender.answer_to = during_the_call(
        lambda: world.store.stop_retries(execution.id),
        CallbackResponse(reason=Reason.OK, duration_ms=5, status=200),
    )
    world.attempt(execution)
    assert world.standing(execution.id).state is State.SUCCEEDED


def test_a_dead_lease_is_taken_over_under_the_next_number() -> None:
    world = World(DUE_AT + 35_001)
    execution = world.put(in_state(world.one_off(), State.RUNNING))
    world.attempt(execution)
    done = world.standing(execution.id)
    assert (done.state, done.attempt) == (State.SUCCEEDED, 2)
    assert [outcome.attempt for outcome in done.progress.outcomes] == [2], "the dead worker left no outcome"
