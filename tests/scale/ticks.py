"""Watchers and sweepers: a tick a minute for each range, at offsets of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from shared.bootstrap.use_cases import UseCases
from shared.domain.bucket import FIRST_SWEEP_MS, MINUTE_MS, ShardRange, bucket_end_ms
from tests.scale.machines import Machine
from tests.scale.stage import START_MS

if TYPE_CHECKING:
    from tests.scale.world import ScaleWorld

SWEEPER_STOP_MS = 100_000
"""`STOP_BEFORE_END_MS` before the timeout of the sweeper."""

WORST_OFFSET_MS = FIRST_SWEEP_MS - 5_000
"""A sweeper that has read its list just before the first pass of a bucket is due: the pass waits for the next
tick."""


class Ticks:
    """Starts the runs, and notes how long each took."""

    def __init__(self, world: ScaleWorld) -> None:
        self._world = world
        self.runs: dict[str, list[float]] = {"watcher": [], "sweeper": []}
        """Milliseconds of each run since the measurement began, with all shards of its range."""
        self.first_passes: dict[tuple[int, int], float] = {}
        """Milliseconds from the end of a bucket to the end of a shard's first pass."""
        self._is_measured = False
        self._measured_from = 1 << 60

    def begin(self) -> None:
        self._is_measured = True
        self._measured_from = int(self._world.hub.now_ms) // MINUTE_MS

    def start(self) -> None:
        part = self._world.slice
        for index in range(part.watchers):
            self._start(
                "watcher", part.stage.memory.watcher, self._watch, ShardRange(index=index, of=part.watchers)
            )
        for index in range(part.sweepers):
            self._start(
                "sweeper", part.stage.memory.sweeper, self._sweep, ShardRange(index=index, of=part.sweepers)
            )

    def _start(
        self, kind: str, memory_mb: int, run: Callable[[UseCases, ShardRange], None], part: ShardRange
    ) -> None:
        world = self._world
        factor = world.slice.watcher_factor if kind == "watcher" else world.slice.sweeper_factor
        offset_ms = WORST_OFFSET_MS if kind == "sweeper" else world.rng.randint(0, MINUTE_MS - 1)
        idle: list[tuple[Machine, UseCases]] = []

        def invoke() -> None:
            if idle:
                machine, cases = idle.pop()
            else:
                machine = world.machine(memory_mb)
                cases = world.use_cases(machine)
            began_ms, fixed_ms = world.hub.now_ms, machine.fixed_ms
            is_measured = self._is_measured
            run(cases, part)
            if is_measured:
                fixed_ms = machine.fixed_ms - fixed_ms
                self.runs[kind].append(fixed_ms + (world.hub.now_ms - began_ms - fixed_ms) * factor)
            idle.append((machine, cases))

        def tick() -> None:
            world.hub.spawn(invoke)
            world.hub.spawn(tick, world.hub.now_ms + MINUTE_MS)

        world.hub.spawn(tick, START_MS + offset_ms)

    def _watch(self, cases: UseCases, part: ShardRange) -> None:
        cases.ticks.watch_buckets.execute(part)

    def _sweep(self, cases: UseCases, part: ShardRange) -> None:
        hub, until_ms = self._world.hub, self._world.hub.now_ms + SWEEPER_STOP_MS
        cases.ticks.sweep_buckets.execute(lambda: hub.now_ms < until_ms, part)

    def note_passes(self) -> None:
        """Look at the ledger each second: which shards have had their first pass."""
        world = self._world

        def look() -> None:
            now_ms = world.hub.now_ms
            ended = int(now_ms) // MINUTE_MS
            for bucket in range(max(ended - 6, self._measured_from), ended):
                for shard in range(world.slice.shards):
                    row = world.ledger.rows.get((bucket, shard))
                    if (bucket, shard) not in self.first_passes and (row is None or row.passes):
                        self.first_passes[bucket, shard] = now_ms - bucket_end_ms(bucket)
            world.hub.spawn(look, now_ms + 1000)

        world.hub.spawn(look)
