"""The metrics of a laptop stack by minute: those that functions print, and the errors that the emulator counts.

Values belong to the minute in which they were collected. A minute ends when the exercise says so.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from infra.local.stack import LocalStack
from shared.names import METRICS_NAMESPACE, Metric
from tests.support.cloudwatch import Key

HEALTHY: Mapping[str, float] = {
    Metric.WATCHER_TICK: 1,
    Metric.SWEEPER_TICK: 1,
    Metric.REDRIVER_TICK: 1,
    Metric.RECONCILER_COVERAGE_SECONDS: 900,
    Metric.RECONCILER_CHECKED_THROUGH_SECONDS: 900,
}
"""Values in each minute before the exercise, as if the stage had worked for long."""
LAMBDA = "AWS/Lambda"
_FAILED_BATCH = re.compile(r"\[lambda\] ESM: Lambda (\S+) failed processing SQS batch")


class Metrics:
    """Values by metric and minute. Minute 0 is the first of the exercise."""

    def __init__(self) -> None:
        self.minute = 0
        self._values: dict[tuple[Key, int], list[float]] = defaultdict(list)

    def add(self, key: Key, values: Sequence[float]) -> None:
        """Add values to the current minute."""
        self._values[key, self.minute] += values

    def feed(self, key: Key, minute: int) -> Sequence[float]:
        """Return the values of a metric in a minute."""
        if minute < 0:
            return [HEALTHY[key[1]]] if key[0] == METRICS_NAMESPACE and key[1] in HEALTHY else []
        return self._values.get((key, minute), [])

    def collected(self) -> dict[Key, list[float]]:
        """Return everything in the current minute."""
        return {key: values for (key, minute), values in self._values.items() if minute == self.minute}


class Collector:
    """Collects what has happened in a stack since the last call into the current minute."""

    def __init__(self, stack: LocalStack, metrics: Metrics) -> None:
        self._stack = stack
        self._metrics = metrics
        self._log = LogTail(stack.emulator.home.log)
        self._counts = self._count()

    def collect(self) -> None:
        for line in self._log.lines():
            for key, values in (*embedded(line), *failed_batches(line)):
                self._metrics.add(key, values)
        counts = self._count()
        for key, count in counts.items():
            if count > self._counts[key]:
                self._metrics.add(key, [count - self._counts[key]])
        self._counts = counts

    def _count(self) -> dict[Key, float]:
        """The errors of direct invocations since the emulator's start. It counts no errors of event sources."""
        keys = [(LAMBDA, "Errors", (("FunctionName", name),)) for name in self._stack.functions.values()]
        now = datetime.now(UTC)
        found = self._stack.client("cloudwatch").get_metric_data(
            MetricDataQueries=[_sum(f"m{number}", key) for number, key in enumerate(keys)],
            StartTime=now - timedelta(days=1),
            EndTime=now + timedelta(minutes=1),
        )["MetricDataResults"]
        sums = {each["Id"]: sum(each["Values"]) for each in found}
        return {key: sums.get(f"m{number}", 0) for number, key in enumerate(keys)}


class LogTail:
    """The lines of a file that grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = path.stat().st_size

    def lines(self) -> Iterator[str]:
        """The complete lines since the last call."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            text = file.read()
        complete = text[: text.rfind(b"\n") + 1]
        self._offset += len(complete)
        yield from complete.decode(errors="replace").splitlines()


def failed_batches(line: str) -> Iterator[tuple[Key, list[float]]]:
    """The error that AWS would count for a batch of an event source whose function failed."""
    if found := _FAILED_BATCH.search(line):
        yield (LAMBDA, "Errors", (("FunctionName", found[1]),)), [1.0]


def embedded(line: str) -> Iterator[tuple[Key, list[float]]]:
    """The metrics of a line in CloudWatch's embedded metric format; none for every other line."""
    start = line.find('{"_aws":')
    if start < 0:
        return
    document: dict[str, Any] = json.loads(line[start:])
    for part in document["_aws"]["CloudWatchMetrics"]:
        for names in part["Dimensions"]:
            dimensions = tuple(sorted((name, document[name]) for name in names))
            for metric in part["Metrics"]:
                value = document[metric["Name"]]
                yield (
                    (part["Namespace"], metric["Name"], dimensions),
                    value if isinstance(value, list) else [value],
                )


def _sum(name: str, key: Key) -> dict[str, Any]:
    dimensions = [{"Name": each, "Value": value} for each, value in key[2]]
    metric = {"Namespace": key[0], "MetricName": key[1], "Dimensions": dimensions}
    return {"Id": name, "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum"}}
