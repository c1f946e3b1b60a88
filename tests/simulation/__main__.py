"""Run seeds, and print a replay line for each that fails.

python -m tests.simulation [--seeds N] [--first SEED] [--trace]
"""

import argparse
import sys
import time

from rich.console import Console

from tests.simulation.run import Outcome, run_seed

console = Console(highlight=False, soft_wrap=True)


def main(arguments: list[str]) -> int:
    """0 when every promise held in every seed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--stop", action="store_true", help="stop at the first seed that fails")
    parser.add_argument("--trace", action="store_true", help="print the trace of the first fault's execution")
    options = parser.parse_args(arguments)
    begun, failed, calls = time.monotonic(), 0, 0
    for seed in range(options.first, options.first + options.seeds):
        outcome = run_seed(seed)
        calls += outcome.calls
        if outcome.faults:
            failed += 1
            _explain(outcome, with_trace=options.trace)
            if options.stop:
                break
    seconds = time.monotonic() - begun
    console.print(f"{options.seeds} seeds, {failed} failed, {calls} calls, {seconds:.0f} s")
    return 1 if failed else 0


def _explain(outcome: Outcome, *, with_trace: bool) -> None:
    console.print(f"seed {outcome.seed} ({outcome.trace_hash}): {outcome.faults[0]}", markup=False)
    console.print(
        f"  replay: python -m tests.simulation --first {outcome.seed} --seeds 1 --trace", markup=False
    )
    if with_trace:
        console.print(f"  {outcome.mix}", markup=False)
        for fault in outcome.faults[1:10]:
            console.print(f"  also: {fault}", markup=False)
        for line in outcome.trace:
            console.print(line, markup=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
