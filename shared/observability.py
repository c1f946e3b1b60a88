"""Logs and metrics: one logger and one metrics buffer per function, flushed once per invocation.

The tracer is not imported: its cold-start cost exceeds that of all other imports of this module together.
"""

from collections.abc import Callable

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from shared.names import METRICS_NAMESPACE

logger = Logger()
metrics = Metrics(namespace=METRICS_NAMESPACE)

MAX_VALUES = 100
"""Maximum values of one metric per line in CloudWatch's embedded format; Powertools flushes above it."""


def count(name: str, value: float = 1) -> None:
    """Add to a count. Zero is emitted too, so that an alarm can distinguish it from missing data."""
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)


def milliseconds(name: str, values: list[int]) -> None:
    """Add individual values, so that CloudWatch can compute percentiles."""
    for value in values:
        metrics.add_metric(name=name, unit=MetricUnit.Milliseconds, value=value)


def emit_and_flush(*emits: Callable[[], None]) -> None:
    """Run each of `emits`, then flush the metrics. Errors are logged and never raised.

    For functions that SQS invokes: an error would return the whole batch, whose calls have been made.
    """
    for step in (*emits, metrics.flush_metrics):
        try:
            step()
        except Exception:
            logger.exception("metrics not emitted")
    # A value that Powertools rejects would otherwise fail the flush of every later invocation.
    metrics.clear_metrics()


def seconds(name: str, value: float) -> None:
    metrics.add_metric(name=name, unit=MetricUnit.Seconds, value=value)


def percent(name: str, value: float) -> None:
    metrics.add_metric(name=name, unit=MetricUnit.Percent, value=value)
