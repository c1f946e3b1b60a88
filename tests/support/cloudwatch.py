"""How CloudWatch evaluates an alarm, as far as the alarms of a stage use it.

* Statistics of a period:
  https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
* Metric math: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html. A data
  point is missing if the expression returns no value for it, and all metrics of an alarm have the same period.
* Periods and the M of N last data points:
  https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
* The window slides, and an alarm of at most a day is evaluated every minute:
  https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html
* Missing data: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
* Warm-up: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-warm-up.html
"""

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.template import Resource, resolve

Key = tuple[str, str, tuple[tuple[str, str], ...]]
"""Namespace, name and dimensions of a metric."""
Feed = Callable[[Key, int], Sequence[float]]
"""The values of a metric in a minute."""
Point = float | None
OK, ALARM, NO_DATA = "OK", "ALARM", "INSUFFICIENT_DATA"
EXTRA_POINTS = 2
"""CloudWatch retrieves more data points than it evaluates; in its documented examples, five for three."""
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
}
_OPERATORS: Mapping[type[ast.AST], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.GtE: operator.ge,
}


def key_of(metric: Resource) -> Key:
    dimensions = {made["Name"]: resolve(made["Value"]) for made in metric.get("Dimensions", [])}
    return metric["Namespace"], metric["MetricName"], tuple(sorted(dimensions.items()))


def metrics_of(alarm: Resource) -> list[Resource]:
    """The metrics that an alarm reads; the same one may appear with two statistics."""
    if "Metrics" not in alarm:
        return [alarm]
    return [part["MetricStat"]["Metric"] for part in alarm["Metrics"] if "MetricStat" in part]


@dataclass(frozen=True, slots=True)
class Summary:
    """What CloudWatch keeps of the values of a minute."""

    total: float
    count: int
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Summary | None":
        return cls(sum(values), len(values), max(values)) if values else None


def statistic(name: str, minutes: Iterable[Summary | None]) -> Point:
    """The statistic of a period; a period without values has no data point."""
    found = [summary for summary in minutes if summary is not None]
    if not found:
        return None
    match name:
        case "Sum":
            return sum(summary.total for summary in found)
        case "SampleCount":
            return sum(summary.count for summary in found)
        case "Maximum":
            return max(summary.most for summary in found)
    raise AssertionError(f"no statistic that this evaluator knows: {name}")


def calculate(expression: str, values: Mapping[str, Point]) -> Point:
    """One data point of metric math; missing where an operand is missing, or a divisor is zero.

    Of arrays, it knows the sum of filled ones alone.
    """
    try:
        return _value(ast.parse(expression, mode="eval").body, values)
    except (_MissingError, ZeroDivisionError):
        return None


class _MissingError(Exception):
    """An operand has no value."""


def _value(node: ast.expr, values: Mapping[str, Point]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            value = values[name]
            if value is None:
                raise _MissingError
            return value
        case ast.BinOp(left=left, op=sign, right=right):
            return _OPERATORS[type(sign)](_value(left, values), _value(right, values))
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return _OPERATORS[type(sign)](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id="FILL"), args=[ast.Name(id=name), instead]):
            value = values[name]
            return _value(instead, values) if value is None else value
        case ast.Call(
            func=ast.Name(id="SUM"),
            args=[ast.Call(func=ast.Name(id="FILL"), args=[ast.List(elts=names), instead])],
        ):
            filled = (ast.Call(func=ast.Name(id="FILL"), args=[name, instead], keywords=[]) for name in names)
            return sum(_value(each, values) for each in filled)
        case ast.Call(func=ast.Name(id="IF"), args=[condition, then, otherwise]):
            return _value(then if _value(condition, values) else otherwise, values)
    raise AssertionError(f"no metric math that this evaluator knows: {ast.dump(node)}")


def state_of(breaches: Sequence[bool | None], least: int, most: int, missing: str) -> str:
    """The state by `least` of the `most` latest data points, the oldest first; None is a missing data point.

    Missing data points count only where there are fewer real ones than are evaluated.
    """
    real = [breach for breach in breaches if breach is not None][-most:]
    filled = (most - len(real)) * {"breaching": 1, "notBreaching": 0}[missing]
    return ALARM if sum(real) + filled >= least else OK


@dataclass
class Alarm:
    """One alarm of a template, from its creation at minute 0."""

    properties: Resource
    feed: Feed
    state: str = NO_DATA
    changes: list[tuple[int, str, str]] = field(default_factory=list)
    """The minute, the old state and the new state of each change."""
    is_warm: bool = False
    _summaries: dict[tuple[Key, int], Summary | None] = field(default_factory=dict)

    @property
    def most(self) -> int:
        count: int = self.properties["EvaluationPeriods"]
        return count

    @property
    def minutes(self) -> int:
        """The period, the same for all metrics of the alarm."""
        periods = {
            part["MetricStat"]["Period"]
            for part in self.properties.get("Metrics", [])
            if "MetricStat" in part
        } or {self.properties["Period"]}
        (seconds,) = periods
        return int(seconds) // 60

    def run(self, first: int, last: int) -> None:
        """Evaluate at the end of each of these minutes, but long windows only as often as a 60th of them."""
        for minute in range(first, last + 1, max(1, self.minutes // 60)):
            self._evaluate(minute)

    def _evaluate(self, minute: int) -> None:
        points = [
            self._point(minute - (age + 1) * self.minutes + 1, minute - age * self.minutes)
            for age in reversed(range(self.most + EXTRA_POINTS))
        ]
        warm_up = self.properties.get("WarmUpConfiguration", {}).get("WarmUpPeriodDurationInMinutes", 0)
        self.is_warm = self.is_warm or minute >= warm_up or None not in points[-self.most :]
        if not self.is_warm:
            return
        compare, threshold = (
            _COMPARISONS[self.properties["ComparisonOperator"]],
            self.properties["Threshold"],
        )
        breaches = [None if point is None else compare(point, threshold) for point in points]
        missing = self.properties["TreatMissingData"]
        new = state_of(breaches, self.properties["DatapointsToAlarm"], self.most, missing)
        if new != self.state:
            self.changes.append((minute, self.state, new))
            self.state = new

    def _point(self, first: int, last: int) -> Point:
        def of(metric: Resource, name: str) -> Point:
            key = key_of(metric)
            return statistic(name, [self._summary(key, minute) for minute in range(first, last + 1)])

        if "Metrics" not in self.properties:
            return of(self.properties, self.properties["Statistic"])
        (result,) = (part for part in self.properties["Metrics"] if part.get("ReturnData", True))
        values = {
            part["Id"]: of(part["MetricStat"]["Metric"], part["MetricStat"]["Stat"])
            for part in self.properties["Metrics"]
            if "MetricStat" in part
        }
        return calculate(result["Expression"], values)

    def _summary(self, key: Key, minute: int) -> Summary | None:
        if (key, minute) not in self._summaries:
            self._summaries[key, minute] = Summary.of(self.feed(key, minute))
        return self._summaries[key, minute]


def passes(filter_policy: Any, message: Mapping[str, str]) -> bool:
    """Whether a subscription gets a message: exact values of its members, and `$or` of such patterns.

    https://docs.aws.amazon.com/sns/latest/dg/and-or-logic.html
    """
    if "$or" in filter_policy:
        return any(passes(each, message) for each in filter_policy["$or"])
    return all(message[name] in values for name, values in filter_policy.items())
