"""Let everything that was asked for come to its end, once the faults are over and what recurs has been cancelled."""

from shared.domain.bucket import MINUTE_MS
from shared.usecases.ticks.reconcile_report import SETTLE_MINUTES
from tests.simulation.verdicts import Fault, Verdict
from tests.simulation.world import World

CALM_MINUTES = 5
RUNAWAY_CALLS = 1_000
"""So many calls when nothing recurs any more are a chain that nobody ends; dozens are usual."""


def come_to_rest(world: World, give_up_at_ms: int, recurs_until_ms: int) -> list[Fault]:
    """Until nothing is unfinished, and some minutes more. Faults, one for each unfinished execution, where that fails.

    An execution whose entry in the index of failures does not match its state is unfinished: a sweep writes the entry.
    By `recurs_until_ms` everything that recurs is deleted, what no client knows of as well; calls are counted from
    then on. A world that is not at rest is checked no further: days of it would have to be played to the end.
    """
    enough: int | None = None
    calm_minutes = 0
    while calm_minutes < CALM_MINUTES:
        if enough is None and world.hub.now_ms >= recurs_until_ms:
            enough = len(world.receiver.log) + RUNAWAY_CALLS
        is_runaway = enough is not None and len(world.receiver.log) >= enough
        if world.hub.now_ms >= give_up_at_ms or is_runaway:
            return _unfinished(world)
        world.hub.run_until(world.hub.now_ms + MINUTE_MS)
        calm_minutes = 0 if _open_ids(world) else calm_minutes + 1
    world.hub.run_until(world.hub.now_ms + SETTLE_MINUTES * MINUTE_MS)
    return []


def _unfinished(world: World) -> list[Fault]:
    world.note("world", "did not come to rest")
    text = "unfinished after hours without faults, or beyond a thousand calls"
    return [Fault(verdict=Verdict.RESTLESS, text=text, execution_id=one) for one in _open_ids(world)]


def _open_ids(world: World) -> list[str]:
    rows = world.table.executions.values()
    unfinished = (row for row in rows if row.index_is_stale or not row.execution.state.is_terminal)
    return [str(row.execution.id) for row in unfinished] + list(world.redrives.slots.values())
