"""Break real processes and see whether a promise breaks.

python -m tests.crashes sweep [--only PATTERN]
python -m tests.crashes chaos [--minutes 10] [--seed N]
"""

import argparse
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console

from tests.crashes.chaos import run_chaos
from tests.crashes.grant_check import unused_grants
from tests.crashes.sweep import SCENARIOS, Run, runs_of, theatre

console = Console(highlight=False, soft_wrap=True, markup=False)
PATTERN_HELP = 'part of a line such as "executor makes-a-call [UpdateItem 1 killed before]"'


def main(arguments: list[str]) -> int:
    """0 when every promise held."""
    parser = argparse.ArgumentParser(prog="python -m tests.crashes")
    commands = parser.add_subparsers(dest="command", required=True)
    sweep = commands.add_parser("sweep", help="kill and deafen a worker at each AWS call of each handler")
    sweep.add_argument("--only", default="", metavar="PATTERN", help=PATTERN_HELP)
    chaos = commands.add_parser("chaos", help="kill and stop workers at random under load")
    chaos.add_argument("--minutes", type=float, default=10)
    chaos.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    # Whoever ends this ends everything that it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="crashes-") as root:
        if options.command == "sweep":
            return _sweep(Path(root), options.only)
        return _chaos(Path(root), options.minutes, options.seed)


def _sweep(root: Path, only: str) -> int:
    begun, points, broken = time.monotonic(), 0, 0
    scenario_text, _, point_text = only.partition("[")
    chosen = [each for each in SCENARIOS if scenario_text in f"{each.function} {each.name} "]
    if not chosen:
        console.print(f"no scenario is called {scenario_text}")
        return 1
    with theatre(root) as house:
        for scenario in chosen:
            runs = list(runs_of(house, scenario, point_text.rstrip("]")))
            points += sum(run.is_struck for run in runs)
            broken += sum(bool(run.faults) for run in runs)
            _tell(runs)
        unused = [] if only else unused_grants(house.used)
    console.print(f"{points} crash points, {broken} broke a promise, {time.monotonic() - begun:.0f} s")
    for grant in unused:
        console.print(f"  BROKEN no scenario uses the grant {grant}")
    return 1 if broken or unused or not points else 0


def _tell(runs: list[Run]) -> None:
    unharmed, struck = runs[0], runs[1:]
    scenario = unharmed.scenario
    points = sum(run.is_struck for run in struck)
    recovery_seconds = max((run.recovery_seconds for run in struck), default=0)
    console.print(
        f"{scenario.function:11} {scenario.name:58} {len(unharmed.calls):3} calls {points:4} points"
        f"  mended in {unharmed.recovery_seconds:5.0f} to {recovery_seconds:5.0f} s"
        f"  {sum(run.seconds for run in runs):4.0f} s"
    )
    for run in runs:
        for fault in run.faults:
            console.print(f"  BROKEN {run}: {fault}")


def _chaos(root: Path, minutes: float, seed: int) -> int:
    begun = time.monotonic()
    outcome = run_chaos(root, seconds=minutes * 60, seed=seed)
    lines = {
        "orders": f"{outcome.orders}, acknowledged {outcome.acknowledged}",
        "changes": _counted(outcome.changes),
        "reports": _counted(outcome.reports),
        "executions": _counted(outcome.executions),
        "failed though never refused": outcome.unheard,
        "calls": f"{outcome.calls.total()}, by attempt: {_counted(outcome.calls)}",
        "calls after a success": f"{outcome.again.total()}, by attempt: {_counted(outcome.again)}",
        "processes killed": f"{outcome.kills.total()}: {_counted(outcome.kills)}",
        "processes stopped": f"{outcome.stops.total()}: {_counted(outcome.stops)}",
        "chains mended": outcome.repaired_chains,
        "drained": f"in {outcome.drained_seconds:.0f} s of the run's clock",
    }
    for name, value in lines.items():
        console.print(f"{name:28} {value}")
    for fault in outcome.faults:
        console.print(f"  BROKEN {fault}")
    console.print(
        f"seed {seed}, {minutes:g} minutes, {len(outcome.faults)} broken promises, {time.monotonic() - begun:.0f} s"
    )
    return 1 if outcome.faults else 0


def _counted(counts: Counter[Any]) -> str:
    return ", ".join(f"{key} {count}" for key, count in sorted(counts.items(), key=lambda pair: str(pair[0])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
