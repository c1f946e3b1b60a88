"""A newer release beside an older one, on the same tables and queues: what the older one does wrong is seen."""

from dataclasses import replace
from functools import partial
from typing import Any

import orjson
import pytest

from shared.adapters.sqs.messages import VERSION
from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.ports import Ports
from shared.domain.bucket import MINUTE_MS
from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.errors import UnknownVersionError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.names import QueueName
from shared.ports.executions import Claim, WriteUnknown
from shared.usecases.attempts.batch_report import Delivery
from tests.simulation import functions, newer_items
from tests.simulation.clients import Clients
from tests.simulation.faults import Strike
from tests.simulation.lanes import Message
from tests.simulation.newer_items import RowsOfOlder, seen_by
from tests.simulation.newer_messages import NEWER, record_for
from tests.simulation.releases import Release
from tests.simulation.run import run_seed
from tests.simulation.single_acts import CALM, in_a_process
from tests.simulation.verdicts import Verdict
from tests.simulation.world import World
from tests.support.builders import one_off, wakeup
from tests.support.fakes.table import Damage, Row

SEEDS = (11, 22)
"""In these runs an older release receives many messages of the newer one."""


SEEDS_OF_ITEMS = (20, 153)
"""In these runs an older release reads items of the newer one, and may not claim them."""
CLAIM = Claim(execution_id=one_off().id, owner="me")


def newer_item_world() -> World:
    world = World(1, CALM)
    world.releases.has_newer_items = True
    return world


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


def test_older_release_that_meets_newer_messages_breaks_no_promise() -> None:
    assert_clean(SEEDS, Strike.NEWER_MESSAGE)


def assert_clean(seeds: tuple[int, ...], kind: Strike) -> None:
    for outcome in map(run_seed, seeds):
        assert outcome.faults == []
        assert outcome.struck[kind] > 0


def faults_of(seeds: tuple[int, ...]) -> set[tuple[Verdict, str]]:
    """The faults of all runs, each without the name at its beginning and the reason at its end."""
    faults = [fault for outcome in map(run_seed, seeds) for fault in outcome.faults]
    return {(one.verdict, one.text.partition(" ")[2].partition(":")[0]) for one in faults}


def test_older_release_that_takes_a_newer_message_for_poison_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = functions.deliveries

    def blind(records: list[dict[str, object]]) -> list[Delivery]:
        return [replace(delivery, newer=None) for delivery in real(records)]

    monkeypatch.setattr(functions, "deliveries", blind)
    assert (Verdict.BROKEN, "of a newer release was parked") in faults_of(SEEDS)


def test_older_release_that_drops_a_newer_message_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqsWakeupQueue, "resend", lambda *_: True)
    assert (Verdict.BROKEN, "of a newer release was dropped unread") in faults_of(SEEDS)


def test_item_of_the_newer_release_is_readable_by_that_release_alone(
    releases: tuple[Release, Release],
) -> None:
    older, newer = releases
    world = newer_item_world()
    row = one_off(state=State.QUEUED)
    world.store.put_if_absent(row)
    world.releases.newer_items.ids.add(row.id)
    by_older = seen_by(older, world, world.store)
    with pytest.raises(UnknownVersionError):
        by_older.get(row.id)
    page = by_older.scan(row.id.bucket, row.id.shard, after=None, limit=10)
    assert (page.rows, len(page.unreadable)) == ((), 1)
    (refused,) = seen_by(older, world, world.claimer).claim([CLAIM], world.hub.now_ms)
    assert isinstance(refused, WriteUnknown)
    assert refused.is_newer
    assert seen_by(newer, world, world.store).get(row.id) == row
    (claimed,) = seen_by(newer, world, world.claimer).claim([CLAIM], world.hub.now_ms)
    assert isinstance(claimed, Execution)


def test_item_of_the_newer_release_waits_for_that_release(releases: tuple[Release, Release]) -> None:
    """Its message is lost while the older release is in force, so that the sweeper alone can find it."""
    older, newer = releases
    world = newer_item_world()
    world.releases.start = lambda: newer  # type: ignore[method-assign]
    world.functions.start_ticks(lambda: world.start_ms + 200 * MINUTE_MS)
    Clients(world).order(delay_seconds=30, cancelled=0)
    while not world.lanes.messages:
        world.hub.run_until(world.hub.now_ms + 10)
    world.lanes.messages.clear()
    (row,) = world.table.executions.values()
    world.releases.newer_items.ids.add(row.execution.id)
    filed = row.execution
    world.releases.start = lambda: older  # type: ignore[method-assign]
    world.hub.run_until(world.hub.now_ms + 10 * MINUTE_MS)
    assert row.execution == filed
    assert world.parked_messages.messages == {}
    world.releases.start = lambda: newer  # type: ignore[method-assign]
    world.hub.run_until(world.hub.now_ms + 60 * MINUTE_MS)
    assert row.execution.state is State.SUCCEEDED
    assert len(world.receiver.log) == 1


def test_older_release_that_meets_newer_items_breaks_no_promise() -> None:
    assert_clean(SEEDS_OF_ITEMS, Strike.NEWER_ITEM)


def test_older_release_that_claims_newer_items_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its claim counts an attempt, for which it then cannot make the call. Every item of the newer release has a
    value that only that release knows, so that the claims do not depend on the draw."""

    class Unguarded:
        """A row whose writes have no condition on its version."""

        damage = Damage.NEWER

        def __init__(self, row: Row) -> None:
            self.__dict__["row"] = row

        def __getattr__(self, name: str) -> Any:
            return getattr(self.row, name)

        def __setattr__(self, name: str, value: Any) -> None:
            setattr(self.row, name, value)

        def read(self) -> Execution:
            return replace(self.row, damage=Damage.NEWER).read()

    def seen(rows: Any, row: Row) -> Any:
        return Unguarded(row) if rows.is_newer(row) else row

    monkeypatch.setattr(RowsOfOlder, "seen", seen)
    monkeypatch.setattr(newer_items, "FILED_SHARE", 1)
    monkeypatch.setattr(newer_items, "RECORDED_SHARE", 1)
    assert Verdict.ATTEMPTS in {kind for kind, _ in faults_of(SEEDS_OF_ITEMS)}
