"""Many seeds at once are the same seeds; a failing one says what to look at."""

import re
from unittest.mock import patch

import pytest

from tests.simulation import __main__ as command
from tests.simulation import run
from tests.simulation.explain import explain
from tests.simulation.faults import FaultMix
from tests.simulation.run import Outcome, run_seed
from tests.simulation.seeds import run_seeds
from tests.simulation.verdicts import Fault, Verdict
from tests.simulation.world import World
from tests.support.fakes import claimer

FAILING = {1, 3}


def planted(seed: int) -> Outcome:
    """A run in which every claim is granted."""
    with patch.object(claimer, "_is_claimable", lambda row, *_: row.execution.has_attempts_left):
        return run_seed(seed, FaultMix(double_message=0.5))


def test_several_processes_give_the_same_outcomes_in_the_same_order() -> None:
    seeds = range(4)
    together = list(run_seeds(seeds, jobs=2))
    alone = [run_seed(seed) for seed in seeds]
    assert [one.seed for one in together] == list(seeds)
    assert [one.trace_hash for one in together] == [one.trace_hash for one in alone]
    assert [one.struck for one in together] == [one.struck for one in alone]


def test_command_runs_every_simulation_unless_it_is_told_which(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command.console, "file", None)
    assert command.main(["--seeds", "1", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert re.findall(r"^1 seeds of (\w+), 0 failed", printed, re.MULTILINE) == [
        "jobs",
        "triggers",
        "calendars",
        "workflows",
    ]


def test_a_run_leaves_nothing_behind_that_still_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds: list[World] = []

    def recorded(seed: int, mix: FaultMix | None, **kinds: bool) -> World:
        worlds.append(World(seed, mix, **kinds))
        return worlds[-1]

    monkeypatch.setattr(run, "World", recorded)
    assert run_seed(2).calls > 0
    assert [world.hub.sleepers for world in worlds] == [0]


def test_a_failing_seed_prints_how_to_see_it_again_and_the_trace_of_that_one_execution() -> None:
    outcome = planted(1)
    first = outcome.faults[0]
    assert first.execution_id is not None
    lines = list(explain(outcome, whole=False))
    assert lines[0].startswith(f"seed 1 ({outcome.trace_hash}): ")
    assert lines[1].strip() == "replay: python -m tests.simulation --of jobs --first 1 --seeds 1 --trace"
    steps = [line for line in lines if re.match(r" *\d+ ", line)]
    about = [step for step in steps if first.execution_id in step]
    assert any("attempt 1 calls" in step for step in about)
    assert any("ExecutionStore.put_if_absent" in step for step in about)
    named = (first.execution_id.removeprefix("exe_"), str(first.job_id), "crashed", "frozen", "woke")
    assert all(any(name in step for name in named) for step in steps)
    assert outcome.trace is not None
    assert len(steps) < len(outcome.trace.lines) / 5


def test_the_whole_trace_follows_where_it_is_asked_for() -> None:
    outcome = planted(1)
    assert outcome.trace is not None
    lines = list(explain(outcome, whole=True))
    assert lines[-len(outcome.trace.lines) :] == [str(line) for line in outcome.trace.lines]


@pytest.mark.parametrize(("stop", "seeds_run"), [(True, 2), (False, 5)])
def test_the_command_stops_at_the_first_failing_seed_only_where_it_shall(
    stop: bool, seeds_run: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean = run_seed(0)
    monkeypatch.setattr(command.console, "file", None)

    def outcomes(seeds: range, jobs: int, of: str) -> list[Outcome]:
        assert of == "jobs"
        return [_failed(clean, seed) if seed in FAILING else clean for seed in seeds]

    monkeypatch.setattr(command, "run_seeds", outcomes)
    assert command.main(["--of", "jobs", "--seeds", "5", *(["--stop"] if stop else [])]) == 1
    printed = capsys.readouterr().out
    assert re.findall(r"^seed (\d)", printed, re.MULTILINE) == (["1"] if stop else ["1", "3"])
    assert printed.splitlines()[-1].startswith(f"{seeds_run} seeds of jobs, {1 if stop else 2} failed")


def _failed(clean: Outcome, seed: int) -> Outcome:
    fault = Fault(verdict=Verdict.LOST, text="planted")
    return Outcome(
        seed=seed,
        faults=[fault],
        mix=clean.mix,
        trace=clean.trace,
        trace_hash=clean.trace_hash,
        sends=0,
        calls=0,
        struck=clean.struck,
    )
