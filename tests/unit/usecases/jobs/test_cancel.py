"""CANCEL a one-off job: what is acknowledged holds; too late is said so, and never guessed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.errors import InvalidStateError, NotFoundError, PreconditionFailedError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.ports.executions import Claim
from shared.usecases.jobs.cancel_job import CANCEL_TRIES
from tests.support.builders import DUE_AT, TENANT, execution_id, in_state, occurrence, one_off
from tests.support.usecases.world import World


def cancelled(world: World, execution: Execution, **options: bool) -> Execution:
    answer = world.cancel_job.execute(execution.tenant_id, execution.job_id, **options)
    assert isinstance(answer, Execution)
    return answer


@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED, State.WAITING])
def test_before_and_between_attempts_a_job_is_cancelled_for_good(state: State) -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(one_off(), state))
    answer = cancelled(world, execution)
    assert (answer.state, answer.progress.end_reason) == (State.CANCELLED, EndReason.CANCELLED)
    assert answer == world.standing(execution.id)
    assert world.table.executions[execution.id].expires_at_s == world.retention.expires_at_s(DUE_AT)
    world.clock.time_ms += 3_600_000
    assert world.attempt(execution).returned() == []
    assert world.sender.calls == []


def test_a_running_attempt_is_too_late_and_says_which() -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(one_off(), State.RUNNING, attempt=2))
    with pytest.raises(InvalidStateError, match="attempt 2 is running"):
        cancelled(world, execution)
    assert world.standing(execution.id) == execution


def test_on_request_a_running_attempt_is_let_be_and_made_the_last() -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(one_off(), State.RUNNING))
    answer = cancelled(world, execution, stop_retries=True)
    assert (answer.state, answer.progress.stop_retries) == (State.RUNNING, True)
    world.clock.time_ms = DUE_AT + 60_000
    world.attempt(execution)
    assert world.sender.calls == []


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.SKIPPED])
@pytest.mark.parametrize("stop_retries", [True, False])
def test_cancellation_of_an_ended_execution_is_too_late(state: State, stop_retries: bool) -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(one_off(), state))
    with pytest.raises(InvalidStateError, match="too late"):
        cancelled(world, execution, stop_retries=stop_retries)
    assert world.standing(execution.id) == execution


def test_a_cancellation_may_be_repeated() -> None:
    world = World(DUE_AT)
    execution = world.put(one_off())
    assert cancelled(world, execution) == cancelled(world, execution)


def test_cancel_whose_answer_was_lost_is_acknowledged_when_repeated() -> None:
    world = World(DUE_AT)
    execution = world.put(one_off())
    world.steps.lose_answer("store.cancel", times=CANCEL_TRIES)
    with pytest.raises(UnavailableError):
        cancelled(world, execution)
    assert cancelled(world, execution).state is State.CANCELLED


@pytest.mark.parametrize("times", [1, CANCEL_TRIES - 1])
def test_a_single_lost_answer_is_asked_for_again(times: int) -> None:
    world = World(DUE_AT)
    execution = world.put(one_off())
    world.steps.lose_answer("store.cancel", times=times)
    assert cancelled(world, execution).state is State.CANCELLED


def test_a_worker_that_claims_between_read_and_write_wins() -> None:
    world = World(DUE_AT)
    execution = world.put(one_off())
    claim = [Claim(execution_id=execution.id, owner="a")]
    world.steps.before("store.cancel", lambda: world.claimer.claim(claim, DUE_AT))
    with pytest.raises(InvalidStateError, match="attempt 1 is running"):
        cancelled(world, execution)


def test_a_worker_that_claims_after_the_write_loses() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.steps.after("store.cancel", lambda: answers.extend(world.claimer.claim(claim, DUE_AT)))
    claim, answers = [Claim(execution_id=execution.id, owner="a")], list[object]()
    assert cancelled(world, execution).state is State.CANCELLED
    assert not isinstance(answers[0], Execution)


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.WAITING])
def test_an_attempt_that_ends_while_its_retries_are_being_stopped_is_not_called_stopped(state: State) -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(one_off(), State.RUNNING))
    ended = in_state(execution, state, owner=None, lease_until=None)
    world.steps.before(
        "store.stop_retries", lambda: setattr(world.table.executions[execution.id], "execution", ended)
    )
    with pytest.raises(InvalidStateError, match="too late"):
        cancelled(world, execution, stop_retries=True)
    assert world.standing(execution.id) == ended


@pytest.mark.parametrize(
    "job_id",
    [
        "",
        "job_",
        "nonsense",
        one_off(7).job_id,
        str(execution_id()),
        "job_r" + "0" * 27,
        occurrence().job_id,
    ],
)
def test_an_unknown_job_is_not_found(job_id: str) -> None:
    with pytest.raises(NotFoundError):
        World(DUE_AT).cancel_job.execute(TENANT, job_id)


def test_a_foreign_job_is_not_found_either() -> None:
    world = World(DUE_AT)
    execution, job = world.put(one_off()), world.recurring()
    for job_id in (execution.job_id, job.id):
        with pytest.raises(NotFoundError):
            world.cancel_job.execute("somebody-else", job_id)
    assert world.standing(execution.id).state is State.PENDING
    assert world.table.jobs[TENANT, job.id].state is JobState.ACTIVE


def test_an_occurrence_of_a_recurring_job_is_no_job_of_its_own() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    with pytest.raises(NotFoundError):
        world.cancel_job.execute(TENANT, f"job_{job.id_at(DUE_AT).body}")
    assert world.standing(job.id_at(DUE_AT)).state is State.PENDING


def test_cancelling_a_recurring_job_deletes_it() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    answer = world.cancel_job.execute(TENANT, job.id)
    assert isinstance(answer, Job)
    assert answer.state is JobState.DELETED


def edit(world: World, execution: Execution) -> None:
    assert world.one_offs.edit(execution, replace(execution, revision=execution.revision + 1, name="edited"))


def move(world: World, execution: Execution) -> None:
    there = replace(execution, id=execution_id(DUE_AT + 60_000), revision=execution.revision + 1)
    assert world.one_offs.move(execution, there, world.retention.outlives_records_s(DUE_AT))


@pytest.mark.parametrize("change", [edit, move])
def test_cancellation_with_an_outdated_revision_is_refused(
    change: Callable[[World, Execution], None],
) -> None:
    world = World(DUE_AT)
    execution = world.put(one_off())
    world.steps.before("store.cancel", lambda: change(world, execution))
    with pytest.raises(PreconditionFailedError):
        world.cancel_job.execute(TENANT, execution.job_id, revision=1)
    assert not [row for row in world.table.executions.values() if row.execution.state is State.CANCELLED]


def test_record_of_a_job_that_is_cancelled_ahead_of_its_time_outlives_that_time() -> None:
    """The archive reads the hour in which the job was due after that hour."""
    world = World()
    due_at = DUE_AT + 60 * 86_400_000
    execution = world.put(world.one_off(1, due_at=due_at))
    world.cases.core.cancel_job.execute(TENANT, execution.job_id)
    assert world.table.executions[execution.id].expires_at_s == world.retention.expires_at_s(due_at)
