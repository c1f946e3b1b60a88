"""What does it cost? An estimate: metrics of AWS, multiplied by the list prices of the sizing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.components.metrics import SUM
from infra.config import StageConfig
from infra.dashboard.section import GRAPH_HEIGHT, GRAPH_WIDTH, Graph, Section
from infra.dashboard.sources import INDEXES, Sources, TableOrIndex, table_metric
from infra.sizing.bill import total
from infra.sizing.idle import monthly_usage
from infra.sizing.prices import AS_OF, DEFAULT_REGION, PRICES, Prices
from infra.sizing.usage import GB, MB_PER_GB
from shared.names import Metric

WINDOW_MINUTES = 5
SHOWN = Duration.minutes(WINDOW_MINUTES)
DAY = Duration.days(1)
"""CloudWatch aligns it with midnight UTC, and the last point is the day so far."""
WINDOWS_PER_HOUR = 60 // WINDOW_MINUTES


@dataclass(frozen=True, slots=True)
class Item:
    """A quantity that AWS bills: the sum of a metric, and dollars for each unit of it."""

    metric: cloudwatch.Metric
    dollars: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The items of each service."""

    sources: Sources
    prices: Prices

    def by_service(self) -> Mapping[str, list[Item]]:
        return {
            "DynamoDB": list(self._dynamodb()),
            "Lambda": list(self._lambda()),
            "SQS": list(self._sqs()),
            "API": [Item(self.sources.resources.entry.api.metric_count(), self.prices.api_requests.each)],
            "Logs": list(self._logs()),
        }

    def _dynamodb(self) -> Iterator[Item]:
        for table in self.sources.tables_and_indexes():
            if self.sources.stage.provisioned is None or not _is_of_executions(table):
                yield Item(table_metric("ConsumedWriteCapacityUnits", table), self.prices.write_units.each)
                yield Item(table_metric("ConsumedReadCapacityUnits", table), self.prices.read_units.each)

    def _lambda(self) -> Iterator[Item]:
        functions = self.sources.resources.functions
        for service, function in functions.by_service.items():
            gb = functions.specs[service].memory_mb / MB_PER_GB
            yield Item(function.metric_invocations(), self.prices.lambda_requests.each)
            yield Item(function.metric_duration(), gb / 1_000 * self.prices.gb_seconds.each)

    def _sqs(self) -> Iterator[Item]:
        """At most: a request that carries ten messages counts as ten."""
        each = self.prices.sqs_requests.each + self.prices.fair_requests.each
        for pair in self.sources.resources.lanes.queues.values():
            yield Item(pair.main.metric_number_of_messages_sent(), each)
            yield Item(pair.main.metric_number_of_messages_received(), each)
            yield Item(pair.main.metric_number_of_messages_deleted(), each)
            yield Item(pair.main.metric_number_of_empty_receives(), self.prices.sqs_requests.each)
            yield Item(pair.dead.metric_number_of_empty_receives(), self.prices.sqs_requests.each)

    def _logs(self) -> Iterator[Item]:
        resources = self.sources.resources
        for group in (*resources.functions.logs.values(), resources.entry.access_log):
            # `metric_incoming_bytes` of the CDK has no dimension, and so counts the whole account.
            metric = cloudwatch.Metric(
                namespace="AWS/Logs",
                metric_name="IncomingBytes",
                dimensions_map={"LogGroupName": group.log_group_name},
            )
            yield Item(metric, self.prices.log_gb.each / GB)


def _is_of_executions(table: TableOrIndex) -> bool:
    return table.name in ("executions", *INDEXES["executions"])


def cost(sources: Sources) -> Section:
    prices = PRICES.get(sources.stage.region, PRICES[DEFAULT_REGION])
    services = Bill(sources=sources, prices=prices).by_service()
    hourly = [_dollars(name, items, SHOWN, WINDOWS_PER_HOUR) for name, items in services.items()]
    today = [_dollars(name, items, DAY, 1) for name, items in services.items()]
    return Section(
        question="What does it cost?",
        good="The rate follows the number of claims, and falls to that of an idle stage without jobs. "
        + _note(sources.stage, prices),
        alarms=(),
        graphs=(
            Graph(title="Dollars an hour, at the rate of five minutes", metrics=hourly, stacked=True),
            Graph(
                title="Claims of each executor", metrics=sources.each_executor(Metric.CLAIMED), stacked=True
            ),
        ),
        more=[
            cloudwatch.SingleValueWidget(
                title="Dollars of the day so far (UTC)", metrics=today, width=GRAPH_WIDTH, height=GRAPH_HEIGHT
            )
        ],
    )


def _dollars(service: str, items: Sequence[Item], period: Duration, factor: int) -> cloudwatch.MathExpression:
    """Dollars of a period, times a factor."""
    metrics: dict[str, cloudwatch.IMetric] = {}
    terms = []
    for price in dict.fromkeys(item.dollars for item in items):
        metered = [item.metric for item in items if item.dollars == price]
        ids = [f"{service.lower()}{len(metrics) + number}" for number in range(len(metered))]
        metrics |= {
            name: metric.with_(statistic=SUM, period=period)
            for name, metric in zip(ids, metered, strict=True)
        }
        terms.append(f"{_decimal(price * factor)} * SUM(FILL([{', '.join(ids)}], 0))")
    return cloudwatch.MathExpression(
        expression=" + ".join(terms), using_metrics=metrics, label=service, period=period
    )


def _decimal(number: float) -> str:
    """Without an exponent: metric math documents none."""
    return f"{number:.15f}".rstrip("0")


def _note(stage: StageConfig, prices: Prices) -> str:
    """Which prices these are, and what they leave out."""
    parts = [f"The dollars are estimates, at list prices of {DEFAULT_REGION} of {AS_OF} without free tiers."]
    if stage.region not in PRICES:
        parts.append(f"Prices of {stage.region} differ.")
    parts.append("A request to SQS with ten messages counts as ten requests.")
    parts.append("Storage, backups, calls of KMS and data to the internet are left out.")
    monthly = total(monthly_usage(stage), prices)
    parts.append(f"Alarms, metrics of an idle stage, the dashboard and the key add ${monthly:,.2f} a month.")
    if stage.provisioned is not None:
        parts.append(
            f"Provisioned units are left out, too: ${_provisioned(stage, prices):,.2f} an hour at their minimum."
        )
    return " ".join(parts)


def _provisioned(stage: StageConfig, prices: Prices) -> float:
    """Dollars an hour."""
    units = stage.at_once.values()
    return sum(
        each.writes * prices.write_unit_hours.each + each.reads * prices.read_unit_hours.each
        for each in units
    )
