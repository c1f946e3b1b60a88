"""WATCH: messages are sent in the windows of their slots, and never held at the cost of a call."""

from collections.abc import Sequence

import pytest

from shared.domain.bucket import ShardRange, bucket_start_ms
from shared.domain.dispatch.send_window import LEAD_MS, SLOT_MS, WINDOW_MS
from shared.domain.dispatch.wakeup import Wakeup, single_wakeup
from shared.names import Lane
from shared.usecases.ticks.watch_buckets import HOLD_MS
from shared.usecases.ticks.window_sends import AT_ONCE, FEWEST, URGENT_MS, WindowSends
from tests.support.builders import BUCKET, DUE_AT, one_off
from tests.support.usecases.world import World

NOW = bucket_start_ms(BUCKET) - 120_000
LATER = NOW + HOLD_MS


def wakeups(count: int, not_before: int = DUE_AT) -> list[Wakeup]:
    return [
        single_wakeup(Lane.STANDARD, f"acme-{number}", one_off(number).id, not_before)
        for number in range(count)
    ]


def sends_of(world: World) -> WindowSends:
    ports = world.ports()
    return WindowSends(queue=ports.queue, clock=ports.clock, pause=ports.pause)


def early_ms(world: World) -> list[int]:
    """How long before its instant each message becomes visible."""
    return [message.wakeup.not_before - message.visible_at for message in world.queue.messages]


@pytest.mark.parametrize("fraction", [0, 250, 990])
@pytest.mark.parametrize("phase", [1, 333, 850, 999])
def test_messages_become_visible_within_the_lead(fraction: int, phase: int) -> None:
    world = World(NOW + phase)
    assert sends_of(world).send(wakeups(FEWEST, DUE_AT + fraction), LATER + phase) == []
    assert len(early_ms(world)) == FEWEST
    assert all(LEAD_MS - WINDOW_MS < early <= LEAD_MS + SLOT_MS for early in early_ms(world))


def test_messages_of_several_fractions_are_sent_within_one_second() -> None:
    world = World(NOW)
    many = [each for fraction in range(0, 1_000, 50) for each in wakeups(2, DUE_AT + fraction)]
    sends_of(world).send(many, LATER)
    assert len(world.queue.messages) == len(many)
    assert world.clock.now_ms() - NOW <= 1_000
    assert all(0 < early <= LEAD_MS + SLOT_MS for early in early_ms(world))


def test_few_messages_are_sent_at_once() -> None:
    world = World(NOW + 333)
    sends_of(world).send(wakeups(FEWEST - 1), LATER)
    assert (len(world.queue.messages), world.clock.now_ms()) == (FEWEST - 1, NOW + 333)


def test_urgent_messages_are_sent_at_once_and_before_the_others() -> None:
    world = World(NOW + 333)
    urgent = wakeups(FEWEST, LATER + URGENT_MS - 1)
    sends_of(world).send([*wakeups(FEWEST), *urgent], LATER)
    first = world.queue.messages[:FEWEST]
    assert {message.wakeup.not_before for message in first} == {LATER + URGENT_MS - 1}
    assert {message.sent_at for message in first} == {NOW + 333}


def test_no_message_is_held_until_its_instant_is_near() -> None:
    """Many windows are too few: what is left goes at once when the time to hold is over."""
    world = World(NOW)
    count = 3 * AT_ONCE
    sends = sends_of(world)
    soonest = NOW + 3_000 + URGENT_MS
    sends.send(wakeups(count, soonest), NOW + 2_000)
    assert len(world.queue.messages) == count
    assert all(soonest - message.sent_at >= URGENT_MS for message in world.queue.messages)


@pytest.mark.parametrize("hold_until", [NOW - 1, NOW, NOW + 100])
def test_messages_are_sent_at_once_where_the_window_opens_too_late(hold_until: int) -> None:
    world = World(NOW + 1)
    sends_of(world).send(wakeups(FEWEST), hold_until)
    assert (len(world.queue.messages), world.clock.now_ms()) == (FEWEST, NOW + 1)


def test_refused_messages_of_every_kind_are_returned() -> None:
    world = World(NOW)
    urgent, patient = wakeups(1, NOW + 1_000), wakeups(FEWEST + 3)[1:]
    refused = [urgent[0], patient[0], patient[-1]]
    world.queue.fail_once(*(wakeup.keys[0] for wakeup in refused))
    assert set(sends_of(world).send([*urgent, *patient], LATER)) == set(refused)
    assert len(world.queue.messages) == len(patient) - 2


def test_delays_are_counted_from_the_moment_of_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(NOW)
    send = world.queue.send

    def slow(wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        world.clock.time_ms += 700
        return send(wakeups, now_ms)

    monkeypatch.setattr(world.queue, "send", slow)
    sends_of(world).send(wakeups(3 * AT_ONCE), NOW)
    assert {message.sent_at for message in world.queue.messages} == {NOW, NOW + 700, NOW + 1_400}


def test_every_message_is_sent_by_a_clock_that_stands_still() -> None:
    world = World(NOW + 1)
    ports = world.ports()
    sends = WindowSends(queue=ports.queue, clock=ports.clock, pause=lambda _: None)
    sends.send(wakeups(2 * AT_ONCE + 1), LATER)
    assert len(world.queue.messages) == 2 * AT_ONCE + 1


def test_tick_of_a_watcher_sends_in_windows() -> None:
    world = World(NOW + 333)
    for number in range(FEWEST):
        world.put(one_off(number, tenant_id=f"acme-{number}"))
    world.watch.execute(ShardRange(index=0, of=1))
    assert len(early_ms(world)) == FEWEST
    assert all(0 < early <= LEAD_MS + SLOT_MS for early in early_ms(world))
