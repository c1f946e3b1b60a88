"""The herds as Markdown: a table, and plots that GitHub draws from Mermaid's text."""

from collections.abc import Sequence
from itertools import groupby

from tests.scale.herd import HerdRun

POINTS = 12
"""Of a plot."""


def herd_page(runs: Sequence[HerdRun]) -> str:
    """The table of all herds, and a plot for those of the same size."""
    plots = [_plot(title, list(group)) for title, group in groupby(runs, _title)]
    return "\n\n".join([_table(runs), *plots])


def _title(run: HerdRun) -> str:
    return run.herd.name.partition(":")[0]


def _kind(run: HerdRun) -> str:
    return run.herd.name.partition(": ")[2]


def _table(runs: Sequence[HerdRun]) -> str:
    head = "| herd | p50 | p99 | last call | executors | their seconds | their $ | writes/s | throttled |"
    rule = "|---" * 9 + "|"
    return "\n".join([head, rule, *map(_row, runs)])


def _row(run: HerdRun) -> str:
    lags = [f"{run.percentile_ms(share) / 1000:.1f} s" for share in (0.5, 0.99, 1)]
    used = [f"{run.executors:,}", f"{run.executor_seconds:,.0f}", f"{run.executor_dollars:.2f}"]
    counts = [*used, f"{run.writes:,.0f}", f"{run.throttled:,}"]
    return f"| {run.herd.name} | {' | '.join([*lags, *counts])} |"


def _plot(title: str, runs: Sequence[HerdRun]) -> str:
    """Percent of the calls that had begun, by second; the lines are in the order of the table."""
    longest = max(len(run.calls_by_second) for run in runs)
    every = max(1, -(-longest // POINTS))
    seconds = range(0, longest + every, every)
    lines = [f"  line [{', '.join(str(_begun(run, second)) for second in seconds)}]" for run in runs]
    text = [
        "```mermaid",
        "xychart-beta",
        f'  title "{title}: {", ".join(_kind(run).replace("`", "") for run in runs)}"',
        f'  x-axis "seconds after the first job is due" [{", ".join(map(str, seconds))}]',
        '  y-axis "% of calls begun" 0 --> 100',
        *lines,
        "```",
    ]
    return "\n".join(text)


def _begun(run: HerdRun, second: int) -> int:
    if not second:
        return 0
    shares = run.calls_by_second
    return round(100 * shares[min(second, len(shares)) - 1])
