"""One ended bucket, before its sweep."""

from typing import Any

from shared.domain.bucket import ShardRange, bucket_end_ms, bucket_start_ms
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.usecases.ticks.sweep_pass import SweepReport
from tests.support.builders import BUCKET, in_state, one_off
from tests.support.usecases.world import World

END = bucket_end_ms(BUCKET)
SCAN = bucket_start_ms(BUCKET) - 120_000
FIRST_PASS = END + 10_000
SECOND_PASS = END + 60_000


def scanned() -> World:
    """A watcher has scanned the bucket in time; the bucket was empty."""
    world = World(SCAN)
    world.watch.execute(ShardRange(index=0, of=1))
    world.ledger.note_swept_through(BUCKET - 1)
    return world


def unscanned(mark: int = BUCKET - 1) -> World:
    """No watcher has scanned the bucket."""
    world = World(SCAN)
    world.ledger.note_swept_through(mark)
    return world


def swept(world: World, at: int) -> SweepReport:
    world.clock.time_ms = at
    return world.sweep.execute()


def put(world: World, state: State = State.PENDING, number: int = 1, **fields: Any) -> Execution:
    fields = {"created_at": SCAN - 600_000} | fields
    return world.put(in_state(one_off(number, created_at=fields.pop("created_at")), state, **fields))
