"""Metrics emitted in CloudWatch's embedded metric format."""

import json
from typing import Any

from shared.observability import metrics


def emitted() -> dict[str, Any]:
    """The metrics that are not yet flushed: a number each, or a list of measurements."""
    waiting: dict[str, Any] = {}
    for name, values in metrics.metric_set.items():
        waiting[name] = list(values) if name.endswith("Ms") else sum(values)
    metrics.clear_metrics()
    return waiting


def flushed(output: str) -> dict[str, Any]:
    """The metrics that a handler wrote to its standard output, one value each."""
    found: dict[str, Any] = {}
    for line in output.splitlines():
        document = json.loads(line)
        for part in document.get("_aws", {}).get("CloudWatchMetrics", []):
            for metric in part["Metrics"]:
                values = document[metric["Name"]]
                found[metric["Name"]] = sum(values) if isinstance(values, list) else values
    return found
