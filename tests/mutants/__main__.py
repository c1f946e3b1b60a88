"""`make mutants`: plant each fault in a copy of the sources, and see which suite dies of it.

python -m tests.mutants [--jobs N] [NAME ...]
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console

from tests.mutants.catalogue import MUTANTS
from tests.mutants.killing import failure_without_mutants, kill
from tests.mutants.mutant import SIMULATION, Mutant

console = Console(highlight=False, soft_wrap=True, markup=False)


def main(arguments: list[str]) -> int:
    """0 when every mutant died."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("names", nargs="*", help="only mutants whose name contains one of these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at once; by default one a core")
    options = parser.parse_args(arguments)
    chosen = [
        mutant
        for mutant in MUTANTS
        if not options.names or any(name in mutant.name for name in options.names)
    ]
    _check_killers(chosen, options.jobs)
    with ThreadPoolExecutor(options.jobs) as pool:
        deaths = []
        for death in pool.map(kill, chosen):
            console.print(str(death))
            deaths.append(death)
    died = sum(death.died for death in deaths)
    console.print(f"{died} of {len(chosen)} mutants died")
    return 0 if died == len(chosen) else 1


def _check_killers(chosen: list[Mutant], jobs: int) -> None:
    """Every suite has to pass before anything is planted: one that fails by itself would seem to kill everything."""
    killers = sorted({mutant.killer for mutant in chosen} - {SIMULATION})
    output = failure_without_mutants(killers, jobs)
    if output is not None:
        console.print(output)
        raise SystemExit("a suite fails without any mutant")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
