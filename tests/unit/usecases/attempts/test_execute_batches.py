"""EXECUTE: each key of a batch once, each message settled for itself, packs taken apart where they are not done."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.names import Lane, QueueName
from shared.usecases.attempts.batch_report import Delivery, Verdict
from shared.usecases.attempts.run_attempts import POISON_RETURN_SECONDS, UNSURE_WAIT_SECONDS
from tests.support.builders import DUE_AT, in_state
from tests.support.usecases.messages import delivery
from tests.support.usecases.world import World

OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
UNREADABLE_MESSAGES = Delivery(
    message_id="poison", sent_at=DUE_AT, receive_count=1, wakeup=None, error="unreadable"
)


def pack_of(world: World, count: int) -> list[Execution]:
    return [world.put(world.one_off(number)) for number in range(count)]


def breaks_for(number: int, fault: Exception) -> Callable[[Callback], CallbackResponse]:
    """A sender with a fault of its own for one execution."""
    tag_with_tenant = str(delivery_id(number))

    def answer_to(callback: Callback) -> CallbackResponse:
        if dict(callback.headers)["webhook-id"] == tag_with_tenant:
            raise fault
        return OK

    return answer_to


def delivery_id(number: int) -> object:
    return World().one_off(number).id


def test_doubled_messages_of_one_batch_make_one_call_and_are_both_done() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    twice = [delivery(execution, message_id=name) for name in ("a", "b")]
    report = world.run(*twice)
    assert len(world.sender.calls) == 1
    assert [settled.verdict for settled in report.settled] == [Verdict.DONE] * 2


def test_a_batch_is_claimed_in_one_go() -> None:
    world = World(DUE_AT)
    pack = pack_of(world, 10)
    world.run(delivery(*pack[:6]), delivery(*pack[6:]))
    assert world.steps.count("claimer.claim") == 1
    assert len(world.sender.calls) == 10


def test_the_calls_of_a_batch_run_side_by_side() -> None:
    world = World(DUE_AT)
    pack = pack_of(world, 3)
    at_once: list[int] = []

    class Meeting:
        """A receiver that answers nobody before all have called."""

        def __init__(self) -> None:
            self.waiting = asyncio.Event()
            self.called = 0

        async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
            self.called += 1
            if self.called == len(pack):
                self.waiting.set()
            await self.waiting.wait()
            at_once.append(self.called)
            return OK

    made = world.run_attempts.make_attempt
    meeting = replace(made.call_receiver, sender=Meeting())
    world.run_attempts.make_attempt = replace(made, call_receiver=meeting)
    world.run(delivery(*pack))
    assert at_once == [3, 3, 3]


def test_a_message_that_nobody_can_read_is_returned_quickly_and_sinks_nobody() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    report = world.run(UNREADABLE_MESSAGES, delivery(execution))
    assert report.unreadable_messages == 1
    assert [
        (settled.delivery.message_id, settled.visible_after_seconds) for settled in report.returned()
    ] == [("poison", POISON_RETURN_SECONDS)]
    assert world.standing(execution.id).state is State.SUCCEEDED


NEWER = NewerMessage(body="{}", group="acme")


def test_newer_message_is_sent_again_instead_of_being_held_in_flight() -> None:
    world = World(DUE_AT)
    report = world.run(replace(UNREADABLE_MESSAGES, newer=NEWER))
    assert world.queue.resent == [(QueueName.STANDARD, NEWER)]
    assert report.returned() == []


def test_newer_message_that_the_queue_does_not_accept_is_returned() -> None:
    world = World(DUE_AT)
    world.queue.refuses_resends = True
    [returned] = world.run(replace(UNREADABLE_MESSAGES, newer=replace(NEWER, resends=1))).returned()
    assert returned.visible_after_seconds == 40


def test_delay_of_a_newer_message_doubles_up_to_the_maximum_of_the_queue() -> None:
    delays = [replace(NEWER, resends=resends).delay_seconds for resends in (*range(8), 1_000_000)]
    assert delays == [20, 40, 80, 160, 320, 640, 900, 900, 900]


def test_a_batch_of_nothing_but_poison_claims_nothing() -> None:
    world = World(DUE_AT)
    assert len(world.run(UNREADABLE_MESSAGES, UNREADABLE_MESSAGES).returned()) == 2
    assert world.steps.taken == []


@pytest.mark.parametrize("fault", [RuntimeError("ours"), ValueError("ours"), KeyError("ours")])
def test_a_fault_of_ours_in_one_key_does_not_sink_the_others(fault: Exception) -> None:
    world = World(DUE_AT)
    good, bad = world.put(world.one_off(1)), world.put(world.one_off(2))
    world.sender.answer_to = breaks_for(2, fault)
    report = world.run(delivery(good), delivery(bad))
    assert world.standing(good.id).state is State.SUCCEEDED
    assert [settled.delivery.message_id for settled in report.returned()] == [str(bad.id)]
    assert {key: (each.reason, each.error) for key, each in report.undecided.items()} == {
        bad.id: (type(fault).__name__, fault)
    }


def test_the_unfinished_keys_of_a_pack_are_sent_again_singly() -> None:
    world = World(DUE_AT)
    pack = pack_of(world, 4)
    world.sender.answer_to = breaks_for(2, RuntimeError("ours"))
    report = world.run(delivery(*pack))
    assert report.returned() == []
    assert [message.wakeup.keys for message in world.queue.messages] == [(pack[2].id,)]
    (again,) = world.queue.messages
    assert again.visible_at >= DUE_AT + UNSURE_WAIT_SECONDS * 1000


def test_a_pack_whose_keys_could_not_be_sent_again_is_returned_whole() -> None:
    world = World(DUE_AT)
    pack = pack_of(world, 4)
    world.sender.answer_to = breaks_for(2, RuntimeError("ours"))
    world.queue.fail_once(pack[2].id)
    (settled,) = world.run(delivery(*pack)).settled
    assert (settled.verdict, settled.visible_after_seconds) == (Verdict.RETURN, UNSURE_WAIT_SECONDS)


def test_a_single_unfinished_key_keeps_its_message() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.sender.answer_to = breaks_for(1, RuntimeError("ours"))
    assert len(world.attempt(execution).returned()) == 1
    assert world.sent() == []


def test_the_live_keys_of_a_pack_come_back_singly_after_their_leases() -> None:
    world = World(DUE_AT)
    free, held = world.one_off(1), world.one_off(2)
    world.put(free)
    world.put(in_state(held, State.RUNNING))
    report = world.run(delivery(free, held))
    assert report.returned() == []
    assert [message.wakeup.keys for message in world.queue.messages] == [(held.id,)]
    assert world.queue.messages[0].visible_at >= DUE_AT + 35_000


@pytest.mark.parametrize(("late_ms", "is_reported"), [(4_999, False), (5_000, True)])
def test_a_lane_that_is_behind_says_how_far_it_is(late_ms: int, is_reported: bool) -> None:
    world = World(DUE_AT + late_ms)
    execution = world.put(world.one_off())
    world.attempt(execution)
    report = world.lane_progress.read(Lane.STANDARD)
    assert (report is not None) is is_reported
    if report is not None:
        assert (report.visible_at, report.reported_at) == (DUE_AT, DUE_AT + late_ms)


def test_lane_progress_is_reported_at_intervals_and_only_after_a_claim() -> None:
    world = World(DUE_AT + 60_000)
    world.attempt(world.put(in_state(world.one_off(1), State.SUCCEEDED)))
    assert world.steps.count("progress.report") == 0
    for number in range(2, 6):
        world.attempt(world.put(world.one_off(number)))
    assert world.steps.count("progress.report") == 1
    world.clock.time_ms += 15_000
    world.attempt(world.put(world.one_off(9)))
    assert world.steps.count("progress.report") == 2
