"""Drills judge the laptop's alarms: these have the rules of the cloud's."""

import pytest

from tests.drills.catalogue import DRILLS
from tests.infra.conftest import Synthesised, alarms_of

RULES = (
    "Namespace",
    "MetricName",
    "Statistic",
    "Period",
    "EvaluationPeriods",
    "DatapointsToAlarm",
    "ComparisonOperator",
    "TreatMissingData",
)
SIGNALS = sorted(
    {name for drill in DRILLS.values() for name in drill.signals}
    - {graph["AlarmName"] for drill in DRILLS.values() for graph in drill.graphs}
)


@pytest.mark.parametrize("name", SIGNALS)
def test_alarm_of_a_drill_has_the_rules_that_it_has_in_the_cloud(
    cloud: Synthesised, local: Synthesised, name: str
) -> None:
    ours, theirs = alarms_of(local)[name], alarms_of(cloud)[name]
    assert {rule: ours[rule] for rule in RULES} == {rule: theirs[rule] for rule in RULES}
    ranges = {"WatcherHeartbeat": (local.stage.watchers, cloud.stage.watchers)}
    ranges |= {"SweeperHeartbeat": (local.stage.sweepers, cloud.stage.sweepers)}
    same = (theirs["Threshold"], theirs["Threshold"])
    assert (ours["Threshold"], theirs["Threshold"]) == ranges.get(name, same)
