"""What a dashboard reads of a recorded hour: one statistic of each of its metrics in each minute."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.dashboards.recorder import Recorder
from tests.support.cloudwatch import ALARM, Alarm, Key, Point, calculate
from tests.support.dashboard import Line, Widget
from tests.support.template import Resource

DIRECTORY = Path(__file__).parent / "recorded"
HOURS = ("quiet", "bad")
_HASH = "[0-9A-F]{8}"
_NAMES = [
    re.compile(pattern)
    for pattern in (
        rf"Lanes(\w+?){_HASH}\.QueueName",
        rf"ExportsOutputRefTables(\w+?){_HASH}{_HASH}",
        rf"Functions(\w+?)Log{_HASH}",
        rf"Functions(\w+?){_HASH}",
        rf"HttpEntry(\w+?){_HASH}",
    )
]


def plain(key: Key) -> Key:
    """The key with the names of resources in their stack, in place of those after a deployment."""
    namespace, name, dimensions = key
    return namespace, name, tuple((dimension, _plain(value)) for dimension, value in dimensions)


def _plain(value: str) -> str:
    return next((found[1] for pattern in _NAMES if (found := pattern.fullmatch(value))), value)


def series_id(line: Line) -> str:
    """The name of a metric's statistic in a record."""
    assert line.key is not None
    namespace, name, dimensions = plain(line.key)
    return " ".join((namespace, name, *(f"{key}={value}" for key, value in dimensions), line.statistic))


@dataclass(frozen=True, slots=True)
class Record:
    """Of one hour."""

    minutes: int
    series: Mapping[str, Sequence[Point]]
    """A statistic of each minute; a metric without data in the hour is left out."""
    tenants: Mapping[str, Mapping[str, Sequence[int]]]
    """Lines of the log a minute, by rule and tenant."""
    alarms: Mapping[str, Sequence[int]]
    """The minutes of the hour at whose end an alarm was active."""

    def points(self, line: Line, widget: Widget) -> list[Point]:
        """A data point for each period of a line; one period may cover the whole hour."""
        step = min(self.minutes, line.period // 60)
        starts = range(0, self.minutes, step)
        if line.key is not None:
            values = self.series.get(series_id(line), [None] * self.minutes)
            return [_combined(line.statistic, values[start : start + step]) for start in starts]
        by_id = {each.id: self.points(each, widget) for each in widget.metrics if each.id}
        return [
            calculate(line.expression, {name: points[number] for name, points in by_id.items()})
            for number in range(len(starts))
        ]


def _combined(statistic: str, values: Sequence[Point]) -> Point:
    found = [value for value in values if value is not None]
    if not found:
        return None
    if statistic in ("Sum", "SampleCount"):
        return sum(found)
    assert statistic == "Maximum" or len(values) == 1, f"{statistic} of several minutes"
    return max(found)


def recorded(
    recorder: Recorder, widgets: Sequence[Widget], alarms: Mapping[str, Resource], minutes: int
) -> Record:
    """What these widgets show of a recorder's hour, and the alarms by CloudWatch's rules."""

    def feed(key: Key, minute: int) -> Sequence[float]:
        return recorder.values.get(plain(key), {}).get(minute, ())

    series: dict[str, list[Point]] = {}
    for line in (line for widget in widgets for line in widget.metrics):
        assert line.key is not None
        points = [_statistic(line.statistic, feed(line.key, minute)) for minute in range(minutes)]
        if any(point is not None for point in points):
            series[series_id(line)] = points
    return Record(
        minutes=minutes,
        series=dict(sorted(series.items())),
        tenants={
            rule: {
                tenant: [counts[minute] for minute in range(minutes)] for tenant, counts in tenants.items()
            }
            for rule, tenants in recorder.tenants.items()
        },
        alarms={name: active for name in sorted(alarms) if (active := _active(alarms[name], feed, minutes))},
    )


def _active(properties: Resource, feed: Any, minutes: int) -> list[int]:
    alarm, active = Alarm(properties, feed), []
    for minute in range(minutes):
        alarm.run(minute, minute)
        if alarm.state == ALARM:
            active.append(minute)
    return active


def _statistic(name: str, values: Sequence[float]) -> Point:
    if not values:
        return None
    ordered = sorted(values)
    found = {
        "Sum": sum(values),
        "SampleCount": len(values),
        "Maximum": ordered[-1],
        "p99": ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)],
    }[name]
    return round(found, 3)


def save(record: Record, hour: str) -> None:
    """One line for each series, so that a change can be read."""
    DIRECTORY.mkdir(exist_ok=True)
    parts = []
    for name in ("series", "tenants", "alarms"):
        rows = [
            f"  {json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
            for key, value in getattr(record, name).items()
        ]
        parts.append(f'"{name}": {{\n' + ",\n".join(rows) + "\n}")
    text = "{\n" + f'"minutes": {record.minutes},\n' + ",\n".join(parts) + "\n}\n"
    (DIRECTORY / f"{hour}.json").write_text(text)


def load(hour: str) -> Record:
    return Record(**json.loads((DIRECTORY / f"{hour}.json").read_text()))
