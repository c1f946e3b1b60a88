"""Logs and metrics: one logger and one metrics buffer for each function, flushed once an invocation.

The tracer is not imported: it costs more at a cold start than everything else here together.
"""

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from shared.names import METRICS_NAMESPACE

logger = Logger()
metrics = Metrics(namespace=METRICS_NAMESPACE)

MAX_VALUES = 100
"""CloudWatch's embedded format takes so many values of one metric in a line; Powertools flushes beyond them."""


def count(name: str, value: float = 1) -> None:
    """Add to a count. A zero is emitted too: an alarm can tell it from silence."""
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)


def milliseconds(name: str, values: list[int]) -> None:
    """Add single measurements, so that percentiles can be had of them."""
    for value in values:
        metrics.add_metric(name=name, unit=MetricUnit.Milliseconds, value=value)


def seconds(name: str, value: float) -> None:
    """Set a length of time."""
    metrics.add_metric(name=name, unit=MetricUnit.Seconds, value=value)
