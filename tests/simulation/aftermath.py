"""What comes after a run: duplicates that are days late, and the end of the records' retention."""

from shared.domain.dispatch.wakeup import single_wakeup
from tests.simulation.faults import Strike
from tests.simulation.readers import Histories, Readers
from tests.simulation.rhythms import DAY_AHEAD_MS
from tests.simulation.world import RETENTION_DAYS, World

DAY_MS = 86_400_000
HOUR_MS = 3_600_000
QUEUE_RETENTION_DAYS = 4
"""SQS drops a message after so long: none is ever later."""
DUPLICATES = 5


def duplicate_days_later(world: World) -> None:
    """Messages for executions that ended long ago turn up once more. Nothing may come of them."""
    ids = sorted(world.table.executions, key=str)
    for _ in range(DUPLICATES if ids else 0):
        world.hub.run_until(
            world.hub.now_ms + world.weather.rng.randint(0, QUEUE_RETENTION_DAYS * DAY_MS // DUPLICATES)
        )
        execution = world.table.executions[world.weather.rng.choice(ids)].execution
        world.lanes.come_again(
            single_wakeup(execution.lane, execution.tenant_id, execution.id, execution.not_before)
        )
        world.weather.note(Strike.DAYS_LATE_MESSAGE)


def read_before_expiry(world: World, readers: Readers, ended_at: int, clock_error_ms: int) -> Histories:
    """What clients are shown of the run a minute before the first record may go.

    A record that a slow clock ended goes by so much earlier.
    """
    world.hub.run_until(world.start_ms + RETENTION_DAYS * DAY_MS - 60_000 - clock_error_ms)
    _expire(world)
    return readers.histories(ended_at + DAY_AHEAD_MS)


def read_after_expiry(world: World, readers: Readers, ended_at: int) -> Histories:
    """What clients are shown of the run when all records have expired, but TTL has taken only some of them."""
    world.hub.run_until(ended_at + RETENTION_DAYS * DAY_MS + HOUR_MS)
    _expire(world)
    return readers.histories(ended_at + DAY_AHEAD_MS)


def _expire(world: World) -> None:
    def goes() -> bool:
        kind = world.weather.rng.choice((Strike.LINGERING_ROW, Strike.VANISHED_ROW))
        world.weather.note(kind)
        return kind is Strike.VANISHED_ROW

    for execution_id in world.table.drop_expired(world.hub.now_ms, goes):
        world.store.drop_from_index(execution_id)
