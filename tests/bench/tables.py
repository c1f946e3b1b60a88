"""The tables of docs/performance.md in Markdown, as `make bench` prints them."""

from collections.abc import Iterable, Sequence

from tests.bench.counted import Counted
from tests.bench.measured import Measured
from tests.bench.meter import FIELDS
from tests.bench.workflow_runs import Lasted

COUNTED = ("write units", "of leases", "refused", "read units", "requests", "of SQS", "log bytes")
START = "cold start"


def counted_table(rows: Iterable[Counted]) -> str:
    """Units for one job, request or tick."""
    lines = []
    for row in rows:
        *figures, log_bytes = (getattr(row.bill, name) for name in FIELDS)
        lines.append([row.name, *(f"{figure:.2f}" for figure in figures), f"{log_bytes:.0f}"])
    return markdown(["", *COUNTED], lines)


def lasted_table(rows: Iterable[Lasted]) -> str:
    """How long runs of workflows lasted, in milliseconds."""
    return markdown(
        ["a run", "tasks", "begin to end"],
        [[row.name, str(row.tasks), f"{row.milliseconds:,.0f} ms"] for row in rows],
    )


def measured_tables(rows: Sequence[Measured]) -> str:
    """Processor time of jobs in microseconds, and that of starts in milliseconds."""
    jobs = [row for row in rows if not row.name.startswith(START)]
    starts = [row for row in rows if row.name.startswith(START)]
    tables = [
        markdown(
            ["µs a job", "product", "first loop", "ratio", "best loop", "ratio"],
            [
                [
                    row.name,
                    f"{row.product_us:,.0f}",
                    _text(row.first_us, ",.0f"),
                    _text(row.of_first, ".2f"),
                    _text(row.best_us, ",.0f"),
                    _text(row.of_best, ".2f"),
                ]
                for row in jobs
            ],
        ),
        markdown(
            ["ms a start", "product", "naive imports", "ratio"],
            [
                [
                    row.name,
                    f"{row.product_us / 1_000:.0f}",
                    _text(row.first_us and row.first_us / 1_000, ".0f"),
                    _text(row.of_first, ".2f"),
                ]
                for row in starts
            ],
        ),
    ]
    return "\n\n".join(tables)


def _text(figure: float | None, form: str) -> str:
    return "" if figure is None else format(figure, form)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, ["---"] * len(heads), *rows])
