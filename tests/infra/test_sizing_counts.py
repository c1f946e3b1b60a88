"""The sizing bills what `make bench` counts for an execution and an idle minute."""

import json
from dataclasses import replace
from typing import Any

import pytest

from infra.sizing import figures
from infra.sizing.traffic import Item
from infra.sizing.usage import Execution, Kind
from shared.names import EXECUTOR_BATCH
from tests.bench.checked import checked, laptop_tables
from tests.bench.laptop import LaptopRun
from tests.support.sources import ROOT

COUNTED: dict[str, dict[str, float]] = json.loads((ROOT / "tests" / "bench" / "counted.json").read_text())
SMALL = Item(70)
SHARDS = 4
OTHERS = 0.05
"""What writes of no single job, such as a report of the lane, may come to for each of thirty jobs."""


def billed(kind: Kind, item: Item = SMALL, **settings: Any) -> Execution:
    return Execution(kind=kind, item=item, **{"jobs_per_batch": EXECUTOR_BATCH, **settings})


@pytest.mark.parametrize(
    ("row", "execution"),
    [
        ("one-off, body of 70 B", billed(Kind.DUE_SOON)),
        ("one-off, body of 2.5 kB", billed(Kind.DUE_SOON, Item(2_500))),
        ("one-off, body of 100 kB", billed(Kind.DUE_SOON, Item(100_000))),
        ("one-off with Idempotency-Key", billed(Kind.DUE_SOON, keyed=1)),
        ("one-off in a batch of 100", billed(Kind.DUE_SOON, jobs_per_request=100)),
        ("one-off, thin: one each 1.3 s", billed(Kind.DUE_SOON, jobs_per_batch=1)),
        ("occurrence, each minute", billed(Kind.MINUTELY)),
        ("occurrence, each minute, thin", billed(Kind.MINUTELY, jobs_per_batch=1)),
    ],
)
def test_execution_is_billed_as_counted(row: str, execution: Execution) -> None:
    counted = COUNTED[row]
    leases = 0 if execution.kind.is_run else figures.CREATION_LEASES.value
    writes = execution.table_writes + execution.other_writes
    assert writes - leases == pytest.approx(counted["write_units"], abs=OTHERS)
    assert counted["refused_units"] == 0
    # Jobs of one tenant and second share messages, so that the bench may need fewer.
    assert execution.sqs_requests >= counted["sqs"] - OTHERS


def test_minute_without_jobs_is_billed_as_counted() -> None:
    watcher, sweeper = COUNTED["watcher, an empty tick"], COUNTED["sweeper, a steady tick"]
    each_shard = figures.WATCH_WRITES.value + figures.SWEEP_WRITES.value
    assert watcher["write_units"] + watcher["refused_units"] + sweeper["write_units"] == (
        SHARDS * each_shard + figures.MARK_WRITES.value
    )


BURST = LaptopRun(
    jobs=600,
    batches=62,
    table_writes=2_400,
    other_writes=70,
    refused=0,
    sqs_requests=600,
    invocations=662,
    p50_ms=11_900,
    last_ms=26_000,
    callback_ms=600,
    writes_ms=60,
    cpu_ms=2,
)


def test_burst_with_the_counts_of_the_sizing_passes() -> None:
    rows = checked(BURST)
    assert [row.name for row in rows if row.is_wrong] == []
    half, last = (row for row in rows if not row.is_count)
    # Batches of ten last 600 ms times 2.929, and 80 ms; four of them begin at once, and 26 or 56 follow. Each of these
    # is late by the part of a batch that 600 ms times 1.245, the deviation of the longest of ten, leaves.
    late = (1 - (0.6 * 1.245 / 1.8374) ** 2) / 2
    assert half.computed == pytest.approx(((60 / 2 - 4) / 4 + late) * 1.8374, rel=0.001)
    assert last.computed == pytest.approx(((60 - 4) / 4 + late) * 1.8374, rel=0.001)
    assert f"| {half.computed:.1f} | 11.9 | {half.off:+.0%} |" in laptop_tables(BURST, rows)


@pytest.mark.parametrize("field", ["table_writes", "refused", "sqs_requests", "invocations"])
def test_burst_with_another_count_than_the_sizing_fails(field: str) -> None:
    rows = checked(replace(BURST, **{field: getattr(BURST, field) + 1}))
    (wrong,) = (row for row in rows if row.is_wrong)
    assert wrong.difference == "+1"
