"""`make bench`: what jobs and requests cost, in units that AWS bills and in processor time.

python -m tests.bench [--part counted|measured|profile|laptop|lag|overview] [--transport http|boto3] [--save]

The counted figures must not rise above `counted.json`, which `--save` writes. Processor times have no limit:
compare the figures of one run with each other. The part `profile` shows where they go. The part `laptop` runs a
burst on the laptop stack: its counts must be those of the sizing, its seconds are shown beside them, and `--save`
writes `laptop.json`. The part `lag` shows how late calls begin on the laptop stack. The part `overview` counts what
the console's first page reads, and measures how soon it is there in a browser; `--save` writes `overview.json` and
`visits.json`. Every part prints the tables of docs/performance.md in Markdown.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from shared.names import Env, Transport
from tests.bench.cell import cell
from tests.bench.checked import checked, laptop_tables, save
from tests.bench.counted import Counted, Scenarios
from tests.bench.lag import lag_table, run_loads
from tests.bench.laptop import MachineTooSlowError, run_burst
from tests.bench.measured import Bench
from tests.bench.meter import Bill
from tests.bench.other_kinds import OtherKinds
from tests.bench.overview import fill, opened, overview_table
from tests.bench.overview import save as save_overview
from tests.bench.profiled import profile_tables, profiles, start_profiles
from tests.bench.tables import counted_table, lasted_table, measured_tables
from tests.bench.visits import save as save_visits
from tests.bench.visits import visited, visits_table
from tests.bench.workflow_runs import WorkflowScenarios
from tests.support.browser.chromium import NoBrowserError

PARTS = ("counted", "measured", "profile", "laptop", "lag", "overview")
SAVED = Path(__file__).with_name("counted.json")
TOLERANCE, SLACK = 1.05, 0.05
BY_TIME = ("lease_units", "dynamodb")
"""Leases of quotas are taken by the second, so that a slow machine makes more such requests for the same jobs."""


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
    if options.part == "laptop":
        return _run_laptop(saves=options.save)
    if options.part == "lag":
        return _run_lag()
    if options.part == "overview":
        return _open_overview(saves=options.save)
    if options.part == "profile":
        return _profile()
    return _measure() if options.part == "measured" else _count(saves=options.save)


def _count(*, saves: bool) -> int:
    with cell(counts_units=True) as made:
        rows = (Scenarios(made), OtherKinds(made), WorkflowScenarios(made))
        counted = [row for each in rows for row in each.rows()]
    _write(counted_table(counted))
    if saves:
        SAVED.write_text(json.dumps({row.name: _rounded(row.bill) for row in counted}, indent=2) + "\n")
    risen = risen_figures(counted)
    for line in risen:
        _write(line)
    return 1 if risen else 0


def _measure() -> int:
    with cell(counts_units=False) as made:
        bench = Bench(made)
        rows = [*bench.run(), *bench.pages(), *bench.cold_starts()]
        lasted = list(WorkflowScenarios(made).lasted())
    _write(measured_tables(rows))
    _write(lasted_table(lasted))
    return 0


def _profile() -> int:
    with cell(counts_units=False) as made:
        bench = Bench(made, has_loops=False)
        tables = profile_tables(list(profiles(bench)), list(start_profiles(bench)))
    _write(tables)
    return 0


def _run_laptop(*, saves: bool) -> int:
    try:
        run = run_burst(report=_write)
    except MachineTooSlowError as error:
        _write(str(error))
        return 1
    rows = checked(run)
    _write(laptop_tables(run, rows))
    if saves:
        save(run)
    wrong = [row.name for row in rows if row.is_wrong]
    for name in wrong:
        _write(f"{name}: the run has another count than the sizing")
    return 1 if wrong else 0


def _run_lag() -> int:
    try:
        _write(lag_table(run_loads(report=_write)))
    except MachineTooSlowError as error:
        _write(str(error))
        return 1
    return 0


def _open_overview(*, saves: bool) -> int:
    with cell(counts_units=True, archive_days=400) as made:
        fill(made)
        rows = opened(made)
        load = os.getloadavg()[0]
        try:
            visits, refusal = visited(made), ""
        except NoBrowserError as error:
            visits, refusal = [], f"not measured in a browser: {error}"
    _write(overview_table(rows))
    _write(visits_table(visits) if visits else refusal)
    _write(f"Load of the machine before the first visit: {load:.1f}.")
    if saves:
        save_overview(rows)
    if saves and visits:
        save_visits(visits)
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


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")


def _rounded(bill: Bill) -> dict[str, float]:
    return {name: round(figure, 3) for name, figure in asdict(bill).items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
