"""How long the calls of a burst take to begin: the growth of an event source, and the duration of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

from infra.concurrency import BATCHES_PER_POLLER
from infra.config import StageConfig
from infra.sizing import figures
from infra.sizing.batches import batch_seconds, deviation_seconds
from infra.sizing.traffic import Traffic
from shared.names import EXECUTOR_BATCH, QueueName

GROWTH = {True: figures.PROVISIONED_PER_MINUTE.value / 60, False: figures.POLLERS_PER_MINUTE.value / 60}
"""More concurrent batches of an event source each second while messages wait: with provisioned pollers, and without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """A lane that is idle for a burst, whose messages wait in full batches and carry one job each.

    `first` batches begin at the instant of the burst, `growth` more each second, up to `most` at a time.
    """

    first: float
    growth: float
    most: float
    batch_seconds: float
    deviation_seconds: float
    """The standard deviation of the duration of a batch."""

    @classmethod
    def on(cls, stage: StageConfig, traffic: Traffic) -> Burst:
        """The standard lane, without the executors that the steady rate keeps busy."""
        source = stage.lane_concurrency.of(QueueName.STANDARD)
        is_provisioned = not isinstance(source, int)
        most = source if isinstance(source, int) else source.maximum * BATCHES_PER_POLLER
        first = (
            figures.POLLERS_FIRST.value if isinstance(source, int) else source.minimum * BATCHES_PER_POLLER
        )
        memory_mb = stage.memory.of_executor(QueueName.STANDARD)
        busy = traffic.jobs_per_second / traffic.job_size.executor_jobs(memory_mb)
        return cls(
            first=max(0.0, min(first, most) - busy),
            growth=GROWTH[is_provisioned],
            most=max(0.0, most - busy),
            # The messages of a burst are due when they are received: no executor waits for their time.
            batch_seconds=batch_seconds(
                EXECUTOR_BATCH, callback_ms=traffic.callback_ms, memory_mb=memory_mb, wait_ms=0
            ),
            deviation_seconds=deviation_seconds(EXECUTOR_BATCH, traffic.callback_ms),
        )

    def seconds_until(self, jobs: float) -> float:
        """From the instant of the burst until the calls of `jobs` have begun; infinite where none can begin."""
        if jobs <= EXECUTOR_BATCH * self.first:
            return 0
        if self.most <= 0:
            return inf
        # Batches that have begun by t: those of now, first + growth t, and those before, (first t + growth t²/2) / s,
        # less the part of a batch by which each executor's further batches are later than at a steady rate.
        batches, s, kept = jobs / EXECUTOR_BATCH, self.batch_seconds, 1 - self._late_share
        linear = kept * self.growth + self.first / s
        seconds = (sqrt(linear**2 + 2 * self.growth / s * (batches - kept * self.first)) - linear) / (
            self.growth / s
        )
        full = (self.most - self.first) / self.growth
        if seconds <= full:
            return seconds
        begun = kept * self.most + (self.first + self.most) / 2 * full / s
        return full + max(0, batches - begun) * s / self.most

    @property
    def _late_share(self) -> float:
        """The share of a batch by which the next batch of an executor is late in the mean, by renewal theory.

        An executor's first batch begins with the burst, and not somewhere in the middle, as at a steady rate.
        """
        return (1 - (self.deviation_seconds / self.batch_seconds) ** 2) / 2
