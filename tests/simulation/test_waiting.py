"""What waits for a limit takes little longer than the limit itself makes it."""

import pytest

from shared.domain.tenancy.quota import Quota
from tests.simulation.backlog import Backlog
from tests.simulation.faults import FaultMix
from tests.simulation.world import World

MINUTE_MS = 60_000


@pytest.mark.parametrize(
    ("quotas", "count"),
    [
        ({Quota.CONCURRENCY: 2}, 20),
        ({Quota.CONCURRENCY: 2}, 200),
        ({Quota.CONCURRENCY: 10}, 300),
        ({Quota.DESTINATION_CONCURRENCY: 2}, 20),
    ],
)
def test_a_backlog_behind_a_limit_of_calls_at_once_is_worked_off_by_it(
    quotas: dict[Quota, int], count: int
) -> None:
    world = World(1, FaultMix())
    world.lanes.workers = 8
    backlog, start = Backlog(world), world.hub.now_ms
    jobs = backlog.due(backlog.tenant("busy", quotas=quotas), [start] * count)
    world.hub.run_until(start + 30 * MINUTE_MS)
    calls = [*backlog.calls(jobs)]
    backlog.end()
    assert len({call.execution_id for call in calls}) == len(calls) == count
    worked_ms = sum((call.ended_at or 0) - call.began_at for call in calls) / min(quotas.values())
    took_ms = max(call.ended_at or 0 for call in calls) - start
    assert took_ms < 3 * worked_ms
