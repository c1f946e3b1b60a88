"""`make scale`: run the scale model and print its tables. `--fast` runs a shorter, smaller one, `--herds` jobs that
are due at once, `--rates` several steady rates, `--archive` the archive of a year and of ten million executions."""

import argparse
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TypeVar

from infra.sizing.figures import all_figures
from tests.scale.archive import archive_page, archive_runs
from tests.scale.herd import HERDS, HerdRun, run_herd
from tests.scale.herd_report import herd_page
from tests.scale.hostile import hostile_result
from tests.scale.minute import million_result
from tests.scale.rates import RATES, RateRun, rate_page, run_rate
from tests.scale.steady import Result, steady_result
from tests.scale.table import shown

FAST_MINUTES = 1.2
S = TypeVar("S")
R = TypeVar("R", HerdRun, RateRun)
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
    parser.add_argument("--herds", action="store_true", help="herds, as the page docs/scale.md shows them")
    parser.add_argument(
        "--rates", action="store_true", help="steady rates, as the page docs/scale.md shows them"
    )
    parser.add_argument(
        "--archive", action="store_true", help="the archive: minutes, questions and cost, as Markdown"
    )
    arguments = parser.parse_args()
    if arguments.figures:
        for name, figure in all_figures().items():
            _write(f"{name:<28}{figure.value:>10g}  {figure.source:<11}{figure.note}")
        return 0
    if arguments.herds:
        return _run_page(run_herd, HERDS, herd_page)
    if arguments.rates:
        return _run_page(run_rate, RATES, rate_page)
    if arguments.archive:
        return _run_archive()
    with ProcessPoolExecutor(max_workers=2) as pool:
        running = [pool.submit(scenario) for scenario in scenarios(is_fast=arguments.fast)]
        results = [each.result() for each in running]
    for result in results:
        _print(result)
    return 1 if any(result.failures for result in results) else 0


def _run_page(run: Callable[[S], R], subjects: Sequence[S], page: Callable[[Sequence[R]], str]) -> int:
    with ProcessPoolExecutor(max_workers=2) as pool:
        runs = list(pool.map(run, subjects))
    return _tell_page(page(runs), [failure for run in runs for failure in run.failures])


def _run_archive() -> int:
    runs = archive_runs()
    return _tell_page(archive_page(runs), [fault for run in runs for fault in run.found.faults])


def _tell_page(page: str, failures: Sequence[str]) -> int:
    _write(page)
    _write("\n".join(f"BROKEN: {failure}" for failure in failures) or "\nall bounds hold")
    return 1 if failures else 0


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")


def _print(result: Result) -> None:
    _write(f"\n{result.name}\n\n{shown(result.rows)}\n")
    _write("\n".join(result.facts))
    _write("\n".join(f"BROKEN: {failure}" for failure in result.failures) or "all bounds hold")


if __name__ == "__main__":
    sys.exit(main())
