"""The sweeper: go over ended buckets until every row in them has ended, and re-send for rows that need it."""

from collections.abc import Callable

from shared.dataclass import dataclass
from shared.domain.bucket import (
    EVERY_SHARD,
    LEAST_COUNTS,
    ShardRange,
    bucket_of,
    bucket_start_ms,
    next_sweep_ms,
)
from shared.domain.errors import ServiceError
from shared.ports.dispatch import Backlog, LaneProgressStore, OpenShard, ShardLedger, ShardRecord, SweptMark
from shared.ports.limits import LimitStore
from shared.ports.runtime import Clock
from shared.usecases.filing.scanned_shards import ScannedShards
from shared.usecases.ticks.held_runs import HeldRuns
from shared.usecases.ticks.lane_snapshot import LaneSnapshot
from shared.usecases.ticks.measure_overdue import MeasureOverdue
from shared.usecases.ticks.sweep_pass import SweepReport
from shared.usecases.ticks.sweep_shard import SweepShard

FIRST_LOOK_BACK = 60
"""Minutes listed at least by the first sweep of a deployment, and again after a growth of the shard counts: a
put may precede the first sweep that knows its shard."""
LISTED_AT_ONCE = 600
"""Buckets that one run adds to the list at most: the sweeps of listed shards must not wait for a long list."""


@dataclass(frozen=True, slots=True)
class SweepBuckets:
    """One run of a sweeper; runs may overlap, crash or be missed. Each sweeper takes a part of the ledger."""

    sweep_shard: SweepShard
    ledger: ShardLedger
    progress: LaneProgressStore
    backlog: Backlog
    limits: LimitStore
    held_runs: HeldRuns
    clock: Clock
    scanned: ScannedShards

    def execute(
        self,
        has_time: Callable[[], bool] = lambda: True,
        part: ShardRange = EVERY_SHARD,
        ticked_at: int | None = None,
    ) -> SweepReport:
        """Sweep each open shard of this part whose next pass is due, until `has_time` is False.

        First passes come before repeated passes: they find what no watcher found. `ticked_at` is the time of the tick
        by the clock of EventBridge: no shard is closed that may still get rows by this clock, however far this
        process's own clock is ahead. An invocation by hand has none.
        """
        report = SweepReport()
        lanes = LaneSnapshot(self.progress, self.backlog, self.limits)
        report.open_breakers = lanes.open_breakers(self.clock.now_ms())
        measure = MeasureOverdue(lanes, self.held_runs)
        shards = self._open_shards(part, report, has_time)
        for shard in sorted(shards, key=lambda each: (each.passes > 0, each.bucket, each.shard)):
            if not has_time():
                break
            if shard.next_pass_at > self.clock.now_ms():
                continue
            try:
                lease = self.ledger.take_pass(shard, self.clock.now_ms())
                if lease is not None:
                    self.sweep_shard.execute(lease, lanes, measure, report, has_time, ticked_at)
            except ServiceError:
                report.unavailable += 1
        report.oldest_unclaimed_ms, report.oldest_waiting_ms = measure.result(self.clock.now_ms())
        return report

    def _open_shards(
        self, part: ShardRange, report: SweepReport, has_time: Callable[[], bool]
    ) -> list[OpenShard]:
        """The ledger's list, after adding the shards that no watcher ever opened.

        If adding fails, the listed shards are swept all the same; the next run adds the rest.
        """
        now_bucket = bucket_of(self.clock.now_ms())
        try:
            self._list_unopened(now_bucket, part, has_time)
        except ServiceError:
            report.unavailable += 1
        return self.ledger.open_before(now_bucket, part)

    def _list_unopened(self, now_bucket: int, part: ShardRange, has_time: Callable[[], bool]) -> None:
        """Add unlisted shards, bucket by bucket, and those whose first pass is late because a late put listed
        them.

        The first sweeper does it for all; each of the others takes over a minute later than the one before.
        The mark covers only the shards that were recorded when it moved: after a growth, the upper shards of
        earlier buckets are listed as well.
        """
        record = self.scanned.record()
        recorded = record.counts if record else LEAST_COUNTS
        plan = self.scanned.plan.grown_to(recorded)
        mark = self.ledger.swept_through()
        if mark is None:
            mark = SweptMark(bucket=_first_bucket(now_bucket, record) - 1, recorded=recorded)
        has_grown = not mark.recorded.covers(recorded)
        buckets = range(mark.bucket + 1 - has_grown * FIRST_LOOK_BACK, now_bucket)
        if len(buckets) <= part.index:
            return
        listed = {
            (shard.bucket, shard.shard)
            for shard in self.ledger.open_before(now_bucket)
            if shard.passes or shard.next_pass_at <= _first_pass_at(shard.bucket)
        }
        for bucket in buckets[:LISTED_AT_ONCE]:
            if not has_time():
                return
            known = mark.recorded if bucket <= mark.bucket else None
            for number in range(known.of(bucket) if known else 0, plan.counts_at(bucket).of(bucket)):
                if (bucket, number) not in listed:
                    self.ledger.list_shard(bucket, number, _first_pass_at(bucket))
            if known is None:
                self.ledger.note_swept_through(bucket, recorded)


def _first_pass_at(bucket: int) -> int:
    return next_sweep_ms(bucket, bucket_start_ms(bucket))


def _first_bucket(now_bucket: int, record: ShardRecord | None) -> int:
    """Where the first sweep begins: no sweep may have run since the first row was filed."""
    look_back = now_bucket - FIRST_LOOK_BACK
    if record is None or record.open_from is None:
        return look_back
    return min(look_back, record.open_from)
