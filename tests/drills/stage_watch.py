"""The alarms as they are deployed: their definitions come from the stack, and with it from the template."""

from collections.abc import Callable
from typing import Any

from infra.local.stack import LocalStack
from infra.stages import local_stage
from tests.drills.drill import Drill
from tests.drills.metrics import Metrics
from tests.drills.watch import Watch


def watch_of(stack: LocalStack, drill: Drill, metrics: Metrics, say: Callable[[str], None]) -> Watch:
    """Watch every alarm of the stage, and the graphs of the drill."""
    pages = stack.client("cloudwatch").get_paginator("describe_alarms").paginate()
    deployed: list[dict[str, Any]] = [alarm for page in pages for alarm in page["MetricAlarms"]]
    return Watch([*deployed, *drill.graphs], metrics, say, prefix=f"{local_stage().prefix}-")
