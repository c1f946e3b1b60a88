"""Attempts, one after another."""

from shared.domain.bucket import ShardRange
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.world import World


def to_the_end(world: World, execution: Execution) -> Execution:
    """Let watchers, lanes and executors work until the execution has ended; there is no sweeper."""
    Lanes(world).until(world.clock.time_ms + 1_000)
    lanes = Lanes(world)
    while (standing := world.standing(execution.id)).state is State.WAITING:
        at = standing.progress.next_attempt_at or 0
        world.clock.time_ms = max(world.clock.time_ms, at - 100_000)
        world.watch.execute(ShardRange(index=0, of=1))
        lanes.until(at + 1_000)
        assert world.standing(execution.id).attempt == standing.attempt + 1
    return standing
