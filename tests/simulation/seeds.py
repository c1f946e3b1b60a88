"""Many seeds in several processes, in order, each exactly as when it is run alone."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from typing import Final

from tests.simulation.calendar_run import CALENDARS, run_calendars
from tests.simulation.run import JOBS, Outcome, run_seed
from tests.simulation.trigger_run import TRIGGERS, run_triggers
from tests.simulation.workflow_run import WORKFLOWS, run_workflows

SEEDS_OF_A_WORKER = 100
"""Workers are replaced after so many seeds on average, which bounds the memory of long runs."""


SIMULATIONS: Final[Mapping[str, Callable[[int], Outcome]]] = {
    JOBS: run_seed,
    TRIGGERS: run_triggers,
    CALENDARS: run_calendars,
    WORKFLOWS: run_workflows,
}


def run_seeds(seeds: range, jobs: int, of: str = JOBS) -> Iterator[Outcome]:
    """The outcomes in the order of the seeds. Whoever stops listening stops the rest."""
    if jobs == 1:
        yield from map(partial(outcome_of, of=of), seeds)
        return
    block = jobs * SEEDS_OF_A_WORKER
    for start in range(0, len(seeds), block):
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            futures = [pool.submit(outcome_of, seed, of) for seed in seeds[start : start + block]]
            try:
                for future in futures:
                    yield future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


def outcome_of(seed: int, of: str = JOBS) -> Outcome:
    """One seed; its trace is kept only where it will be looked at."""
    outcome = SIMULATIONS[of](seed)
    return outcome if outcome.faults else replace(outcome, trace=None)
