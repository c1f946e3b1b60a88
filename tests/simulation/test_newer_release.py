"""A newer release beside an older one, on the same queues: the simulation sees what an older release does wrong."""

from dataclasses import replace
from functools import partial

import orjson
import pytest

from shared.adapters.sqs.messages import VERSION
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.ports import Ports
from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.dispatch.wakeup import Wakeup
from shared.names import QueueName
from shared.usecases.attempts.run_attempts import Delivery
from tests.simulation import functions
from tests.simulation.faults import Strike
from tests.simulation.lanes import Message
from tests.simulation.newer_messages import NEWER, record_for
from tests.simulation.releases import Release
from tests.simulation.run import run_seed
from tests.simulation.single_acts import CALM, in_a_process
from tests.simulation.verdicts import Verdict
from tests.simulation.world import World
from tests.support.builders import wakeup

SEED = 10
"""In this run an older release receives messages of the newer one, some of them from a dead-letter queue."""


def sent_by(release: Release, world: World) -> Message:
    """A message of a process of the release."""
    world.releases.start = lambda: release  # type: ignore[method-assign]
    world.lanes.closed = set(QueueName)
    in_a_process(world, lambda ports: ports.queue.send([wakeup()], world.hub.now_ms))
    (message,) = world.lanes.messages.values()
    return message


def send_again(newer: NewerMessage, queue: QueueName, ports: Ports) -> None:
    assert ports.queue.resend(queue, newer)


@pytest.fixture
def releases() -> tuple[Release, Release]:
    """The older one, and a newer one with a format of its own."""
    plan = World(1, CALM).releases.newest
    return Release(plan, is_newest=False), Release(plan, is_newest=True, writes_newer_messages=True)


def read(release: Release, message: Message) -> Wakeup | None:
    (delivery,) = functions.deliveries([record_for(release, message)])
    assert (delivery.newer is None) == (delivery.wakeup is not None)
    return delivery.wakeup


def test_message_of_the_newer_release_is_readable_by_that_release_alone(
    releases: tuple[Release, Release],
) -> None:
    older, newer = releases
    message = sent_by(newer, World(1, CALM))
    assert orjson.loads(message.body)["v"] == NEWER
    assert read(newer, message) == wakeup()
    assert read(older, message) is None


def test_message_of_the_older_release_is_readable_by_both(releases: tuple[Release, Release]) -> None:
    older, newer = releases
    message = sent_by(older, World(1, CALM))
    assert orjson.loads(message.body)["v"] == VERSION
    assert read(newer, message) == read(older, message) == wakeup()


def test_message_that_was_sent_again_comes_with_its_number_of_resends(
    releases: tuple[Release, Release],
) -> None:
    older, newer = releases
    world = World(1, CALM)
    message = sent_by(newer, world)
    for resends in range(3):
        (delivery,) = functions.deliveries([record_for(older, message)])
        assert delivery.newer is not None
        assert (delivery.newer.resends, delivery.newer.group) == (resends, message.group)
        world.lanes.messages.clear()
        resend = partial(send_again, delivery.newer, message.queue)
        in_a_process(world, resend)
        (message,) = world.lanes.messages.values()
        assert message.visible_at - message.sent_at == 20_000 << resends


def test_nothing_is_broken_where_an_older_release_meets_newer_messages() -> None:
    outcome = run_seed(SEED)
    assert outcome.faults == []
    assert outcome.struck[Strike.NEWER_MESSAGE] > 0


def faults_of(seed: int) -> set[tuple[Verdict, str]]:
    texts = ((fault.verdict, fault.text.partition(" ")[2]) for fault in run_seed(seed).faults)
    return {(kind, text.partition(":")[0]) for kind, text in texts}


def test_older_release_that_takes_a_newer_message_for_poison_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = functions.deliveries

    def blind(records: list[dict[str, object]]) -> list[Delivery]:
        return [replace(delivery, newer=None) for delivery in real(records)]

    monkeypatch.setattr(functions, "deliveries", blind)
    assert (Verdict.BROKEN, "of a newer release was parked") in faults_of(SEED)


def test_older_release_that_drops_a_newer_message_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqsWakeupQueue, "resend", lambda *_: True)
    assert (Verdict.BROKEN, "of a newer release was dropped unread") in faults_of(SEED)
