"""EXECUTE: a receiver that works on keeps its attempt running, without its message, until it reports or is lost."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.states import EndReason, State
from shared.usecases.attempts.batch_report import Verdict
from shared.usecases.attempts.make_attempt import SUCCESSOR_TRIES
from shared.usecases.attempts.settle_attempt import FINISH_TRIES
from shared.usecases.attempts.settle_refusal import Refusal
from shared.usecases.attempts.settlement import AttemptEnd
from tests.support.builders import DUE_AT, in_state, with_changes
from tests.support.fakes.sender import in_turn
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.messages import dead, delivery
from tests.support.usecases.overtaking import during_the_call, overtake
from tests.support.usecases.reports import (
    ASYNC_ACCEPTED,
    MINUTE_MS,
    POLICY,
    async_accepted,
    die_unheard,
    is_running,
    token_of,
    working,
)
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

OK = replace(ASYNC_ACCEPTED, async_accepted=False)
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)


def test_the_attempt_runs_on_under_a_heartbeat_and_a_deadline() -> None:
    world, execution, _ = working()
    called_at = world.clock.now_ms()
    assert (execution.state, execution.attempt, execution.progress.outcomes) == (State.RUNNING, 1, ())
    assert execution.progress.lease_until == called_at + 60_000
    assert execution.progress.async_until == DUE_AT + 600_000
    assert world.table.executions[execution.id].expires_at_s is None
    assert world.sent() == [], "its message is done, and no other is needed"


def test_the_lease_is_never_shorter_than_that_of_the_claim_nor_longer_than_the_deadline() -> None:
    _, execution, _ = working(async_policy=AsyncPolicy(heartbeat_seconds=10))
    assert execution.progress.lease_until == DUE_AT + 35_000
    _, execution, _ = working(async_policy=AsyncPolicy(deadline_seconds=60, heartbeat_seconds=3_600))
    assert execution.progress.lease_until == DUE_AT + 60_000


def test_without_the_header_a_202_is_a_plain_success() -> None:
    world, execution, _ = working(in_turn(OK))
    assert execution.state is State.SUCCEEDED
    assert [outcome.status for outcome in execution.progress.outcomes] == [202]
    assert world.sent() == []


def test_every_attempt_has_a_different_token() -> None:
    world, execution, first = working()
    die_unheard(world, execution)
    world.attempt(execution)
    second = token_of(world)
    assert len({token.rpartition("_")[2] for token in (first, second)}) == 2


def test_the_token_is_in_no_record_and_no_message() -> None:
    world, execution, token = working()
    code = token.rpartition("_")[2]
    assert code not in repr(world.table) + repr(world.queue.messages)
    assert execution.progress.owner is not None
    assert execution.progress.owner in token, "the code is made of what the claim had stored already"


def test_the_chain_goes_on_while_the_attempt_does() -> None:
    world = World(DUE_AT, answer_to=async_accepted)
    job = world.recurring()
    world.attempt(world.standing(job.id_at(DUE_AT)))
    assert world.sent() == [job.id_at(DUE_AT + MINUTE_MS)]


def test_the_message_waits_for_the_successor_and_files_it_when_it_is_back() -> None:
    world = World(DUE_AT, answer_to=async_accepted)
    job = world.recurring()
    head = world.standing(job.id_at(DUE_AT))
    world.steps.fail("store.put_if_absent", times=SUCCESSOR_TRIES)
    report = world.attempt(head)
    assert [settled.verdict for settled in report.settled] == [Verdict.RETURN]
    assert is_running(world, head)
    again = world.attempt(head, receives=2)
    assert ([refusal.kind for refusal in again.refusals], again.returned()) == ([Refusal.DROPPED], [])
    assert world.sent() == [job.id_at(DUE_AT + MINUTE_MS)]
    assert len(world.sender.calls) == 1


@pytest.mark.parametrize("receives", [1, 2])
def test_duplicate_message_for_a_running_async_attempt_is_dropped(receives: int) -> None:
    world, execution, _ = working()
    report = world.attempt(execution, receives=receives)
    assert ([refusal.kind for refusal in report.refusals], report.returned()) == ([Refusal.DROPPED], [])
    assert world.sent() == []
    assert len(world.sender.calls) == 1


def test_unheard_of_it_is_tried_again_under_the_next_number() -> None:
    world, execution, _ = working(in_turn(ASYNC_ACCEPTED, OK))
    die_unheard(world, execution)
    world.attempt(execution)
    done = world.standing(execution.id)
    assert (done.state, done.attempt) == (State.SUCCEEDED, 2)
    assert [outcome.attempt for outcome in done.progress.outcomes] == [2]


def test_a_later_attempt_goes_on_by_its_own_deadline() -> None:
    world, execution, _ = working()
    die_unheard(world, execution)
    died_at = world.clock.now_ms()
    world.attempt(execution)
    assert world.standing(execution.id).progress.async_until == died_at + 600_000


def test_a_plain_call_after_one_that_went_on_does_not_itself_go_on() -> None:
    world, execution, _ = working()
    die_unheard(world, execution)
    seen: list[int | None] = []
    world.sender.answer_to = during_the_call(
        lambda: seen.append(world.standing(execution.id).progress.async_until), ASYNC_ACCEPTED
    )
    world.attempt(execution)
    assert seen == [None]


@pytest.mark.parametrize("fields", [{"retry": RetryPolicy(max_attempts=1)}, {}])
def test_the_last_attempt_that_is_not_heard_of_was_lost(fields: dict[str, Any]) -> None:
    world, execution, _ = working(**fields)
    if not fields:
        world.cancel_job.execute(execution.tenant_id, execution.job_id, stop_retries=True)
    die_unheard(world, execution)
    report = world.attempt(execution)
    assert [refusal.kind for refusal in report.refusals] == [Refusal.WORKER_LOST]
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.FAILED, EndReason.WORKER_LOST)
    assert standing.progress.async_until is None


@pytest.mark.parametrize("times", [1, FINISH_TRIES - 1])
@pytest.mark.parametrize("fault", ["fail", "lose_answer"])
def test_lease_extension_is_written_again_where_the_store_did_not_answer(fault: str, times: int) -> None:
    world = World(DUE_AT, answer_to=async_accepted)
    execution = world.put(world.one_off())
    getattr(world.steps, fault)("store.extend_lease", times=times)
    report = world.attempt(execution)
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.ASYNC_ACCEPTED]
    assert report.returned() == []
    assert is_running(world, execution)


def test_lease_extension_that_could_not_be_written_is_left_to_the_message() -> None:
    world = World(DUE_AT, answer_to=async_accepted)
    execution = world.put(with_changes(world.one_off(), async_policy=POLICY))
    world.steps.fail("store.extend_lease", times=1_000)
    report = world.attempt(execution)
    world.steps.calm()
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.UNRECORDED]
    assert [settled.verdict for settled in report.settled] == [Verdict.RETURN]
    held = world.attempt(execution, receives=2)
    assert [refusal.kind for refusal in held.refusals] == [Refusal.SENT_LATER], (
        "to the end of the claim's lease"
    )
    world.heartbeat.execute(str(execution.id), token_of(world))
    assert world.standing(execution.id).progress.async_until == DUE_AT + 600_000
    dropped = world.attempt(execution, receives=2)
    assert [refusal.kind for refusal in dropped.refusals] == [Refusal.DROPPED]


def test_an_answer_that_comes_after_the_lease_has_died_is_fenced() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.sender.answer_to = during_the_call(lambda: overtake(world, execution), ASYNC_ACCEPTED)
    report = world.attempt(execution)
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.FENCED]
    assert is_running(world, execution, attempt=2)
    assert world.standing(execution.id).progress.async_until is None


def test_a_worker_that_stood_still_does_not_shorten_what_heartbeats_have_reached() -> None:
    world = World(DUE_AT)
    execution = world.put(with_changes(world.one_off(), async_policy=POLICY))

    def freeze() -> None:
        """Its write was made up of what the clock said before."""
        world.clock.time_ms = DUE_AT + 30_000
        world.heartbeat.execute(str(execution.id), token_of(world))
        world.clock.time_ms = DUE_AT + 1_000

    world.sender.answer_to = async_accepted
    world.steps.before("store.extend_lease", freeze)
    report = world.attempt(execution)
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.ASYNC_ACCEPTED]
    assert world.standing(execution.id).progress.lease_until == DUE_AT + 90_000


@pytest.mark.parametrize("answer", [ASYNC_ACCEPTED, DOWN, OK])
def test_report_made_before_the_end_of_the_call_stands(answer: CallbackResponse) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.sender.answer_to = during_the_call(
        lambda: world.report_outcome.complete(str(execution.id), token_of(world)), answer
    )
    report = world.attempt(execution)
    assert [attempt.end for attempt in report.attempts] == [AttemptEnd.REPORTED]
    assert report.returned() == []
    assert world.standing(execution.id).state is State.SUCCEEDED
    assert len(world.standing(execution.id).progress.outcomes) == 1


@pytest.mark.parametrize("step", ["claimer.claim", "tenants.get", "store.extend_lease"])
def test_message_alone_brings_an_async_execution_to_its_end_after_a_crash(step: str) -> None:
    world = World(DUE_AT, answer_to=async_accepted)
    execution = world.put(with_changes(world.one_off(), async_policy=POLICY))
    world.steps.crash_after(step)
    with pytest.raises(Crash):
        world.attempt(execution)
    for receives in range(2, 4):
        world.clock.time_ms += 61_000
        world.attempt(execution, receives=receives)
    world.report_outcome.complete(str(execution.id), token_of(world))
    assert world.standing(execution.id).state is State.SUCCEEDED


def test_a_heartbeat_a_minute_keeps_everybody_away() -> None:
    world, execution, token = working()
    message = delivery(execution)
    while world.clock.now_ms() < DUE_AT + 540_000:
        world.clock.time_ms += 59_000
        world.heartbeat.execute(str(execution.id), token)
        world.run(message)
    assert is_running(world, execution)
    assert len(world.sender.calls) == 1


def test_a_dead_letter_of_an_attempt_that_goes_on_is_no_matter_for_people() -> None:
    world, execution, _ = working()
    report = world.rescue.execute([dead(execution)])
    assert (report.parked, report.rescheduled, report.returned) == (0, 0, [])
    assert is_running(world, execution)


def test_a_chain_of_long_runs_is_worked_off_without_a_sweep() -> None:
    world = World(DUE_AT, answer_to=async_accepted)
    job = world.recurring()
    world.file.execute(world.standing(job.id_at(DUE_AT)))
    Lanes(world).until(DUE_AT + 3 * MINUTE_MS + 1_000)
    assert [is_running(world, each) for each in world.occurrences(job).values()] == [True] * 4 + [False]


def test_unclaimed_execution_has_no_attempt_deadline() -> None:
    assert in_state(World(DUE_AT).one_off(), State.WAITING).attempt_deadline_at is None


def test_a_recurring_jobs_limits_are_those_of_each_of_its_runs() -> None:
    world = World(DUE_AT, answer_to=async_accepted)
    job = world.recurring(async_policy=POLICY)
    beside = world.trigger_job.execute(world.tenant, job.id).execution
    for execution in (world.standing(job.id_at(DUE_AT)), beside):
        claimed_at = world.clock.now_ms()
        world.attempt(execution)
        assert world.standing(execution.id).progress.async_until == claimed_at + 600_000
    assert world.standing(job.id_at(DUE_AT + MINUTE_MS)).call.async_policy == POLICY


def test_a_deleted_jobs_attempt_goes_on_and_is_its_last() -> None:
    world = World(DUE_AT, answer_to=async_accepted)
    job = world.recurring(async_policy=POLICY)
    head = world.standing(job.id_at(DUE_AT))
    world.attempt(head)
    world.lifecycle.delete.execute(job.tenant_id, job.id)
    world.heartbeat.execute(str(head.id), token_of(world))
    world.report_outcome.fail(str(head.id), token_of(world))
    assert (world.standing(head.id).state, world.standing(head.id).progress.end_reason) == (
        State.FAILED,
        EndReason.STOPPED,
    )
