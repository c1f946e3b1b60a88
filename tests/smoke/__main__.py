"""`python -m tests.smoke <stage> [S2 S3 …]`: shows on AWS what emulators cannot, and the same on the emulator.

The stage `local` needs no account: the laptop stack starts and ends with the run.
"""

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from infra.deploy.account import UnansweredError
from infra.local.stack import local_stack
from infra.local.state_dir import LocalStackError
from infra.stage_files.values import StageFileError
from tests.smoke.catalogue import STEPS, Step, chosen
from tests.smoke.findings import Verdict
from tests.smoke.on_aws import aws_target
from tests.smoke.on_emulator import EmulatorTarget
from tests.smoke.report import as_json, as_text, summary
from tests.smoke.run import Run, check_bounds, check_kept
from tests.smoke.steps import s10_releases
from tests.smoke.world import SMALL, DeploymentTarget, Size, SmokeError

LOCAL = "local"


def main(arguments: Sequence[str]) -> int:
    """Return 0 if no step failed and each of them ran, and 1 otherwise."""
    options = parse(arguments)
    try:
        steps = chosen(options.steps)
        check_kept(steps, reuses=options.reuse)
        if options.plan:
            _say(*plan(steps))
            return 0
        with ExitStack() as exits:
            return _run(options, steps, exits)
    except (SmokeError, StageFileError, LocalStackError, UnansweredError) as error:
        _say(str(error))
        return 1


def _run(options: argparse.Namespace, steps: tuple[Step, ...], exits: ExitStack) -> int:
    target: DeploymentTarget
    if options.stage == LOCAL:
        folder = Path(exits.enter_context(TemporaryDirectory(prefix="punctual-smoke-")))
        running = local_stack(folder / "local", fresh=True, report=lambda line: _say(f"{line} …"))
        target = EmulatorTarget(exits.enter_context(running))
    else:
        check_bounds(steps, dollars=options.dollars)
        steps = _with_release(steps, options.previous)
        target = aws_target(options.stage, reuses=options.reuse)
        _say(f"Stage {options.stage} in account {target.account}, {target.stage.region}:", *plan(steps))
    small = options.stage == LOCAL or options.small
    run = Run(
        target,
        steps,
        SMALL if small else Size(),
        minutes=options.minutes,
        say=lambda findings: _say(*as_text(findings)),
    )
    found = run.execute()
    _say(summary(found))
    if options.json:
        written = as_json(options.stage, target.account, target.stage.region, found)
        options.json.write_text(written, encoding="utf-8")
    return 0 if all(each.verdict in (Verdict.PASSED, Verdict.NOT_SHOWN) for each in found) else 1


def _with_release(steps: tuple[Step, ...], previous: str | None) -> tuple[Step, ...]:
    """S10 with the release that it starts from; SmokeError if there is none, before anything is deployed."""
    return tuple(
        replace(step, on_world=partial(s10_releases.run, previous=s10_releases.release_before(previous)))
        if step.name == "S10"
        else step
        for step in steps
    )


def plan(steps: Sequence[Step]) -> list[str]:
    """What a run would do on AWS, how long it takes and what it costs, by estimates."""
    lines = [
        f"{step.name:<4}{step.title}: {step.passes_if} ({step.minutes:g} min, ${step.dollars:.2f})"
        for step in steps
    ]
    minutes, dollars = sum(step.minutes for step in steps), sum(step.dollars for step in steps)
    return [*lines, f"about {minutes:.0f} minutes and ${dollars:.2f} on AWS"]


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; SystemExit for options that cannot be obeyed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.smoke", description="Test a deployment on AWS.", allow_abbrev=False
    )
    parser.add_argument("stage", help="an unprotected stage of stages/, or local for the emulator")
    parser.add_argument(
        "steps", nargs="*", metavar="STEP", help=f"some of {STEPS[0].name} to {STEPS[-1].name}"
    )
    parser.add_argument(
        "--plan", action="store_true", help="show the steps and what they cost, and do nothing"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the report as JSON")
    parser.add_argument("--minutes", type=float, default=150, help="no step starts later; default 150")
    parser.add_argument("--dollars", type=float, default=2.0, help="the most that a run may cost; default 2")
    parser.add_argument(
        "--reuse",
        action="store_true",
        help="deploy over a stage that exists, and keep it: only the probe is deleted",
    )
    parser.add_argument(
        "--small", action="store_true", help="create few jobs and tenants, as on the emulator"
    )
    parser.add_argument(
        "--previous",
        metavar="RELEASE",
        help="the tag or commit that S10 upgrades from; by default, the latest tag before this commit",
    )
    return parser.parse_args(arguments)


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _interrupt(_number: int, _frame: object) -> None:
    """A cancelled job of a pipeline gets SIGINT, and SIGTERM a little later, while the teardown is at work."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def run_as_program(arguments: Sequence[str]) -> NoReturn:
    """Run with signals that lead to the teardown, and exit."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        sys.exit(main(arguments))
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. The stage was torn down if it had been deployed; see the report above.")


if __name__ == "__main__":
    run_as_program(sys.argv[1:])
