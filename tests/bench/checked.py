"""What the sizing computes for the burst of `laptop.py`, beside what its run used."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from infra.concurrency import executors_of
from infra.sizing import figures
from infra.sizing.batches import batch_seconds, deviation_seconds
from infra.sizing.bursts import Burst
from infra.sizing.traffic import Item
from infra.sizing.usage import Execution, Kind
from infra.stages import local_stage
from shared.names import EXECUTOR_BATCH, QueueName
from tests.bench.laptop import BODY, LaptopRun

SAVED = Path(__file__).with_name("laptop.json")
RECEIVE_AND_DELETE = 2
"""Requests of an event source for each batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One figure, as the sizing computes it and as the run has it."""

    name: str
    computed: float
    run: float
    is_count: bool = True
    """Counts must be equal. Seconds differ with the machine and its load."""

    @property
    def is_wrong(self) -> bool:
        """Whether the run has another count."""
        return self.is_count and self.run != self.computed

    @property
    def difference(self) -> str:
        """Of the run from the computed figure: none of a count, or a share of seconds."""
        if self.is_count:
            return f"{self.run - self.computed:+g}" if self.is_wrong else "none"
        return f"{self.off:+.0%}"

    @property
    def off(self) -> float:
        """How far the run is from the computed figure, as a share of the latter."""
        return self.run / self.computed - 1


def checked(run: LaptopRun) -> list[Checked]:
    """All figures, in the order of the table."""
    return [*_counts(run), *_lags(run)]


def _counts(run: LaptopRun) -> Iterator[Checked]:
    """Whole numbers: how full the event source made its batches is the run's own."""
    size = len(json.dumps(BODY, separators=(",", ":")))
    execution = Execution(
        kind=Kind.DUE_SOON,
        item=Item(size),
        jobs_per_batch=run.jobs / run.batches,
        callback_ms=run.callback_ms,
    )
    for name, each, of_run in (
        ("write units of the executions table", execution.table_writes, run.table_writes),
        ("requests to SQS", execution.sqs_requests, run.sqs_requests + RECEIVE_AND_DELETE * run.batches),
        ("invocations of the API and of executors", execution.usage.lambda_requests, run.invocations),
    ):
        yield Checked(name=name, computed=round(run.jobs * each, 6), run=of_run)
    yield Checked(name="refused writes of the executions table", computed=0, run=run.refused)


def _lags(run: LaptopRun) -> Iterator[Checked]:
    """By the durations of calls, writes and processor time of this machine."""
    executors = executors_of(local_stage().lane_concurrency.of(QueueName.STANDARD))
    seconds = batch_seconds(
        EXECUTOR_BATCH,
        callback_ms=run.callback_ms,
        cpu_ms=run.cpu_ms,
        memory_mb=int(figures.MB_OF_ONE_CORE.value),
        wait_ms=0,
        writes_ms=run.writes_ms,
    )
    burst = Burst(
        first=executors,
        growth=1,
        most=executors,
        batch_seconds=seconds,
        deviation_seconds=deviation_seconds(EXECUTOR_BATCH, run.callback_ms),
    )
    for name, share, lag_ms in (("p50 of the lag, s", 0.5, run.p50_ms), ("last call, s", 1, run.last_ms)):
        computed = burst.seconds_until(share * run.jobs)
        yield Checked(name=name, computed=computed, run=lag_ms / 1_000, is_count=False)


def save(run: LaptopRun) -> None:
    """Keep the run for docs/performance.md, where a test compares it."""
    SAVED.write_text(json.dumps(asdict(run), indent=2) + "\n")


def saved_run() -> LaptopRun:
    """The run that docs/performance.md shows."""
    return LaptopRun(**json.loads(SAVED.read_text()))


def laptop_tables(run: LaptopRun, rows: Sequence[Checked]) -> str:
    """The figures in Markdown, and what was measured in the same run."""
    figures = ["| a burst on the laptop stack | computed | run | difference |", "|---|---|---|---|"]
    for row in rows:
        form = ",.0f" if row.is_count else ".1f"
        figures.append(f"| {row.name} | {row.computed:{form}} | {row.run:{form}} | {row.difference} |")
    inputs = ["| measured in this run | |", "|---|---|"]
    inputs += [
        f"| mean duration of a call | {run.callback_ms:.0f} ms |",
        f"| a claim and an outcome | {run.writes_ms:.0f} ms |",
        f"| processor time of executors a job | {run.cpu_ms:.1f} ms |",
        f"| jobs a batch | {run.jobs / run.batches:.2f} |",
    ]
    return "\n".join([*figures, "", *inputs])
