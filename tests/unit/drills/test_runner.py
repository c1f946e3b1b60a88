"""A drill is done when the fault was seen and is healed; here on a stack that is a dictionary."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from shared.names import METRICS_NAMESPACE
from tests.drills.drill import Drill
from tests.drills.laptop import Laptop
from tests.drills.metrics import Metrics
from tests.drills.operators import Absent
from tests.drills.runner import BREAK_MINUTES, run
from tests.drills.watch import Watch, graph
from tests.support.cloudwatch import Key

TICK: Key = (METRICS_NAMESPACE, "WatcherTick", (("service", "watcher"), ("stage", "local")))
HEARTBEAT = graph(TICK, "Sum", 1) | {
    "AlarmName": "punctual-local-WatcherHeartbeat",
    "ComparisonOperator": "LessThanThreshold",
    "EvaluationPeriods": 3,
    "DatapointsToAlarm": 3,
    "TreatMissingData": "breaching",
}


@dataclass
class FakeLaptop:
    """A stack with a tick in each minute, unless it is broken."""

    metrics: Metrics = field(default_factory=Metrics)
    is_broken: bool = False
    late: list[str] = field(default_factory=list)

    def overdue(self) -> list[str]:
        return self.late

    def minutes(self) -> Iterator[int]:
        while True:
            if not self.is_broken:
                self.metrics.add(TICK, [1])
            yield self.metrics.minute
            self.metrics.minute += 1


@dataclass
class Repairing:
    laptop: FakeLaptop
    minutes: int = 9

    def act(self, drill: Drill) -> None:
        self.laptop.is_broken = False


def stop(laptop: Any) -> None:
    laptop.is_broken = True


DRILL = Drill(
    name="stopped",
    summary="no ticks",
    minutes=6,
    break_stack=stop,
    signals=("WatcherHeartbeat",),
    act=(),
)


@dataclass
class Result:
    faults: list[str]
    lines: list[str]
    laptop: FakeLaptop


@pytest.fixture
def fake() -> FakeLaptop:
    return FakeLaptop()


def drill(laptop: FakeLaptop, operator: Any, drill: Drill = DRILL) -> Result:
    lines: list[str] = []
    watch = Watch([HEARTBEAT], laptop.metrics, lines.append, prefix="punctual-local-")
    faults = run(drill, cast(Laptop, laptop), watch, operator, laptop.minutes(), lines.append)
    return Result(faults, lines, laptop)


def test_fault_is_shown_minute_by_minute_until_it_is_healed(fake: FakeLaptop) -> None:
    result = drill(fake, Repairing(fake))
    rule = "(alarm if < 1 in 3 of 3 min, silence counts)"
    # CloudWatch looks at five minutes, of which two before the fault still have ticks.
    assert result.faults == []
    assert result.lines == [
        "BREAK  no ticks",
        *[f"WatcherHeartbeat no value {rule}: OK"] * 4,
        f"WatcherHeartbeat no value {rule}: ALARM",
        f"WatcherHeartbeat 1 {rule}: OK",
        "HEALED after 1 min",
    ]


def test_fault_without_an_act_is_not_reported_as_healed(fake: FakeLaptop) -> None:
    assert drill(fake, Absent(minutes=7)).faults == ["not healed after 7 minutes: WatcherHeartbeat is on"]


def test_alarm_that_never_fires_fails_the_drill_before_any_act(fake: FakeLaptop) -> None:
    result = drill(fake, Repairing(fake), replace(DRILL, break_stack=lambda laptop: None))
    assert result.faults == [f"WatcherHeartbeat was not on within {BREAK_MINUTES} minutes"]


def test_overdue_job_keeps_a_drill_from_being_healed(fake: FakeLaptop) -> None:
    fake.late = ["/ok/1"]
    assert drill(fake, Repairing(fake)).faults == ["not healed after 9 minutes: 1 jobs are overdue"]


def test_overdue_jobs_are_no_fault_of_a_stop(fake: FakeLaptop) -> None:
    fake.late = ["/ok/1"]
    assert drill(fake, Repairing(fake), replace(DRILL, leaves_jobs_overdue=True)).faults == []
