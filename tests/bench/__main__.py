"""`make bench`: what jobs and requests cost, in units that AWS bills and in processor time.

python -m tests.bench [--part counted|measured] [--transport http|boto3] [--save]

The counted figures must not rise above `counted.json`, which `--save` writes. Processor times have no limit:
compare the figures of one run with each other.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from shared.names import Env, Transport
from tests.bench.cell import cell
from tests.bench.counted import Counted, Scenarios
from tests.bench.measured import Bench, Measured
from tests.bench.meter import FIELDS, Bill

PARTS = ("counted", "measured")
SAVED = Path(__file__).with_name("counted.json")
TOLERANCE, SLACK = 1.05, 0.05
BY_TIME = ("lease_units", "dynamodb")
"""Leases of quotas are taken by the second, so that a slow machine makes more such requests for the same jobs."""
_console = Console(width=120)


def main(arguments: list[str]) -> int:
    """Print the tables; 1 where a counted figure is above the saved one."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--part", choices=PARTS, help="one part only")
    parser.add_argument("--transport", choices=list(Transport), default=Transport.HTTP)
    parser.add_argument("--save", action="store_true", help="save the counted figures")
    options = parser.parse_args(arguments)
    os.environ[Env.TRANSPORT] = options.transport
    if options.part is None:
        # The handlers of a process belong to one cell.
        ends = [
            subprocess.run([sys.executable, "-m", "tests.bench", *arguments, "--part", part], check=False)
            for part in PARTS
        ]
        return max(end.returncode for end in ends)
    return _measure() if options.part == "measured" else _count(saves=options.save)


def _count(*, saves: bool) -> int:
    with cell(counts_units=True) as made:
        counted = list(Scenarios(made).rows())
    _console.print(_counted_table(counted))
    if saves:
        SAVED.write_text(json.dumps({row.name: _rounded(row.bill) for row in counted}, indent=2) + "\n")
    risen = risen_figures(counted)
    for line in risen:
        _console.print(line)
    return 1 if risen else 0


def _measure() -> int:
    with cell(counts_units=False) as made:
        bench = Bench(made)
        rows = [*bench.run(), *bench.pages(), *bench.cold_starts()]
    _console.print(_measured_table(rows))
    return 0


def risen_figures(counted: Iterable[Counted]) -> list[str]:
    """What is dearer than the saved figures say, or is not among them."""
    saved = json.loads(SAVED.read_text())
    lines = []
    for row in counted:
        known = saved.get(row.name)
        if known is None:
            lines.append(f"{row.name}: not saved yet; run with --save")
            continue
        for name, figure in asdict(row.bill).items():
            if name not in BY_TIME and figure > known[name] * TOLERANCE + SLACK:
                lines.append(f"{row.name}: {name} rose from {known[name]} to {figure:.3f}")
    return lines


def _rounded(bill: Bill) -> dict[str, float]:
    return {name: round(figure, 3) for name, figure in asdict(bill).items()}


def _counted_table(rows: list[Counted]) -> Table:
    table = Table(title="Cost per job, request or tick (counted on DynamoDB Local and ministack)")
    headings = ("", "write units", "of leases", "refused", "read units", "requests", "of SQS", "log bytes")
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left")
    for row in rows:
        figures = [getattr(row.bill, name) for name in FIELDS]
        table.add_row(row.name, *(f"{figure:.2f}" for figure in figures[:-1]), f"{figures[-1]:.0f}")
    return table


def _measured_table(rows: list[Measured]) -> Table:
    table = Table(title="Processor time (measured on ministack, beside loops over boto3)")
    for heading in ("", "product, µs", "first loop, µs", "ratio", "best loop, µs", "ratio"):
        table.add_column(heading, justify="right" if heading else "left")
    for row in rows:
        figures = (row.first_us, row.of_first, row.best_us, row.of_best)
        cells = (
            "" if figure is None else f"{figure:.{2 * (number % 2)}f}"
            for number, figure in enumerate(figures)
        )
        table.add_row(row.name, f"{row.product_us:.0f}", *cells)
    return table


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
