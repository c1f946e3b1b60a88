"""A throttled table, index or key is throttled alone, for ten minutes."""

from functools import partial
from random import Random
from typing import Any

from shared.bootstrap.ports import Ports
from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import PositionRange
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import Claim, WriteUnknown
from shared.ports.listings import TenantIndex
from tests.simulation.faults import FaultMix, Strike
from tests.simulation.hotspots import HOT_MS
from tests.simulation.places import FAILURE_INDEX, places_of, refused_at, shard_key
from tests.simulation.single_acts import ALWAYS, CALM, fail_one, in_a_process, put
from tests.simulation.world import World
from tests.support.builders import one_off, with_changes


def test_hot_table_is_throttled_for_ten_minutes_and_others_are_not() -> None:
    world = World(1, CALM)
    world.weather.hotspots.heat(["executions"], Random(1), world.hub.now_ms)
    (refused,) = in_a_process(world, put)
    (answered,) = in_a_process(world, lambda ports: ports.limits.hot_scopes([0]))
    assert isinstance(refused, UnavailableError)
    assert not isinstance(answered, UnavailableError)
    assert world.weather.struck[Strike.THROTTLE_HOT_PLACE] == 1
    world.hub.run_until(world.hub.now_ms + HOT_MS)
    assert in_a_process(world, put) == [None]


def test_hot_index_throttles_its_readers_and_keeps_entries_from_outcomes_that_are_written_all_the_same() -> (
    None
):
    world = World(1, CALM)
    world.weather.hotspots.heat([FAILURE_INDEX], Random(1), world.hub.now_ms)
    fail_one(world)
    row = world.table.executions[one_off().id]
    assert (row.execution.state, row.entry, row.index_is_stale) == (State.FAILED, None, True)
    assert world.weather.struck[Strike.THROTTLE_INDEX] == 1
    read = partial(_failed, one_off().tenant_id)
    (refused,) = in_a_process(world, read)
    (found,) = in_a_process(world, lambda ports: ports.executions.get(one_off().id))
    assert isinstance(refused, UnavailableError)
    assert isinstance(found, Execution)
    assert FAILURE_INDEX in places_of("ExecutionStore", "finish", [], [])
    assert not refused_at("finish", [FAILURE_INDEX])
    assert refused_at("repair_index", [FAILURE_INDEX])


def _failed(tenant_id: str, ports: Ports) -> Any:
    return ports.queries.index_pages(
        TenantIndex.FAILED, tenant_id, FAILURE_PARTITIONS, PositionRange(), newest_first=True, limit=10
    )


def test_hot_shard_is_throttled_alone_in_reads_scans_and_claims() -> None:
    world = World(1, CALM)
    hot, cool = one_off(1), one_off(2, due_at=one_off(1).id.dispatch_at + MINUTE_MS)
    for execution in (hot, cool):
        world.store.put_if_absent(with_changes(execution, state=State.QUEUED))
    world.weather.hotspots.heat([shard_key(hot.id)], Random(1), world.hub.now_ms)

    def claim(ports: Ports) -> Any:
        claims = [Claim(execution_id=each.id, owner="me") for each in (hot, cool)]
        return ports.claimer.claim(claims, world.hub.now_ms)

    def scan(place: ExecutionId, ports: Ports) -> Any:
        return ports.executions.scan(place.bucket, place.shard, after=None, limit=1)

    (claims,) = in_a_process(world, claim)
    assert [type(answer) for answer in claims] == [WriteUnknown, Execution]
    scans = [in_a_process(world, partial(scan, each.id))[0] for each in (hot, cool)]
    assert [isinstance(answer, UnavailableError) for answer in scans] == [True, False]


def test_first_call_of_a_hot_place_is_throttled_too() -> None:
    world = World(1, FaultMix(hot_place=ALWAYS))
    (refused,) = in_a_process(world, put)
    assert isinstance(refused, UnavailableError)
    assert world.weather.hotspots.last_ms > world.hub.now_ms
