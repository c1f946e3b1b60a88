"""EXECUTE: the stages of an attempt are stored with its outcome, and add up to its lag."""

import asyncio
from typing import Any

import pytest

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.executions.execution import Execution
from shared.domain.executions.lateness import first_lag_ms, lateness
from shared.domain.executions.stages import STORED, AttemptStages, Stage, Stages, WaitCause
from shared.domain.executions.states import State
from shared.domain.limits.circuit_breaker import OPEN_MS
from shared.domain.schedules.overlap import OverlapPolicy
from shared.ports.jobs import Payload
from tests.support.builders import DUE_AT
from tests.support.usecases.limited_site import Site, open_breaker
from tests.support.usecases.messages import delivery
from tests.support.usecases.world import World

OK = CallbackResponse(reason=Reason.OK, duration_ms=90, status=200, connect_ms=12, head_ms=80)
DOWN = CallbackResponse(reason=Reason.CONNECT_FAILED, duration_ms=5)
ASYNC = CallbackResponse(reason=Reason.OK, duration_ms=90, status=202, async_accepted=True)
LATE_MS = 4_000


def always(answer: CallbackResponse) -> Any:
    def answer_to(_: Callback) -> CallbackResponse:
        return answer

    return answer_to


def stages_of(world: World, execution: Execution) -> Stages:
    stages = world.standing(execution.id).progress.stages
    assert stages is not None
    return stages


def durations(stages: AttemptStages) -> list[int | None]:
    return [stages.duration_ms(stage) for stage in STORED]


def test_stages_go_into_the_write_of_the_outcome() -> None:
    world = World(DUE_AT + LATE_MS, answer_to=always(OK))
    execution = world.put(world.one_off(state=State.QUEUED))
    world.steps.after("claimer.claim", lambda: setattr(world.clock, "time_ms", DUE_AT + LATE_MS + 7))
    world.steps.taken.clear()
    world.run(delivery(execution, first_received_at=DUE_AT + 3_000))
    assert world.steps.count("store.finish") == 1
    stages = stages_of(world, execution)
    assert stages == Stages(number=1, first=stages.latest, latest=stages.latest)
    queue, wait, claim, ready, connect, head = durations(stages.first)
    assert abs((queue or 0) - 3_000) <= 96
    assert abs((wait or 0) - 1_000) <= 32
    assert (claim, ready, connect) == (7, 0, 12)
    assert abs((head or 0) - 80) <= 3
    assert stages.first.cause is None


def test_preparation_of_the_call_is_a_stage_and_the_start_is_the_beginning_of_the_call() -> None:
    world = World(DUE_AT, answer_to=always(OK))
    execution = world.put(world.one_off(state=State.QUEUED, payload_id="apart"))
    sealed = world.seal(execution.job_id)
    world.jobs.put_payload(
        Payload(tenant_id=execution.tenant_id, payload_id="apart", sealed=sealed, stored_at=DUE_AT)
    )
    world.steps.after("jobs.get_payload", lambda: setattr(world.clock, "time_ms", DUE_AT + 7))
    world.attempt(execution)
    assert [call.at for call in world.sender.calls] == [DUE_AT + 7]
    (outcome,) = world.standing(execution.id).progress.outcomes
    assert outcome.started_at == DUE_AT + 7
    assert stages_of(world, execution).first.duration_ms(Stage.READY) == 7


def test_message_that_came_early_leaves_no_stage_before_the_due_time() -> None:
    world = World(DUE_AT - 700, answer_to=always(OK))
    execution = world.put(world.one_off(state=State.QUEUED))
    world.run(delivery(execution, first_received_at=DUE_AT - 720))
    assert durations(stages_of(world, execution).first)[:4] == [0, 0, 0, 0]
    assert first_lag_ms(world.standing(execution.id)) == 0


def test_unknown_first_receive_is_that_of_this_batch() -> None:
    world = World(DUE_AT + LATE_MS, answer_to=always(OK))
    execution = world.put(world.one_off(state=State.QUEUED))
    world.attempt(execution)
    queue, wait, *_ = durations(stages_of(world, execution).first)
    assert abs((queue or 0) - LATE_MS) <= 130
    assert wait == 0


def test_retry_keeps_the_stages_of_the_first_attempt() -> None:
    world = World(DUE_AT + LATE_MS, answer_to=always(DOWN))
    execution = world.put(world.one_off(state=State.QUEUED))
    world.attempt(execution)
    first = stages_of(world, execution).first
    waiting = world.standing(execution.id)
    assert waiting.state is State.WAITING
    world.clock.time_ms = waiting.not_before + 9_000
    world.attempt(waiting)
    stages = stages_of(world, execution)
    assert (stages.number, stages.first) == (2, first)
    assert abs((stages.latest.duration_ms(Stage.QUEUE) or 0) - 9_000) <= 290
    assert stages.latest.duration_ms(Stage.CONNECT) is None


def test_refunded_claim_is_followed_by_the_stages_of_the_attempt_that_counts() -> None:
    unavailable = CallbackResponse(reason=Reason.UNAVAILABLE, duration_ms=0)
    world = World(DUE_AT, answer_to=always(unavailable))
    execution = world.put(world.one_off(state=State.QUEUED))
    world.attempt(execution)
    refunded = world.standing(execution.id)
    assert (refunded.attempt, stages_of(world, execution).number) == (0, 1)
    world.sender.answer_to = always(OK)
    world.clock.time_ms = refunded.not_before
    world.attempt(refunded)
    assert stages_of(world, execution).number == 1
    (attempt,) = lateness(world.standing(execution.id))
    assert attempt.longest is not None
    assert attempt.longest.stage is Stage.REFUNDED
    assert attempt.lag_ms == refunded.not_before - DUE_AT


def test_accepted_call_stores_its_stages_with_the_lease_and_its_report_keeps_them() -> None:
    world = World(DUE_AT + LATE_MS, answer_to=always(ASYNC))
    execution = world.put(world.one_off(state=State.QUEUED))
    world.steps.taken.clear()
    world.attempt(execution)
    assert world.steps.count("store.extend_lease") == 1
    assert world.steps.count("store.finish") == 0
    stages = stages_of(world, execution)
    running = world.standing(execution.id)
    world.settle_attempt.execute(running, running.claimed_at or 0, OK, ended_at=world.clock.now_ms())
    assert world.standing(execution.id).state is State.SUCCEEDED
    assert stages_of(world, execution) == stages


def test_open_breaker_is_the_cause_of_the_wait_and_the_stages_add_up() -> None:
    site = Site()
    open_breaker(site)
    (execution,) = site.due(1)
    site.send_for([execution])
    site.work()
    for _ in range(30):
        site.clock.time_ms += 5_000
        site.work()
        if site.standing(execution.id).state is State.SUCCEEDED:
            break
    standing = site.standing(execution.id)
    lag_ms = first_lag_ms(standing)
    assert lag_ms is not None
    assert lag_ms >= OPEN_MS
    stages = stages_of(site, execution)
    assert stages.first.cause is WaitCause.BREAKER_OPEN
    known = [duration or 0 for duration in durations(stages.first)[:4]]
    assert abs(sum(known) - lag_ms) <= 0.033 * lag_ms + 10


def test_key_sent_again_for_want_of_time_keeps_its_first_receive() -> None:
    world = World(DUE_AT, answer_to=always(OK))
    execution = world.put(world.one_off(state=State.QUEUED))
    received = delivery(execution, first_received_at=DUE_AT + 5)
    asyncio.run(world.run_attempts.execute([received], DUE_AT + 1_000))
    sent = [message.wakeup.wait for message in world.queue.messages]
    assert sent == [sent[0]]
    assert sent[0] is not None
    assert (sent[0].received_at, sent[0].cause) == (DUE_AT + 5, WaitCause.UNDECIDED)


@pytest.mark.parametrize("filed_ms", [0, 71_000])
def test_run_that_waited_for_an_earlier_run_names_the_overlap(filed_ms: int) -> None:
    world = World(DUE_AT)
    job = world.recurring(overlap_policy=OverlapPolicy.QUEUE_ONE)
    first = world.standing(job.id_at(DUE_AT))
    second = job.occurrence(DUE_AT + 60_000, created_at=DUE_AT + filed_ms)
    world.put(second)
    world.sender.answer_to = always(ASYNC)
    world.attempt(first)
    world.clock.time_ms = DUE_AT + 60_000
    world.attempt(second)
    assert world.standing(second.id).state is not State.RUNNING
    world.queue.messages.clear()
    world.clock.time_ms = DUE_AT + 101_000
    world.guard_start.wake_waiting(first)
    (woken,) = world.queue.messages
    assert woken.wakeup.wait is not None
    since_at = max(second.not_before, second.created_at)
    assert (woken.wakeup.wait.received_at, woken.wakeup.wait.cause) == (since_at, WaitCause.OVERLAP)
    assert woken.wakeup.wait.cause_ms == DUE_AT + 101_000 - since_at


@pytest.mark.parametrize("order", [1, -1])
def test_key_in_two_messages_has_the_wait_of_the_one_received_most_often(order: int) -> None:
    world = World(DUE_AT + LATE_MS, answer_to=always(OK))
    execution = world.put(world.one_off(state=State.QUEUED))
    again = delivery(execution, receives=3, message_id="again", first_received_at=DUE_AT + 10)
    fresh = delivery(execution, message_id="fresh", first_received_at=DUE_AT + LATE_MS)
    world.run(*[again, fresh][::order])
    queue, wait, *_ = durations(stages_of(world, execution).first)
    assert queue == 10
    assert abs((wait or 0) - (LATE_MS - 10)) <= 130


def test_batch_without_messages_measures_nothing() -> None:
    world = World(DUE_AT)
    asyncio.run(world.run_attempts.execute([], DUE_AT + 100_000))
    assert world.steps.count("store.finish") == 0
