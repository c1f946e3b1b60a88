"""`make scale`: run the scale model and print its tables. `--fast` runs a shorter, smaller one."""

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from infra.sizing.figures import all_figures
from tests.scale.hostile import hostile_result
from tests.scale.minute import million_result
from tests.scale.steady import Result, steady_result
from tests.scale.table import shown

FAST_MINUTES = 1.2
Scenario = Callable[[], Result]


def scenarios(*, is_fast: bool) -> list[Scenario]:
    """The longest one first: the others share the second process."""
    if is_fast:
        return [partial(steady_result, 1, FAST_MINUTES)]
    return [partial(steady_result, 1, 10), partial(hostile_result, 1), partial(million_result, 1)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.scale", description=__doc__)
    parser.add_argument("--fast", action="store_true", help="the steady load for a minute")
    parser.add_argument(
        "--figures", action="store_true", help="print the figures and their sources, and stop"
    )
    arguments = parser.parse_args()
    if arguments.figures:
        for name, figure in all_figures().items():
            _write(f"{name:<28}{figure.value:>10g}  {figure.source:<11}{figure.note}")
        return 0
    with ProcessPoolExecutor(max_workers=2) as pool:
        running = [pool.submit(scenario) for scenario in scenarios(is_fast=arguments.fast)]
        results = [each.result() for each in running]
    for result in results:
        _print(result)
    return 1 if any(result.failures for result in results) else 0


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")


def _print(result: Result) -> None:
    _write(f"\n{result.name}\n\n{shown(result.rows)}\n")
    _write("\n".join(result.facts))
    _write("\n".join(f"BROKEN: {failure}" for failure in result.failures) or "all bounds hold")


if __name__ == "__main__":
    sys.exit(main())
