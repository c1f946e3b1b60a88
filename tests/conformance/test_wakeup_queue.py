"""WakeupQueue: lanes that hold each message until its time, and say what they did not accept."""

from dataclasses import replace

from shared.domain.delivery.trace import Trace
from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.executions.stages import WaitCause
from shared.names import Lane, QueueName
from tests.support.builders import execution_id, wakeup
from tests.support.conformance.lanes import Lanes


def due_now(lanes: Lanes, count: int, lane: Lane = Lane.STANDARD) -> list[Wakeup]:
    return [wakeup(number, lane=lane, not_before=lanes.now_ms()) for number in range(count)]


def by_key(wakeups: list[Wakeup]) -> list[Wakeup]:
    return sorted(wakeups, key=lambda each: str(each.keys[0]))


def test_message_is_received_unchanged(lanes: Lanes) -> None:
    sent = wakeup(
        lane=Lane.CRITICAL,
        tenant_id="a-tenant",
        keys=tuple(execution_id(number, shard=number) for number in range(10)),
        not_before=lanes.now_ms() - 5_000,
    )
    assert lanes.queue.send([sent], lanes.now_ms()) == []
    assert lanes.receive(Lane.CRITICAL) == [sent]


def test_any_number_of_messages_goes_out_at_once(lanes: Lanes) -> None:
    sent = due_now(lanes, 23)
    assert lanes.queue.send(sent, lanes.now_ms()) == []
    assert by_key(lanes.receive(Lane.STANDARD)) == by_key(sent)


def test_empty_send_puts_no_message_in_any_lane(lanes: Lanes) -> None:
    assert lanes.queue.send([], lanes.now_ms()) == []
    assert [lanes.receive(lane) for lane in Lane] == [[], [], []]


def test_message_goes_to_its_own_lane(lanes: Lanes) -> None:
    sent = {lane: due_now(lanes, 2, lane) for lane in Lane}
    mixed = [sent[lane][number] for number in range(2) for lane in Lane]
    assert lanes.queue.send(mixed, lanes.now_ms()) == []
    for lane in Lane:
        assert by_key(lanes.receive(lane)) == sent[lane]


def test_a_message_is_held_until_its_time(lanes: Lanes) -> None:
    now_ms = lanes.now_ms()
    soon = wakeup(1, not_before=now_ms + 1_000)
    late = wakeup(2, not_before=now_ms + 86_400_000)
    assert lanes.queue.send([soon, late, wakeup(3, not_before=now_ms)], now_ms) == []
    assert [each.keys for each in lanes.receive(Lane.STANDARD)] == [(execution_id(3),)]
    lanes.let_pass(1_100)
    assert lanes.receive(Lane.STANDARD) == [soon]


def test_the_same_message_may_be_sent_twice(lanes: Lanes) -> None:
    (sent,) = due_now(lanes, 1)
    assert lanes.queue.send([sent, replace(sent)], lanes.now_ms()) == []
    assert set(lanes.receive(Lane.STANDARD)) == {sent}


def test_a_message_goes_through_another_queue_than_its_lane_where_it_says_so(lanes: Lanes) -> None:
    sent = [
        replace(wakeup(number, not_before=lanes.now_ms()), via=queue, waited=number)
        for number, queue in enumerate(QueueName)
    ]
    assert lanes.queue.send(sent, lanes.now_ms()) == []
    for number, queue in enumerate(QueueName):
        assert lanes.receive(queue) == [sent[number]]


def test_destinations_and_ends_travel_along(lanes: Lanes) -> None:
    keys = tuple(execution_id(number) for number in range(3))
    sent = wakeup(
        keys=keys,
        destinations=("0123456789", "", "zzzzzzzzzz"),
        ends_at=lanes.now_ms() + 900_000,
        not_before=lanes.now_ms(),
    )
    assert lanes.queue.send([sent], lanes.now_ms()) == []
    assert lanes.receive(Lane.STANDARD) == [sent]


def test_traces_of_clients_travel_along_with_their_keys(lanes: Lanes) -> None:
    traces = (None, Trace("0af7651916cd43dd8448eb211c80319c", is_sampled=True), Trace("1" * 32))
    sent = wakeup(keys=tuple(map(execution_id, range(3))), not_before=lanes.now_ms(), traces=traces)
    assert lanes.queue.send([sent, *sent.singles()], lanes.now_ms()) == []
    assert by_key(lanes.receive(Lane.STANDARD)) == by_key([sent, *sent.singles()])


def test_wait_so_far_travels_with_the_message_that_takes_the_place_of_another(lanes: Lanes) -> None:
    now_ms = lanes.now_ms()
    wait = WaitSoFar(visible_at=now_ms - 41_000, received_at=now_ms - 40_990)
    caused = wait.deferred(WaitCause.BREAKER_OPEN, 41_000)
    traces = (Trace("1" * 32),)
    sent = [
        replace(wakeup(number, not_before=now_ms), wait=each, traces=traces if number else ())
        for number, each in enumerate((wait, caused, None))
    ]
    assert lanes.queue.send(sent, now_ms) == []
    assert by_key(lanes.receive(Lane.STANDARD)) == by_key(sent)
