"""Faults of whole designs that a mutant switches on here, since no single line of the product makes them."""

from dataclasses import replace

from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.executions.execution import Execution
from shared.ports.runtime import Clock
from shared.usecases.filing.file_successor import FileSuccessor

STALE_MS = 0
"""How far the scans of watchers and sweepers lag behind, as those of an index would."""
FROZEN = True
"""Whether a job keeps the shard counts of its revision."""


class TodaysCounts:
    """Computes a successor's shard from today's configuration."""

    def __init__(self, file_successor: FileSuccessor, plan: ShardPlan, clock: Clock) -> None:
        self._file_successor, self._plan, self._clock = file_successor, plan, clock

    def execute(self, execution: Execution) -> None:
        """File it where today's count says."""
        if execution.recurrence is not None:
            counts = self._plan.counts_at(bucket_of(self._clock.now_ms()))
            execution = replace(execution, recurrence=replace(execution.recurrence, counts=counts))
        self._file_successor.execute(execution)
