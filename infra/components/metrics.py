"""Metrics for alarms and the dashboard: our own, and those of AWS services.

They have no labels: CDK turns an alarm on a labelled metric into an expression, which the emulator refuses.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

from infra.config import StageConfig
from shared.names import FROM_LOG, METRICS_NAMESPACE, Dimension

MINUTE = Duration.minutes(1)
SUM, MAXIMUM, P99 = "Sum", "Maximum", "p99"


@dataclass(frozen=True, slots=True)
class OwnMetrics:
    """The metrics that the functions of a stage report; other stages of the account have their own."""

    stage: StageConfig

    def of(self, service: str, name: str, statistic: str = SUM) -> cloudwatch.Metric:
        """A metric of one function."""
        if name in FROM_LOG:
            return cloudwatch.Metric(
                namespace=log_namespace(self.stage), metric_name=name, statistic=statistic, period=MINUTE
            )
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


def log_namespace(stage: StageConfig) -> str:
    """The namespace of the metrics that metric filters make, which can have no dimension of the stage."""
    return f"{METRICS_NAMESPACE}/{stage.name}"


def queue_metric(name: str, queue: sqs.Queue) -> cloudwatch.Metric:
    return queue.metric(name, statistic=MAXIMUM, period=MINUTE)


def function_metric(name: str, function: lambda_.Function) -> cloudwatch.Metric:
    return function.metric(name, statistic=SUM, period=MINUTE)
