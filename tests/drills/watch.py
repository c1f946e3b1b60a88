"""Judges alarms minute by minute, shows each change, and tells the emulator, so that `aws cloudwatch` agrees.

The emulator judges alarms by other rules than CloudWatch: it ignores dimensions, missing data and M of N.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from tests.drills.metrics import Metrics
from tests.support.cloudwatch import ALARM, NO_DATA, OK, Alarm, Key, Summary, key_of, statistic
from tests.support.template import Resource

MOST_IN_REQUEST = 20
SIGNS = {"GreaterThanThreshold": ">", "LessThanThreshold": "<"}
MISSING = {"breaching": "silence counts", "notBreaching": "silence is fine"}


def graph(key: Key, stat: str, limit: float = 0) -> Resource:
    """The definition of an alarm that no stage has, for a metric of the dashboard: over a limit for a minute."""
    namespace, name, dimensions = key
    return {
        "AlarmName": f"{name} (graph)",
        "Namespace": namespace,
        "MetricName": name,
        "Dimensions": [{"Name": each, "Value": value} for each, value in dimensions],
        "Statistic": stat,
        "Period": 60,
        "EvaluationPeriods": 1,
        "DatapointsToAlarm": 1,
        "Threshold": limit,
        "ComparisonOperator": "GreaterThanThreshold",
        "TreatMissingData": "notBreaching",
    }


class Watch:
    """The alarms of a stage and the graphs of a drill, by name."""

    def __init__(
        self, definitions: Sequence[Resource], metrics: Metrics, say: Callable[[str], None], prefix: str = ""
    ) -> None:
        self._metrics = metrics
        self._say = say
        self._prefix = prefix
        self.alarms = {
            made["AlarmName"].removeprefix(prefix): Alarm(made, metrics.feed, state=OK)
            for made in definitions
        }

    def evaluate(self, chosen: Sequence[str]) -> None:
        """Judge the current minute, which has ended. Each minute of a chosen alarm is shown, and each change."""
        minute = self._metrics.minute
        for name, alarm in self.alarms.items():
            before = alarm.state
            alarm.run(minute, minute)
            if alarm.state != before or name in chosen:
                self._say(f"{name} {self.values(name)}: {alarm.state}")

    def values(self, name: str) -> str:
        """The value of the current minute beside the threshold, such as `134 > 120`."""
        made = self.alarms[name].properties
        summary = Summary.of(self._metrics.feed(key_of(made), self._metrics.minute))
        value = None if summary is None else statistic(made["Statistic"], [summary])
        shown = "no value" if value is None else f"{value:.5g}"
        least, most = made["DatapointsToAlarm"], made["EvaluationPeriods"]
        rule = f"{SIGNS[made['ComparisonOperator']]} {made['Threshold']:g} in {least} of {most} min"
        return f"{shown} (alarm if {rule}, {MISSING[made['TreatMissingData']]})"

    def publish(self, cloudwatch: Any) -> None:
        """Give the current minute and the states to the emulator, for the commands of the pages."""
        for namespace, data in _by_namespace(self._metrics.collected()):
            for start in range(0, len(data), MOST_IN_REQUEST):
                cloudwatch.put_metric_data(
                    Namespace=namespace, MetricData=data[start : start + MOST_IN_REQUEST]
                )
        for shown in cloudwatch.describe_alarms()["MetricAlarms"]:
            alarm = self.alarms.get(shown["AlarmName"].removeprefix(self._prefix))
            if alarm is not None and alarm.state not in (shown["StateValue"], NO_DATA):
                cloudwatch.set_alarm_state(
                    AlarmName=shown["AlarmName"],
                    StateValue=alarm.state,
                    StateReason=f"{alarm.properties['MetricName']} in the exercise",
                )

    def is_on(self, name: str) -> bool:
        return self.alarms[name].state == ALARM


def _by_namespace(collected: dict[Key, list[float]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    now = datetime.now(UTC)
    data = [
        (
            key[0],
            {
                "MetricName": key[1],
                "Dimensions": [{"Name": name, "Value": value} for name, value in key[2]],
                "Values": values[:150],
                "Timestamp": now,
            },
        )
        for key, values in collected.items()
        if not key[0].startswith("AWS/")
    ]
    for namespace in {each for each, _ in data}:
        yield namespace, [datum for each, datum in data if each == namespace]
