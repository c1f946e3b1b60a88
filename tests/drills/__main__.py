"""Exercises for operators: break a laptop stack, see the alarm, follow the runbook, be healed.

python -m tests.drills [NAME] [--auto | --without-act MINUTES]
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from rich.console import Console

from infra.local.progress import progress
from tests.drills.catalogue import DRILLS
from tests.drills.drill import Drill
from tests.drills.judge import verdict
from tests.drills.laptop import Laptop, laptop
from tests.drills.operators import Absent, Automatic, Person, variables
from tests.drills.runner import Operator, run
from tests.drills.stage_watch import watch_of
from tests.drills.watch import Watch
from tests.support.documents.aws_command import AwsCommand
from tests.support.documents.runbooks import OperatorShell

MINUTE_SECONDS = 60.0
console = Console(highlight=False, soft_wrap=True, markup=False)


def main(arguments: list[str]) -> int:
    """0 if the fault was seen and is healed, and no job was lost or doubled."""
    options = _parse(arguments)
    if not options.name:
        for drill in DRILLS.values():
            console.print(f"{drill.name:20} {drill.minutes:3} min  {drill.summary}")
        return 0
    if options.name not in DRILLS:
        console.print(f"no drill is called {options.name}; the drills are {', '.join(DRILLS)}")
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="drill-") as root:
        faults = _drill(DRILLS[options.name], Path(root), options)
    for fault in faults:
        say(f"BROKEN {fault}")
    say(f"{options.name}: {'FAILED' if faults else 'done'} in {(time.monotonic() - begun) / 60:.1f} min")
    return 1 if faults else 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.drills")
    parser.add_argument("name", nargs="?", help="without a name, the drills are listed")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--auto", action="store_true", help="run the commands of the page as well")
    how.add_argument(
        "--without-act", type=int, metavar="MINUTES", help="wait, to see that it does not heal by itself"
    )
    return parser.parse_args(arguments)


def _drill(drill: Drill, root: Path, options: argparse.Namespace) -> list[str]:
    with ExitStack() as exits:
        with progress(console) as report:
            running = exits.enter_context(laptop(root, report))
        os.environ |= variables(running.stack)
        automatic = Automatic(
            laptop=running, shell=OperatorShell(AwsCommand(running.stack.endpoint, {}), root), say=say
        )
        watch = watch_of(running.stack, drill, running.metrics, say)
        ended = minutes(running, watch)
        faults = run(drill, running, watch, _operator(options, automatic, root), ended, say)
        running.rest()
        if drill.afterwards:
            automatic.follow(drill, *drill.afterwards)
        return faults if faults else verdict(running, say)


def _operator(options: argparse.Namespace, automatic: Automatic, root: Path) -> Operator:
    if options.without_act is not None:
        return Absent(minutes=options.without_act)
    return automatic if options.auto else Person(laptop=automatic.laptop, folder=root, say=say)


def minutes(running: Laptop, watch: Watch) -> Iterator[int]:
    """The minutes of this machine's clock, as they end; the first one is short."""
    while True:
        time.sleep(MINUTE_SECONDS - time.time() % MINUTE_SECONDS)
        running.collector.collect()
        yield running.metrics.minute
        watch.publish(running.stack.client("cloudwatch"))
        running.metrics.minute += 1


def say(line: str) -> None:
    console.print(f"{time.strftime('%H:%M:%S')}  {line}")


def _stop(_number: int, _frame: FrameType | None) -> None:
    """End the drill once; further signals must not interrupt the cleanup."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(130)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
