"""How late jobs start at steady rates, as Markdown: a table, and a plot that GitHub draws from Mermaid's text."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.scale.receivers import QUICK
from tests.scale.stage import LARGE
from tests.scale.steady import RATE, steady

RATES = (100, 300, 1_000, 3_000, 10_000)
MINUTES = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRun:
    """Lags are milliseconds from due to the start of the call, sorted. `busy` are executors of the whole stage."""

    rate: int
    lags: Sequence[int]
    busy: int
    keys_in_batch: float
    failures: Sequence[str]

    def percentile_ms(self, share: float) -> int:
        return self.lags[min(len(self.lags) - 1, int(len(self.lags) * share))]


def run_rate(rate: int) -> RateRun:
    """Run a steady load over as many shards as have about the same number of jobs at each rate."""
    shards = min(LARGE.shards, RATE // rate)
    run = steady(shards, MINUTES, rate=rate)
    found = RateRun(
        rate=rate,
        lags=sorted(run.world.receivers.lags["", QUICK]),
        busy=sum(run.busy().values()),
        keys_in_batch=run.world.executors.keys / run.world.executors.batches,
        failures=[f"{rate} jobs/s: calls began before their time"] if run.world.receivers.early else [],
    )
    run.world.close()
    return found


def rate_page(runs: Sequence[RateRun]) -> str:
    """The table and the plot."""
    rows = [
        f"| {run.rate:,} | {' | '.join(_ms(run, share) for share in (0.5, 0.9, 0.99))} "
        f"| {run.busy:,} | {run.keys_in_batch:.1f} |"
        for run in runs
    ]
    table = ["| jobs/s | p50 | p90 | p99 | executors | jobs a batch |", "|---" * 6 + "|", *rows]
    lines = [
        f"  line [{', '.join(str(run.percentile_ms(share)) for run in runs)}]" for share in (0.5, 0.9, 0.99)
    ]
    plot = [
        "```mermaid",
        "xychart-beta",
        '  title "p50, p90 and p99 of the lag"',
        f'  x-axis "jobs a second" [{", ".join(str(run.rate) for run in runs)}]',
        '  y-axis "ms" 0 --> 1000',
        *lines,
        "```",
    ]
    return "\n".join([*table, "", *plot])


def _ms(run: RateRun, share: float) -> str:
    return f"{run.percentile_ms(share)} ms"
