"""The metrics that exist: those that functions report, and those of AWS that the alarms and the dashboard read."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from infra.components.metrics import log_namespace
from shared.names import FROM_LOG, METRICS_NAMESPACE, WHOLE_STAGE, Metric, QueueName
from tests.infra.conftest import Synthesised
from tests.support.sources import ROOT

OWN_METRICS = {value for name, value in vars(Metric).items() if name.isupper()}
_TABLE, _INDEX = {"TableName"}, {"TableName", "GlobalSecondaryIndexName"}
_QUEUE, _FUNCTION, _API, _LOG = {"QueueName"}, {"FunctionName"}, {"ApiId"}, {"LogGroupName"}
AWS_METRICS: Mapping[tuple[str, str], tuple[set[str], ...]] = {
    **{
        ("AWS/SQS", name): (_QUEUE,)
        for name in (
            "ApproximateAgeOfOldestMessage",
            "ApproximateNumberOfMessagesVisible",
            "ApproximateNumberOfMessagesNotVisible",
            "NumberOfMessagesSent",
            "NumberOfMessagesReceived",
            "NumberOfMessagesDeleted",
            "NumberOfEmptyReceives",
        )
    },
    **{
        ("AWS/Lambda", name): (_FUNCTION,)
        for name in (
            "Errors",
            "Throttles",
            "AsyncEventsDropped",
            "RecursiveInvocationsDropped",
            "ConcurrentExecutions",
            "Invocations",
            "Duration",
        )
    },
    ("AWS/Lambda", "ClaimedAccountConcurrency"): (set(),),
    **{("AWS/ApiGateway", name): (_API,) for name in ("Count", "4xx", "5xx", "Latency")},
    **{
        ("AWS/DynamoDB", name): (_TABLE, _INDEX)
        for name in (
            "ConsumedReadCapacityUnits",
            "ConsumedWriteCapacityUnits",
            "ReadThrottleEvents",
            "WriteThrottleEvents",
        )
    },
    ("AWS/Events", "FailedInvocations"): ({"RuleName"},),
    ("AWS/Logs", "IncomingBytes"): (_LOG,),
}
"""By namespace and name, each with the sets of dimensions under which AWS has it:

* https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
* https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
* https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
* https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
* https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html
* https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CloudWatch-Logs-Monitoring-CloudWatch-Metrics.html
"""


def is_known(namespace: str, name: str, dimensions: Mapping[str, Any], stacks: Synthesised) -> bool:
    if namespace == log_namespace(stacks.stage):
        return name in FROM_LOG and not dimensions
    if namespace != METRICS_NAMESPACE:
        return set(dimensions) in AWS_METRICS.get((namespace, name), ())
    if name in WHOLE_STAGE:
        return dict(dimensions) == {"stage": stacks.stage.name}
    services = [{"stage": stacks.stage.name, "service": service} for service in stacks.service.functions()]
    return name in OWN_METRICS and dict(dimensions) in services


UNITS = {
    "count": "Count",
    "shares": "Count",
    "seconds": "Seconds",
    "milliseconds": "Milliseconds",
    "percent": "Percent",
}
"""The functions of `shared.observability` that emit, each with its unit."""
EVERYWHERE = "shared"


def _emitted(path: Path) -> Iterator[tuple[str, str]]:
    """The names and units of the metrics that a module emits: `count(Metric.PARKED, 1)`, `count(DEFERRED[key], 1)`."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    tables = {
        name: node.value.values
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        for target in node.targets
        for name in [ast.unparse(target)]
    }
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id=emit), args=[ast.Subscript(value=ast.Name(id=table)), *_]) if (
                emit in UNITS
            ):
                for value in tables.get(table, ()):
                    yield getattr(Metric, ast.unparse(value).removeprefix("Metric.")), UNITS[emit]
            case ast.Call(
                func=ast.Name(id=emit), args=[ast.Attribute(value=ast.Name(id="Metric"), attr=name), *_]
            ):
                yield getattr(Metric, name), UNITS[emit]


def _emitters() -> dict[tuple[str, str], str]:
    """The unit of each metric by the package that emits it: a function's, or `EVERYWHERE`."""
    found: dict[tuple[str, str], str] = {}
    for root in ("functions", "shared"):
        for path in sorted((ROOT / root).rglob("*.py")):
            package = path.relative_to(ROOT / root).parts[0] if root == "functions" else EVERYWHERE
            for name, unit in _emitted(path):
                assert found.setdefault((package, name), unit) == unit, name
    return found


EMITTERS = _emitters()
EXECUTORS = {f"executor-{queue}" for queue in QueueName}
