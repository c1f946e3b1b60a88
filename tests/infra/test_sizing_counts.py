"""The sizing bills what an execution and an idle minute are counted to take on the emulator."""

from collections.abc import Iterator

import pytest

from infra.sizing import figures
from infra.sizing.traffic import Item
from infra.sizing.usage import Execution, Kind
from shared.domain.bucket import MINUTE_MS
from shared.names import EXECUTOR_BATCH
from tests.bench.__main__ import FAR_SECONDS, batches, occurrences, one_offs
from tests.bench.counting import REQUEST
from tests.bench.world import World, world

pytestmark = pytest.mark.engines

NEAR_SECONDS = 100
SHARDS = 4
SETTLING_MINUTES, MINUTES = 15, 4
LEASES = 0.01
"""How far the leases of rate limits and quotas of 200 creations may differ, in write units a job."""
ITEM = Item(len(REQUEST.body or b""))
STATEMENT_INDEX_UNITS = 1
"""The emulator counts a statement of PartiQL as one unit, and leaves out the unit of its index."""


@pytest.fixture(scope="module")
def made() -> Iterator[World]:
    with world() as one:
        yield one


def test_one_off_that_is_due_soon_is_billed_as_counted(made: World) -> None:
    counted = one_offs(made, "due soon", NEAR_SECONDS, keyed=False, limit=0)
    billed = Execution(kind=Kind.DUE_SOON, item=ITEM, jobs_per_batch=EXECUTOR_BATCH)
    assert billed.write_units == pytest.approx(counted.write_units, abs=LEASES)
    assert billed.sqs_requests == pytest.approx(counted.sqs)
    assert counted.refused == 0


def test_one_off_that_a_watcher_finds_is_billed_as_counted(made: World) -> None:
    counted = one_offs(made, "found", FAR_SECONDS, keyed=False, limit=0)
    billed = Execution(kind=Kind.ONE_OFF, item=ITEM, jobs_per_batch=EXECUTOR_BATCH)
    assert billed.write_units == pytest.approx(counted.write_units, abs=LEASES)
    # All jobs of the bench share tenant and second, and a message names up to ten of them.
    assert billed.sqs_requests / EXECUTOR_BATCH <= counted.sqs < billed.sqs_requests


def test_idempotency_key_is_billed_as_counted(made: World) -> None:
    counted = one_offs(made, "with key", NEAR_SECONDS, keyed=True, limit=0)
    billed = Execution(kind=Kind.DUE_SOON, item=ITEM, jobs_per_batch=EXECUTOR_BATCH, keyed=1)
    assert billed.write_units == pytest.approx(counted.write_units, abs=LEASES)


def test_creation_in_a_batch_is_billed_as_counted_and_with_its_index(made: World) -> None:
    counted = batches(made, "batch")
    billed = Execution(kind=Kind.ONE_OFF, item=ITEM, jobs_per_request=100)
    creation = billed.write_units - 2 * ITEM.units
    assert creation == pytest.approx(counted.write_units + STATEMENT_INDEX_UNITS, abs=LEASES)


def test_run_of_a_recurring_job_is_billed_as_counted(made: World) -> None:
    counted = occurrences(made)
    billed = Execution(kind=Kind.MINUTELY, item=ITEM, jobs_per_batch=1)
    assert billed.write_units == pytest.approx(counted.write_units)
    assert billed.sqs_requests == pytest.approx(counted.sqs)


def test_minute_without_jobs_is_billed_as_counted() -> None:
    with world() as made:
        for _ in range(SETTLING_MINUTES):
            _idle_minute(made)
        meter = made.meter
        before = sum(meter.write_units.values()) + meter.refused_writes
        queries = meter.requests["Query"]
        for _ in range(MINUTES):
            _idle_minute(made)
        writes = sum(meter.write_units.values()) + meter.refused_writes - before
        queries = meter.requests["Query"] - queries
    each_shard = figures.WATCH_WRITES.value + figures.SWEEP_WRITES.value
    assert writes / MINUTES == SHARDS * each_shard + figures.MARK_WRITES.value
    assert queries / MINUTES == 2 * SHARDS + figures.LEDGER_READS.value + figures.REDRIVER_READS.value


def _idle_minute(made: World) -> None:
    made.tick()
    made.cases.ticks.sweep_buckets.execute()
    made.cases.dead_letters.process_bulk_redrives.execute(lambda: True)
    made.ports.parked_messages.parked(1)
    made.clock.time_ms += MINUTE_MS
