"""Destinations that answer slowly are called apart, each lane's by workers of their own."""

import pytest

from shared.names import Lane, QueueName
from tests.simulation.backlog import Backlog
from tests.simulation.faults import FaultMix
from tests.simulation.world import World

SECOND_MS = 1_000
HOUR_MS = 3_600_000
WORKERS = 4
FLOOD = 1_500
"""Calls of 4 to 9 s each, in batches of ten: some four minutes of the workers' time."""
LEARNT_AFTER_MS = 20 * SECOND_MS


def lag_beside_a_flood() -> tuple[int, int]:
    """The longest lag of critical jobs to a slow destination, and how many of the slow bulk jobs wait at the end.

    All are of one tenant, so that no fairness between tenants helps.
    """
    world = World(1, FaultMix())
    world.lanes.workers = WORKERS
    backlog, start = Backlog(world), world.hub.now_ms
    for host in ("ledger.example.com", "reports.example.com"):
        world.receiver.answers_slowly(host, start + HOUR_MS)
    first = start + LEARNT_AFTER_MS
    backlog.due("acme", [start] * 5, host="ledger.example.com", lane=Lane.CRITICAL)
    flood = backlog.due("acme", [start] * FLOOD, host="reports.example.com", lane=Lane.BULK)
    critical = backlog.due(
        "acme", range(first, first + 40_000, 4_000), host="ledger.example.com", lane=Lane.CRITICAL
    )
    world.hub.run_until(first + 60 * SECOND_MS)
    lag = backlog.lags(critical)[-1]
    waiting = FLOOD - len({call.execution_id for call in backlog.calls(flood)})
    backlog.end()
    return lag, waiting


def test_a_flood_of_slow_bulk_does_not_delay_a_critical_job_to_a_slow_destination() -> None:
    lag, waiting = lag_beside_a_flood()
    assert waiting > FLOOD / 3, "the flood lasted for the whole time"
    assert lag < SECOND_MS


def test_shared_slow_path_would_delay_the_other_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test above would find."""
    monkeypatch.setattr(QueueName, "slow_path", QueueName.SLOW_STANDARD)
    lag, _ = lag_beside_a_flood()
    assert lag > 10 * SECOND_MS
