"""410: the receiver of a recurring job is gone, and its job is paused: after the outcome, by whoever meets it."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.usecases.attempts.batch_report import Verdict
from tests.support.builders import DUE_AT, TENANT, in_state, with_changes
from tests.support.fakes.sender import in_turn
from tests.support.usecases.messages import dead
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

MINUTE = 60_000
GONE = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)


def due_now(answer: CallbackResponse = GONE, **fields: Any) -> tuple[World, Job, Execution]:
    world = World(DUE_AT, answer_to=in_turn(answer))
    job = world.recurring(**fields)
    return world, job, world.standing(job.id_at(DUE_AT))


def stands(world: World, job: Job) -> Job:
    return world.table.jobs[job.tenant_id, job.id]


def is_paused(world: World, job: Job) -> bool:
    standing = stands(world, job)
    return (standing.state, standing.pause_reason) == (JobState.PAUSED, "gone")


def test_the_execution_fails_and_its_job_is_paused_with_the_reason() -> None:
    world, job, head = due_now()
    report = world.attempt(head)
    assert report.returned() == []
    failed = world.standing(head.id)
    assert (failed.state, failed.progress.end_reason, failed.attempt) == (
        State.FAILED,
        EndReason.NOT_RETRYABLE,
        1,
    )
    assert is_paused(world, job)
    world.clock.time_ms = DUE_AT + 10 * MINUTE
    for occurrence in world.occurrences(job).values():
        world.attempt(occurrence)
    assert len(world.sender.calls) == 1, "nothing is called any more"


def test_gone_receiver_pauses_the_job_on_the_last_attempt_too() -> None:
    world, job, head = due_now(retry=RetryPolicy(max_attempts=1))
    world.attempt(head)
    assert is_paused(world, job)


@pytest.mark.parametrize("reason", [Reason.TARGET_FAILED, Reason.TARGET_REFUSED])
def test_410_of_an_aws_service_is_no_receiver_that_is_gone(reason: Reason) -> None:
    """Such as that of a function whose file system cannot be used for now."""
    world, job, head = due_now(replace(GONE, reason=reason))
    world.attempt(head)
    is_retried = reason is Reason.TARGET_FAILED
    assert world.standing(head.id).state is (State.WAITING if is_retried else State.FAILED)
    assert stands(world, job).state is JobState.ACTIVE


@pytest.mark.parametrize("status", [400, 404, 409, 411, 500])
def test_no_other_answer_pauses_a_job(status: int) -> None:
    world, job, head = due_now(replace(GONE, status=status), retry=RetryPolicy(max_attempts=1))
    world.attempt(head)
    assert world.standing(head.id).state is State.FAILED
    assert stands(world, job).state is JobState.ACTIVE


def test_the_outcome_does_not_wait_for_the_pause() -> None:
    world, _, head = due_now()
    seen: list[State] = []
    world.steps.before("jobs.replace", lambda: seen.append(world.standing(head.id).state))
    world.attempt(head)
    assert seen == [State.FAILED]


@pytest.mark.parametrize("fault", ["fail", "lose_answer"])
def test_a_pause_without_an_answer_keeps_the_message_and_is_finished_when_it_is_back(fault: str) -> None:
    world, job, head = due_now()
    getattr(world.steps, fault)("jobs.replace")
    report = world.attempt(head)
    assert [settled.verdict for settled in report.settled] == [Verdict.RETURN]
    assert world.standing(head.id).state is State.FAILED
    assert world.attempt(head, receives=2).returned() == []
    assert is_paused(world, job)


def steps_of_an_attempt() -> int:
    world, _, head = due_now()
    world.attempt(head)
    return len(world.steps.taken)


def at(moment: int, now: int, _: str) -> None:
    if now == moment:
        die()


def test_a_process_that_dies_anywhere_leaves_what_the_message_finishes() -> None:
    crashes = 0
    for moment in range(2 * steps_of_an_attempt()):
        world, job, head = due_now()
        world.steps.at_each = partial(at, moment)
        with pytest.raises(Crash):
            world.attempt(head)
        world.steps.at_each = None
        crashes += 1
        for receives in (2, 3):
            world.clock.time_ms += 40_000
            world.attempt(head, receives=receives)
        assert is_paused(world, job), moment
        assert world.standing(head.id).progress.end_reason is EndReason.NOT_RETRYABLE
    assert crashes > 20


def test_dead_message_finishes_the_pause_by_410() -> None:
    world, job, head = due_now()
    world.steps.fail("jobs.replace")
    world.attempt(head)
    world.rescue.execute([dead(head)])
    assert is_paused(world, job)


def test_a_job_that_was_resumed_since_is_not_paused_by_an_old_message() -> None:
    world, job, head = due_now()
    world.attempt(head)
    world.lifecycle.resume.execute(TENANT, job.id)
    world.attempt(head, receives=2)
    world.rescue.execute([dead(head)])
    assert stands(world, job).state is JobState.ACTIVE


def test_job_updated_during_the_call_is_not_paused_by_a_gone_receiver() -> None:
    world, job, head = due_now()
    definition = with_changes(job.definition, timeout_ms=10_000)
    world.steps.before(
        "store.finish", lambda: world.lifecycle.update.execute(TENANT, job.id, definition, revision=1)
    )
    world.attempt(head)
    assert stands(world, job).state is JobState.ACTIVE
    assert stands(world, job).call.timeout_ms == 10_000


def test_job_renamed_during_the_call_is_paused_by_a_gone_receiver() -> None:
    world, job, head = due_now()
    renamed = replace(job.definition, name="other")
    world.steps.before(
        "jobs.replace", lambda: world.lifecycle.update.execute(TENANT, job.id, renamed, revision=1)
    )
    assert world.attempt(head).returned() == []
    assert is_paused(world, job)
    assert stands(world, job).name == "other"


@pytest.mark.parametrize("change", ["delete", "pause"])
def test_pause_by_410_does_not_overwrite_a_deletion_or_pause_of_the_owner(change: str) -> None:
    world, job, head = due_now()
    world.steps.before("store.finish", lambda: getattr(world.lifecycle, change).execute(TENANT, job.id))
    assert world.attempt(head).returned() == []
    standing = stands(world, job)
    assert standing.state is (JobState.DELETED if change == "delete" else JobState.PAUSED)
    assert standing.pause_reason is None


def test_a_definition_that_has_gone_is_not_waited_for() -> None:
    world, _, head = due_now()
    world.steps.before("store.finish", world.table.jobs.clear)
    assert world.attempt(head).returned() == []
    assert world.standing(head.id).state is State.FAILED


def test_triggered_run_with_410_pauses_the_job() -> None:
    world, job, _ = due_now()
    made = world.trigger_job.execute(world.tenant, job.id)
    world.attempt(made.execution)
    assert is_paused(world, job)


def test_a_one_off_has_nothing_to_pause() -> None:
    world = World(DUE_AT, answer_to=in_turn(GONE))
    execution = world.put(world.one_off())
    assert world.attempt(execution).returned() == []
    assert "jobs.replace" not in world.steps.taken


def test_a_failure_that_was_reported_as_final_pauses_nothing() -> None:
    world, job, head = due_now(replace(OK, status=202, async_accepted=True))
    world.attempt(head)
    token = dict(world.sender.calls[0].callback.headers)["X-Callback-Token"]
    world.report_outcome.fail(str(head.id), token, retryable=False)
    assert world.standing(head.id).progress.end_reason is EndReason.NOT_RETRYABLE
    assert stands(world, job).state is JobState.ACTIVE


@pytest.mark.parametrize("reason", [EndReason.ATTEMPTS_USED_UP, EndReason.WORKER_LOST, EndReason.STOPPED])
def test_a_410_that_was_not_the_end_is_no_word_to_stop(reason: EndReason) -> None:
    world, job, head = due_now()
    outcome = AttemptOutcome(
        attempt=1, started_at=DUE_AT, duration_ms=5, status=410, reason=Reason.HTTP_STATUS
    )
    failed = in_state(head, State.FAILED, attempt=1, end_reason=reason, outcomes=(outcome,))
    world.table.executions[head.id].execution = failed
    world.attempt(head)
    assert stands(world, job).state is JobState.ACTIVE
