"""Stages add up to the lag, for each execution of a backlog that waits for a limit, message after message."""

import pytest

from shared.domain.tenancy.quota import Quota
from tests.simulation.backlog import Backlog
from tests.simulation.faults import FaultMix
from tests.simulation.oracle_stages import SEND_MS, tolerance_ms
from tests.simulation.readers import record_of
from tests.simulation.world import World

MINUTE_MS = 60_000
COUNT = 60


@pytest.mark.parametrize(
    ("quota", "cause"),
    [
        (Quota.CONCURRENCY, "tenant_concurrency"),
        (Quota.DESTINATION_CONCURRENCY, "destination_concurrency"),
        (Quota.CALLS_PER_SECOND, "tenant_rate"),
    ],
)
def test_stages_of_deferred_executions_add_up_to_their_lags(quota: Quota, cause: str) -> None:
    world = World(1, FaultMix())
    world.lanes.workers = 8
    backlog, start = Backlog(world), world.hub.now_ms
    jobs = backlog.due(backlog.tenant("busy", quotas={quota: 2}), [start] * COUNT)
    world.hub.run_until(start + 30 * MINUTE_MS)
    calls = {call.execution_id: call for call in backlog.calls(jobs)}
    records = {str(key): record_of(row.execution) for key, row in world.table.executions.items()}
    backlog.end()
    assert len(calls) == COUNT
    for execution_id, call in calls.items():
        record = records[execution_id]
        assert record.first is not None
        since_at = max(record.due_at, record.created_at)
        lag_ms = call.caller_began_at - since_at
        missing_ms = lag_ms - sum(record.first.before_call_ms)
        error_ms = tolerance_ms(record.first)
        assert -error_ms <= missing_ms <= SEND_MS + error_ms, (lag_ms, record.first)
        if record.first.wait_ms > 2_000:
            assert record.first.cause == cause
    assert max(call.began_at for call in calls.values()) - start > 5_000, "some have waited"
