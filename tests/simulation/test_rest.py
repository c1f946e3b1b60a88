"""A run is at rest when every execution has ended, and the index of failures shows it as it ended."""

from shared.domain.bucket import MINUTE_MS
from shared.domain.executions.states import State
from shared.ports.listings import TenantIndex
from tests.simulation.rest import come_to_rest
from tests.simulation.single_acts import CALM
from tests.simulation.verdicts import Verdict
from tests.simulation.world import World
from tests.support.builders import in_state, one_off
from tests.support.fakes.table import Row

HOUR_MS = 60 * MINUTE_MS


def world_with_unlisted_failure(*, no_ticks_for_ms: int) -> tuple[World, Row]:
    """The index throttled the write of the outcome. No sweeper runs for a while."""
    world = World(1, CALM)
    failed = in_state(one_off(due_at=world.start_ms), State.FAILED)
    world.table.insert(failed, world.retention.expires_at_s(world.start_ms))
    row = world.table.executions[failed.id]
    row.index_is_stale = True
    world.functions.no_ticks_until_ms = world.start_ms + no_ticks_for_ms
    world.functions.start_ticks(lambda: world.start_ms + 4 * HOUR_MS)
    return world, row


def test_run_is_not_at_rest_before_a_sweep_has_listed_the_last_dead_letter() -> None:
    world, row = world_with_unlisted_failure(no_ticks_for_ms=HOUR_MS)
    assert come_to_rest(world, world.start_ms + 4 * HOUR_MS, world.start_ms) == []
    assert (row.entry, row.index_is_stale) == (TenantIndex.FAILED, False)


def test_run_whose_sweeper_never_lists_a_dead_letter_does_not_come_to_rest() -> None:
    world, row = world_with_unlisted_failure(no_ticks_for_ms=5 * HOUR_MS)
    (fault,) = come_to_rest(world, world.start_ms + 4 * HOUR_MS, world.start_ms)
    assert (fault.verdict, fault.execution_id) == (Verdict.RESTLESS, str(row.execution.id))
