"""Search every model in every size, then show the shortest way in which each fault breaks a promise.

python -m tests.models [--small]
"""

import argparse
import sys
import time
from typing import Any

from rich.console import Console

from tests.models import attempt_world, chain_change_world, chain_world, filing_world
from tests.models.configurations import (
    ATTEMPTS,
    CHAIN,
    CHANGES,
    FILING,
    LARGE,
    Models,
    flawed_attempts,
    flawed_chain,
    flawed_change,
    flawed_filing,
)
from tests.models.explorer import Model, explore

console = Console(highlight=False, soft_wrap=True, markup=False)


def main(arguments: list[str]) -> int:
    """0 when no promise can be broken, and every fault breaks one."""
    parser = argparse.ArgumentParser(prog="python -m tests.models")
    parser.add_argument("--small", action="store_true", help="leave the large sizes out")
    options = parser.parse_args(arguments)
    models = {
        **_named("attempts", ATTEMPTS),
        **_named("filing", FILING),
        **_named("chain", CHAIN),
        **_named("changes", CHANGES),
        **({} if options.small else _named("large", LARGE)),
    }
    flawed: dict[str, Model[Any]] = {
        **{flaw.value: flawed_attempts(flaw) for flaw in attempt_world.Flaw},
        **{flaw.value: flawed_filing(flaw) for flaw in filing_world.Flaw},
        **{flaw.value: flawed_chain(flaw) for flaw in chain_world.Flaw},
        **{flaw.value: flawed_change(flaw) for flaw in chain_change_world.Flaw},
    }
    broken = sum(_search(name, models) for name in models)
    survived = sum(not _search(name, flawed) for name in flawed)
    console.print(f"{len(models) - broken} of {len(models)} models hold")
    console.print(f"{len(flawed) - survived} of {len(flawed)} faults break a promise")
    return 1 if broken or survived else 0


def _named(kind: str, models: Models) -> Models:
    return {f"{kind}: {name}": model for name, model in models.items()}


def _search(name: str, models: Models) -> bool:
    """Whether a promise broke."""
    begun = time.monotonic()
    found = explore(models[name])
    seconds = time.monotonic() - begun
    console.print(f"{name}: {found.states} states, {found.steps} steps, {seconds:.1f} s")
    if found.fault is not None:
        console.print(f"{found.fault}\n")
    return found.fault is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
