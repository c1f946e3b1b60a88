"""Every function is struck, and a struck run that mends itself too late is a broken one."""

from importlib import import_module
from pathlib import Path

import pytest

from infra.local.state_dir import PROJECT_ROOT
from tests.crashes.__main__ import main
from tests.crashes.crash_points import CrashPoint
from tests.crashes.process_killer import WEIGHTS
from tests.crashes.scenario import Catalogue, Scenario
from tests.crashes.sweep import CATALOGUES, SCENARIOS, Run, Theatre, runs_of

UNHARMED_SECONDS, DELAY_SECONDS = 20, 60


class Played(Theatre):
    """Takes so long to mend what was struck, and breaks nothing else."""

    def __init__(self, recovery_seconds: float) -> None:
        self._recovery_seconds = recovery_seconds

    def run(self, scenario: Scenario, point: CrashPoint | None = None) -> Run:
        """See the theatre."""
        seconds = self._recovery_seconds if point else UNHARMED_SECONDS
        return Run(
            scenario=scenario,
            point=point,
            faults=[],
            calls=["PutItem"],
            is_struck=True,
            recovery_seconds=seconds,
        )


def test_every_entry_point_has_scenarios_and_is_hit_in_chaos() -> None:
    functions = {path.parent.name for path in (PROJECT_ROOT / "functions").glob("*/handler.py")}
    # The canary's functions are clients of the API, and the reader of the archive reads: they write nothing.
    functions -= {"canary_prober", "canary_receiver", "archive_reader"}
    assert {scenario.function for scenario in SCENARIOS} == functions
    assert set(WEIGHTS) == functions


def test_every_catalogue_of_the_folder_is_swept() -> None:
    modules = [
        import_module(f"tests.crashes.{path.stem}") for path in Path(__file__).parent.glob("*_scenarios.py")
    ]
    made = [
        (module.__name__, name, each)
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, Catalogue)
    ]
    assert made
    assert [(module, name) for module, name, each in made if each not in CATALOGUES] == []


def test_no_two_scenarios_of_a_function_share_a_name() -> None:
    names = [(scenario.function, scenario.name) for scenario in SCENARIOS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("recovery_seconds", "is_late"), [(80, False), (81, True)])
def test_run_that_recovers_too_late_is_broken(recovery_seconds: float, is_late: bool) -> None:
    scenario = Scenario(
        name="n", function="f", makes=frozenset(), act=lambda _: None, delay_seconds=DELAY_SECONDS
    )
    unharmed, *struck = runs_of(Played(recovery_seconds), scenario)
    assert unharmed.faults == []
    assert len(struck) == 4
    assert all(bool(run.faults) == is_late for run in struck)


def test_a_sweep_of_nothing_is_no_success() -> None:
    assert main(["sweep", "--only", "no such scenario"]) == 1
