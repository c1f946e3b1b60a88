"""Two drills from the fault to the last job, with the commands of their pages. Each minute is one round of ticks."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.stack import LocalStack
from tests.drills.catalogue import DRILLS
from tests.drills.drill import Drill
from tests.drills.judge import verdict
from tests.drills.laptop import Laptop
from tests.drills.operators import Automatic, variables
from tests.drills.runner import run, what_is_left
from tests.drills.stage_watch import watch_of
from tests.drills.watch import Watch
from tests.support.documents.aws_command import AwsCommand
from tests.support.documents.runbooks import OperatorShell
from tests.support.slowdown import STARVED, Slowdown

pytestmark = [pytest.mark.integration, pytest.mark.engines]

WAIT = 4


@pytest.fixture
def laptop(stack: LocalStack, tmp_path: Path) -> Iterator[Laptop]:
    running = Laptop(stack, tmp_path, delays=(1, 3), seconds=1)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables(stack).items():
            patch.setitem(os.environ, name, value)
        yield running
    running.end()
    for rule in stack.client("events").list_rules()["Rules"]:
        stack.client("events").enable_rule(Name=rule["Name"])


def rounds(laptop: Laptop, watch: Watch) -> Iterator[int]:
    """Minutes that last only as long as their ticks."""
    while True:
        laptop.stack.tick()
        laptop.collector.collect()
        yield laptop.metrics.minute
        watch.publish(laptop.stack.client("cloudwatch"))
        laptop.metrics.minute += 1


@pytest.mark.parametrize("name", ["ticks-stopped", "dead-messages"])
def test_drill_is_healed_by_its_page_alone(
    laptop: Laptop, tmp_path: Path, slowdown: Slowdown, name: str
) -> None:
    began_at = time.time()
    drill, lines = DRILLS[name], list[str]()
    watch = watch_of(laptop.stack, drill, laptop.metrics, lines.append)
    minutes = rounds(laptop, watch)

    class Hesitant(Automatic):
        """Waits for longer than the alarm's window, and then follows the page."""

        def act(self, drill: Drill) -> None:
            for _ in range(WAIT):
                next(minutes)
                watch.evaluate(drill.signals)
            assert what_is_left(drill, laptop, watch), lines
            super().act(drill)

    shell = OperatorShell(AwsCommand(laptop.stack.endpoint, {}), tmp_path)
    operator = Hesitant(laptop=laptop, shell=shell, say=lines.append)
    assert run(drill, laptop, watch, operator, minutes, lines.append) == [], lines
    laptop.rest()
    slowest = slowdown.since(began_at)
    # On a starved machine a worker may outlive its lease, and once more when it tries again.
    assert verdict(laptop, lines.append, stalls=int(slowest) if slowest > STARVED else 0) == [], lines
