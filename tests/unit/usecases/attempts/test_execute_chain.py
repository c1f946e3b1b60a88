"""EXECUTE: an occurrence of a recurring job files its successor while it runs, whatever becomes of its own call."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.usecases.attempts.batch_report import Verdict
from shared.usecases.attempts.call_receiver import READ_PAUSES_MS
from shared.usecases.attempts.make_attempt import SUCCESSOR_TRIES
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT, in_state
from tests.support.fakes.sender import in_turn
from tests.support.fakes.table import Damage
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.slow_chain import SlowChain
from tests.support.usecases.world import World

MINUTE = 60_000
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)


def due_now(answer: CallbackResponse = OK, **fields: Any) -> tuple[World, Job, Execution]:
    world = World(DUE_AT, answer_to=in_turn(answer))
    job = world.recurring(**fields)
    return world, job, world.standing(job.id_at(DUE_AT))


def test_the_successor_is_filed_before_the_call_has_ended() -> None:
    world, job, head = due_now()
    ended: list[State] = []
    world.steps.before("store.finish", lambda: ended.append(world.standing(job.id_at(DUE_AT + MINUTE)).state))
    world.attempt(head)
    assert ended == [State.QUEUED]
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]


@pytest.mark.parametrize("answer", [OK, DOWN, replace(DOWN, status=410)])
def test_the_chain_goes_on_whatever_the_receiver_answers(answer: CallbackResponse) -> None:
    world, job, head = due_now(answer)
    world.attempt(head)
    assert job.id_at(DUE_AT + MINUTE) in world.sent()


STRANGER = "another request under the successor's key"
NEWER = "a successor of a newer version"


@pytest.mark.parametrize("fault", ["store.put_if_absent", "queue.send", STRANGER, NEWER])
def test_where_the_successor_could_not_be_filed_the_outcome_is_recorded_and_the_message_returned(
    fault: str,
) -> None:
    world, job, head = due_now()
    if fault in (STRANGER, NEWER):
        stranger = job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT)
        world.put(replace(stranger, fingerprint=b"another request!"))
        world.table.executions[stranger.id].damage = Damage.NEWER if fault == NEWER else None
    else:
        world.steps.fail(fault, times=SUCCESSOR_TRIES)
    report = world.attempt(head)
    assert world.standing(head.id).state is State.SUCCEEDED
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.SUCCEEDED]
    assert len(world.sender.calls) == 1
    assert [settled.verdict for settled in report.settled] == [Verdict.RETURN]


@pytest.mark.parametrize("times", [1, 2])
def test_a_successor_that_could_not_be_filed_at_once_is_tried_again_while_there_is_time(times: int) -> None:
    world, job, head = due_now()
    world.steps.fail("store.put_if_absent", times=times)
    assert world.attempt(head).returned() == []
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]


def test_the_returned_message_files_the_successor_and_calls_nobody() -> None:
    world, job, head = due_now()
    world.steps.fail("store.put_if_absent", times=SUCCESSOR_TRIES)
    world.attempt(head)
    assert world.attempt(head, receives=2).returned() == []
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]
    assert len(world.sender.calls) == 1


def test_a_chain_runs_on_by_its_own_messages() -> None:
    world, job, head = due_now()
    world.file.execute(head)
    Lanes(world).until(DUE_AT + 5 * MINUTE + 1_000)
    states = [execution.state for execution in world.occurrences(job).values()]
    assert states == [State.SUCCEEDED] * 6 + [State.QUEUED]
    lags = [call.at - (DUE_AT + n * MINUTE) for n, call in enumerate(world.sender.calls)]
    assert all(0 <= lag <= 200 for lag in lags)


@pytest.mark.parametrize("state", [JobState.DELETING, JobState.DELETED])
def test_a_retry_of_a_deleted_job_makes_no_call(state: JobState) -> None:
    world, job, head = due_now()
    world.table.executions[head.id].execution = in_state(head, State.WAITING, next_attempt_at=DUE_AT)
    world.table.jobs[job.tenant_id, job.id] = replace(job, state=state)
    world.attempt(head)
    ended = world.standing(head.id)
    assert (ended.state, ended.progress.end_reason) == (State.FAILED, EndReason.JOB_DELETED)
    assert world.sender.calls == []


def test_retry_of_a_job_without_a_definition_makes_no_call() -> None:
    world, _, head = due_now()
    world.table.executions[head.id].execution = in_state(head, State.WAITING, next_attempt_at=DUE_AT)
    world.table.jobs.clear()
    world.attempt(head)
    assert world.sender.calls == []


def test_retry_waits_without_a_call_where_the_job_cannot_be_read() -> None:
    """The deletion may have been acknowledged, and then no attempt may begin."""
    world, job, head = due_now()
    world.table.executions[head.id].execution = in_state(head, State.WAITING, next_attempt_at=DUE_AT)
    world.table.jobs[job.tenant_id, job.id] = replace(job, state=JobState.DELETED)
    world.steps.fail("jobs.get", times=1 + len(READ_PAUSES_MS))
    world.attempt(head)
    assert world.sender.calls == []
    assert world.standing(head.id).state is State.WAITING


def test_a_retry_of_a_job_that_lives_is_made() -> None:
    world, job, head = due_now(DOWN)
    world.file.execute(head)
    Lanes(world).until(DUE_AT + 30_000)
    assert len(world.sender.calls) > 1
    assert job.id_at(DUE_AT) in world.table.executions


def test_a_fault_of_ours_in_the_successor_is_told_and_the_outcome_recorded() -> None:
    world, _, head = due_now()

    def broken() -> None:
        raise RuntimeError("ours")

    world.steps.before("store.put_if_absent", broken)
    report = world.attempt(head)
    assert world.standing(head.id).state is State.SUCCEEDED
    assert [undecided.reason for undecided in report.undecided.values()] == ["RuntimeError"]
    assert len(report.returned()) == 1


def test_a_sender_that_breaks_leaves_no_successor_behind() -> None:
    world, job, head = due_now()
    world.run_attempts.make_attempt = replace(world.run_attempts.make_attempt, offload=SlowChain())

    def broken(_: Callback) -> CallbackResponse:
        raise RuntimeError("ours")

    world.sender.answer_to = broken
    assert len(world.attempt(head).returned()) == 1
    assert job.id_at(DUE_AT + MINUTE) in world.sent()
