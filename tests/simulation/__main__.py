"""Run seeds, and print for each that fails how to see it again, and what happened to the execution in question.

python -m tests.simulation [--of SIMULATION] [--seeds N] [--first SEED] [--jobs N] [--stop] [--trace]
"""

import argparse
import os
import sys
import time
from collections import Counter

from rich.console import Console

from tests.simulation.explain import explain
from tests.simulation.faults import Strike
from tests.simulation.seeds import SIMULATIONS, run_seeds

console = Console(highlight=False, soft_wrap=True, markup=False)
TOLD_EVERY = 500
"""After so many seeds a long run says how far it is."""


def main(arguments: list[str]) -> int:
    """0 when every promise held in every seed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--of", choices=tuple(SIMULATIONS), help="only this simulation; by default all")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes; by default one a core")
    parser.add_argument("--stop", action="store_true", help="stop at the first seed that fails")
    parser.add_argument("--trace", action="store_true", help="print the whole trace of a failing seed too")
    options = parser.parse_args(arguments)
    simulations = [options.of] if options.of else list(SIMULATIONS)
    return max(_simulate(of, options) for of in simulations)


def _simulate(of: str, options: argparse.Namespace) -> int:
    begun, run, failed, calls = time.monotonic(), 0, 0, 0
    struck: Counter[Strike] = Counter()
    for outcome in run_seeds(range(options.first, options.first + options.seeds), options.jobs, of):
        run, calls, struck = run + 1, calls + outcome.calls, struck + outcome.struck
        if run % TOLD_EVERY == 0:
            console.print(f"{run} seeds of {of} so far, {failed} failed, {time.monotonic() - begun:.0f} s")
        if not outcome.faults:
            continue
        failed += 1
        for line in explain(outcome, whole=options.trace):
            console.print(line)
        if options.stop:
            break
    console.print(f"struck: {', '.join(f'{kind} {struck[kind]}' for kind in Strike)}")
    console.print(f"{run} seeds of {of}, {failed} failed, {calls} calls, {time.monotonic() - begun:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
