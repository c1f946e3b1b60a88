"""Metrics for alarms and the dashboard: our own, and those of AWS services.

They have no labels: CDK turns an alarm on a labelled metric into an expression, which the emulator refuses.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

from infra.config import StageConfig
from shared.names import METRICS_NAMESPACE, Dimension

MINUTE = Duration.minutes(1)
SUM, MAXIMUM, P99 = "Sum", "Maximum", "p99"


@dataclass(frozen=True, slots=True)
class OwnMetrics:
    """The metrics that the functions of a stage report; other stages of the account have their own."""

    stage: StageConfig

    def of(self, service: str, name: str, statistic: str = SUM) -> cloudwatch.Metric:
        """A metric of one function."""
        return self._metric(name, statistic, {Dimension.SERVICE: service})

    def of_stage(self, name: str, statistic: str = SUM) -> cloudwatch.Metric:
        """A metric of `WHOLE_STAGE`, which all executors report as one."""
        return self._metric(name, statistic, {})

    def _metric(self, name: str, statistic: str, dimensions: Mapping[str, str]) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace=METRICS_NAMESPACE,
            metric_name=name,
            dimensions_map={Dimension.STAGE: self.stage.name, **dimensions},
            statistic=statistic,
            period=MINUTE,
        )


def queue_metric(name: str, queue: sqs.Queue) -> cloudwatch.Metric:
    return queue.metric(name, statistic=MAXIMUM, period=MINUTE)


def function_metric(name: str, function: lambda_.Function) -> cloudwatch.Metric:
    return function.metric(name, statistic=SUM, period=MINUTE)


def table_throttles(table: dynamodb.Table, indexes: Iterable[str]) -> cloudwatch.MathExpression:
    """Throttled reads and writes of a table and its indexes, as one number.

    The table's own metric excludes indexes, although a throttled index blocks writes to the table. A resource
    that was never throttled has no data, which FILL treats as zero.
    """
    table_name = {"TableName": table.table_name}
    tables = [table_name] + [{**table_name, "GlobalSecondaryIndexName": index} for index in indexes]
    names = ("ReadThrottleEvents", "WriteThrottleEvents")
    series = [(name, dimensions) for dimensions in tables for name in names]
    metrics = {
        f"m{number}": cloudwatch.Metric(
            namespace="AWS/DynamoDB",
            metric_name=name,
            dimensions_map=dimensions,
            statistic=SUM,
            period=MINUTE,
        )
        for number, (name, dimensions) in enumerate(series)
    }
    expression = f"SUM([{','.join(f'FILL({key},0)' for key in metrics)}])"
    return cloudwatch.MathExpression(
        expression=expression, using_metrics=dict(metrics), period=MINUTE, label="throttled requests"
    )
