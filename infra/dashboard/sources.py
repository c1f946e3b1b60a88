"""Where the graphs take their metrics from: the stage's own metrics, its resources and its alarms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from aws_cdk import aws_cloudwatch as cloudwatch

from infra.components.alarm_spec import AlarmSpec
from infra.components.metrics import MINUTE, SUM, OwnMetrics, function_metric, queue_metric
from infra.components.resource_alarms import MonitoredResources
from infra.config import StageConfig
from infra.dashboard.section import Limit, alarm_line
from shared.names import Index, QueueName

EXECUTORS = tuple(f"executor-{queue}" for queue in QueueName)
INDEXES = {"executions": (Index.BY_TENANT, Index.FAILED), "jobs": (Index.LIVE,)}
"""The indexes of a table. DynamoDB counts their units apart from those of the table."""


@dataclass(frozen=True, slots=True)
class TableOrIndex:
    """A table, or one of its indexes."""

    name: str
    dimensions: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    stage: StageConfig
    resources: MonitoredResources
    specs: Mapping[str, AlarmSpec]
    """The alarms by name."""

    @property
    def own(self) -> OwnMetrics:
        return OwnMetrics(self.stage)

    def named(self, prefix: str) -> list[str]:
        """The names of the alarms that begin so: one alarm for each function or queue."""
        return [name for name in self.specs if name.startswith(prefix)]

    def lines(self, *alarms: str) -> list[Limit]:
        """The thresholds of these alarms."""
        return [alarm_line(self.specs[name]) for name in alarms]

    def watched(self, *alarms: str) -> list[cloudwatch.Metric]:
        """The metrics that these alarms read, labelled with the alarm. Alarms on expressions have a graph of their
        own."""
        return [cast(cloudwatch.Metric, self.specs[name].metric).with_(label=name) for name in alarms]

    def each_executor(self, name: str, statistic: str = SUM) -> list[cloudwatch.Metric]:
        """A metric of each executor, labelled with its queue."""
        return [self.own.of(f"executor-{queue}", name, statistic).with_(label=queue) for queue in QueueName]

    def all_executors(self, name: str) -> cloudwatch.MathExpression:
        """The sum of a count over all executors."""
        return added(name, [self.own.of(executor, name) for executor in EXECUTORS], name)

    def each_queue(self, name: str, *, dead: bool = False) -> list[cloudwatch.Metric]:
        return [
            queue_metric(name, pair.dead if dead else pair.main).with_(label=queue)
            for queue, pair in self.resources.lanes.queues.items()
        ]

    def each_function(self, name: str, statistic: str = SUM) -> list[cloudwatch.Metric]:
        return [
            function_metric(name, function).with_(label=service, statistic=statistic)
            for service, function in self.resources.functions.by_service.items()
        ]

    def tables_and_indexes(self) -> Iterator[TableOrIndex]:
        """The tables, each followed by its indexes."""
        for name, table in self.resources.tables.by_name().items():
            yield TableOrIndex(name, {"TableName": table.table_name})
            for index in INDEXES.get(name, ()):
                yield TableOrIndex(index, {"TableName": table.table_name, "GlobalSecondaryIndexName": index})

    def each_table(self, name: str) -> list[cloudwatch.Metric]:
        """A count of DynamoDB for each table and index."""
        return [table_metric(name, table).with_(label=table.name) for table in self.tables_and_indexes()]


def table_metric(name: str, table: TableOrIndex) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="AWS/DynamoDB",
        metric_name=name,
        dimensions_map=dict(table.dimensions),
        statistic=SUM,
        period=MINUTE,
    )


def added(label: str, metrics: Sequence[cloudwatch.Metric], prefix: str) -> cloudwatch.MathExpression:
    """The sum of metrics; one without data counts as zero. `prefix` sets its ids apart within a widget."""
    ids = [f"{prefix[0].lower()}{prefix[1:]}{number}" for number in range(len(metrics))]
    return cloudwatch.MathExpression(
        expression=f"SUM(FILL([{', '.join(ids)}], 0))",
        using_metrics=dict(zip(ids, metrics, strict=True)),
        label=label,
        period=metrics[0].period,
    )
