"""From a slice to the whole stage: each component, its first limit, and how much of the limit it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from infra.sizing import figures
from shared.domain.bucket import MINUTE_MS
from shared.names import QueueName
from shared.usecases.ticks.sweep_shard import PAGE_ROWS
from tests.scale.loads import Load
from tests.scale.queues import BATCH
from tests.scale.vaults import KMS
from tests.scale.world import ScaleWorld

How = Literal["emulated", "computed"]
BOUND = 0.7
FIRST_PASS_SECONDS = 90
API_BATCH = 100
COVERAGE_SECONDS = 3_600
RECONCILED_PAGE = 100
TYPICAL_BATCH_MS = 700
"""Where a lane has had no full batch."""
API_WAIT_MS = 25
"""Requests of the API to other services, one after another: tenant, quota, put, message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`emulated`: the slice ran, and its figures were multiplied. `computed`: arithmetic over stated figures."""

    component: str
    limit: str
    used: float
    most: float
    how: How
    bound: float = BOUND
    """The share that the component must not reach."""

    @property
    def share(self) -> float:
        return self.used / self.most


def rows_of(world: ScaleWorld, load: Load) -> list[Row]:
    """Every component of a run that has been measured."""
    return [
        *_keys(world),
        *_tables(world),
        *_lanes(world),
        *_ticks(world, load),
        *_executors(world),
        *_api(world, load),
        *_deployment(world, load),
        _reconciler(world),
    ]


def _interval(world: ScaleWorld) -> tuple[int, int]:
    return world.measured_from_s, int(world.hub.now_ms) // 1000


def _keys(world: ScaleWorld) -> Iterator[Row]:
    """Keys of one shard by their hottest second. Of keys that the slice asks in part, the rest is not known
    second by second: their mean, multiplied, and no less than the hottest second of the slice itself."""
    from_s, until_s = _interval(world)
    for kind, limit in (("writes", figures.KEY_WRITES.value), ("reads", figures.KEY_READS.value)):
        for group in world.meters.groups(kind):
            own = world.meters.hottest(kind, group) / world.meters.scales.get(group, 1)
            used = max(own, world.meters.busiest(kind, group) / (until_s - from_s))
            yield Row(
                component=f"key of {group}, {kind}",
                limit="units/s of a key",
                used=used,
                most=limit,
                how="emulated",
            )


def _tables(world: ScaleWorld) -> Iterator[Row]:
    """The largest minute: the ticks of the whole stage spread over the minute, those of a slice do not."""
    from_s, until_s = _interval(world)
    for name, load in sorted(world.meters.tables.items()):
        quota = world.slice.stage.quota_of(name)
        used = load.most_in(60, from_s, until_s) * world.slice.factor
        yield Row(
            component=f"table {name}", limit="units/s, quota or warm", used=used, most=quota, how="emulated"
        )


def _lanes(world: ScaleWorld) -> Iterator[Row]:
    """Event sources add executors before batches are full, so the number of busy ones is no utilisation: what
    counts is the rate of messages against that of full batches at the maximum concurrency."""
    from_s, until_s = _interval(world)
    stage, factor, total = world.slice.stage, world.slice.factor, 0.0
    for queue in (QueueName.CRITICAL, QueueName.STANDARD, QueueName.BULK):
        rate = world.meters.counts[f"messages {queue}"].most_in(60, from_s, until_s) * factor
        full_ms = world.executors.full_ms[queue]
        batch_ms = sum(full_ms) / len(full_ms) if full_ms else TYPICAL_BATCH_MS
        total += world.meters.counts[f"busy {queue}"].mean(from_s, until_s) * factor
        yield Row(
            component=f"lane {queue}",
            limit="messages/s in full batches",
            used=rate,
            most=stage.executors(queue) * BATCH * 1000 / batch_ms,
            how="emulated",
        )
        yield Row(
            component=f"queue {queue}",
            limit="messages in flight",
            used=world.sqs.lanes[queue].most_in_flight * factor,
            most=figures.IN_FLIGHT.value,
            how="emulated",
        )
    yield Row(
        component="executors of the account",
        limit="concurrency, quota",
        used=total,
        most=stage.config.account_concurrency,
        how="emulated",
    )


def _ticks(world: ScaleWorld, load: Load) -> Iterator[Row]:
    """First passes of a range follow one another: the last shard of the stage's range waits for the others."""
    for kind, runs in world.ticks.runs.items():
        if runs:
            yield Row(
                component=f"{kind}, the longest run",
                limit="seconds between ticks",
                used=max(runs) / 1000,
                most=figures.TICK_SECONDS.value,
                how="emulated",
            )
    until_ms = world.hub.now_ms
    passes = [
        after_ms
        for (bucket, _), after_ms in world.ticks.first_passes.items()
        if (bucket + 1) * MINUTE_MS + FIRST_PASS_SECONDS * 1000 < until_ms
    ]
    if passes:
        yield Row(
            component="sweeper, latest first pass",
            limit="seconds after the bucket",
            used=max(passes) / 1000 + (world.slice.sweeper_factor - 1) * _scan_seconds(world, load),
            most=FIRST_PASS_SECONDS,
            how="emulated",
            bound=1,
        )


def _scan_seconds(world: ScaleWorld, load: Load) -> float:
    """Of all rows of one shard and minute."""
    rows = load.rate_at(world.hub.now_ms) * 60 / world.slice.shards
    row_ms = figures.latency("query_row") + figures.cpu("scanned_row") * figures.MB_OF_ONE_CORE.value / (
        world.slice.stage.memory.sweeper
    )
    page_ms = figures.latency("query_page") + figures.cpu("request")
    return rows * (row_ms + page_ms / PAGE_ROWS) / 1000


def _executors(world: ScaleWorld) -> Iterator[Row]:
    from_s, until_s = _interval(world)
    executors = world.executors
    yield Row(
        component="executor, processor of a batch",
        limit="share of its core",
        used=executors.cpu_ms / executors.batch_ms,
        most=1,
        how="emulated",
    )
    yield Row(
        component="KMS Decrypt, long after a deployment",
        limit="requests/s, quota",
        used=world.meters.counts[KMS].mean(from_s, until_s) * world.slice.factor,
        most=world.slice.stage.kms_quota,
        how="emulated",
    )


def _api(world: ScaleWorld, load: Load) -> Iterator[Row]:
    """Authentication and parsing are no part of the run: requests by their number and measured processor
    time."""
    stage, mix = world.slice.stage, load.mix
    jobs = load.rate_at(world.hub.now_ms) * world.slice.factor
    soon, batches = jobs * mix.soon, jobs * (1 - mix.soon - mix.minutely) / API_BATCH
    long_runs = jobs * (1 - mix.minutely) * mix.long * mix.long_minutes * 60
    beats = long_runs / figures.HEARTBEAT_SECONDS.value
    yield Row(
        component="API, requests",
        limit="requests/s, quota of the gateway",
        used=soon + batches + beats,
        most=figures.GATEWAY_REQUESTS.value,
        how="computed",
    )
    share = stage.memory.api / figures.MB_OF_ONE_CORE.value
    busy = (
        soon * (figures.CREATE_CPU_MS.value / share + API_WAIT_MS)
        + batches * (API_BATCH * figures.BATCH_CREATE_CPU_MS.value / share + API_WAIT_MS)
        + beats * (figures.REPORT_CPU_MS.value / share + API_WAIT_MS)
    ) / 1000
    yield Row(
        component="API, machines",
        limit="concurrency reserved",
        used=busy,
        most=stage.api_concurrency,
        how="computed",
    )


def _deployment(world: ScaleWorld, load: Load) -> Iterator[Row]:
    """What a run of minutes cannot show: a deployment replaces all sandboxes."""
    jobs, mix = load.rate_at(world.hub.now_ms) * world.slice.factor, load.mix
    from_s, until_s = _interval(world)
    messages = sum(
        world.meters.counts[f"messages {queue}"].mean(from_s, until_s) * world.slice.factor
        for queue in QueueName
    )
    yield Row(
        component="KMS Decrypt, first second of a deployment",
        limit="requests/s, quota",
        used=messages + jobs * mix.soon + jobs * (1 - mix.soon - mix.minutely) / API_BATCH,
        most=world.slice.stage.kms_quota,
        how="computed",
    )


def _reconciler(world: ScaleWorld) -> Row:
    """A cycle takes longer than a run of the model: its processor time decides, beside one read of the index
    and three batches of reads for each page."""
    config = world.slice.stage.config
    share = min(1.0, config.memory.sweeper / figures.MB_OF_ONE_CORE.value)
    page_ms = figures.latency("query_page") + 3 * figures.latency("batch_get")
    job_ms = figures.cpu("reconciled") / share + page_ms / RECONCILED_PAGE
    return Row(
        component="reconciler, from one cycle's begin to the end of the next",
        limit="seconds of coverage",
        used=figures.RECONCILE_SECONDS.value + figures.RECURRING.value / config.reconcilers * job_ms / 1000,
        most=COVERAGE_SECONDS,
        how="computed",
    )


def failures(rows: list[Row]) -> list[str]:
    """The rows that reach their bound."""
    return [f"{row.component}: {row.share:.0%} of {row.limit}" for row in rows if row.share >= row.bound]


def shown(rows: list[Row]) -> str:
    """The table, the fullest component first."""
    head = f"{'component':<42}{'first limit':<34}{'used':>10}{'limit':>10}{'share':>8}  how"
    return "\n".join([head, *(_line(row) for row in sorted(rows, key=lambda each: -each.share))])


def _line(row: Row) -> str:
    numbers = f"{row.used:>10,.1f}{row.most:>10,.0f}{row.share:>8.0%}"
    return f"{row.component:<42}{row.limit:<34}{numbers}  {row.how}"
