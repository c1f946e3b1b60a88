"""Owners of keys in the simulation: what they are answered where nothing fails."""

from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import patch

from tests.simulation.changes import version_from
from tests.simulation.clients import Clients
from tests.simulation.evidence import Order
from tests.simulation.faults import FaultMix
from tests.simulation.habits import Change, Habits, OwnKey
from tests.simulation.keyed_jobs import KeyedJobs, note_stored, under_same_line
from tests.simulation.rhythms import every
from tests.simulation.world import World
from tests.support.fakes.job_keys import FakeJobKeys

CALM = FaultMix()
LATER_MS = 30_000


class Owner:
    """One key, and requests that are sent at chosen times."""

    def __init__(self) -> None:
        self.world = World(1, CALM)
        clients = Clients(self.world)
        self._keyed = KeyedJobs(self.world, self.world.start_ms + LATER_MS, clients._accept)
        self.order: Order = clients._order(Random("owner"), None, every(20), Habits())
        self.order.key, self.order.own_key = None, OwnKey(name="own.0")

    def put(self, number: int, after_ms: int) -> Change:
        at_ms = self.world.start_ms + after_ms
        version = version_from(number, every(20), self.world.start_ms // 1000 * 1000)
        return self._keyed.put(self.order, version, at_ms, keeps_schedule=True)

    def pass_time(self) -> OwnKey:
        self.world.hub.run_until(self.world.start_ms + 2 * LATER_MS)
        note_stored(self.world, [self.order])
        assert self.order.own_key is not None
        return self.order.own_key


def test_same_description_creates_and_is_left_and_another_one_changes() -> None:
    owner = Owner()
    changes = [owner.put(2, 0), owner.put(2, 5_000), owner.put(3, 10_000)]
    key = owner.pass_time()
    assert key.stored.keys() == key.answered_with == {owner.order.job_id}
    answered = [(change.made_from, change.revision, change.shown) for change in changes]
    assert answered == [(None, 1, 2), (None, 1, 2), (1, 2, 3)]


def test_two_owners_who_create_at_once_have_one_job() -> None:
    owner = Owner()
    changes = [owner.put(2, 0), owner.put(3, 1)]
    assert len(owner.pass_time().stored) == 1
    assert sorted(change.revision for change in changes) == [1, 2]


def test_id_that_replaces_whatever_stands_makes_two_jobs_of_a_key() -> None:
    """So the requests above do meet each other."""

    def assign(keys: FakeJobKeys, tenant_id: str, key: str, _before: Any, after: Any) -> bool:
        keys._table.keyed_ids[tenant_id, key] = after
        return True

    with patch.object(FakeJobKeys, "assign", assign):
        owner = Owner()
        owner.put(2, 0)
        owner.put(3, 1)
        assert len(owner.pass_time().stored) == 2


def test_some_runs_have_owners_of_keys_and_others_have_none() -> None:
    found = set()
    for seed in range(8):
        world = World(seed, CALM)
        clients = Clients(world)
        clients.start()
        found.add(any(order.own_key is not None for order in clients.orders))
        world.hub.close()
    assert found == {True, False}


def test_version_under_the_cron_line_of_an_earlier_one_has_its_instants() -> None:
    minutely = replace(every(60), every_seconds=None, line="* * * * *", zone="Europe/Berlin")
    first, later = (version_from(number, minutely, number * LATER_MS) for number in (2, 3))
    assert under_same_line(later, [first, later]).since == first.since
    assert under_same_line(first, [first, later]).since == first.since
    rate = version_from(4, every(60), LATER_MS)
    assert under_same_line(rate, [first, version_from(5, every(60), 0), rate]) == rate
