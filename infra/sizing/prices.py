"""List prices. Nothing here is contacted or fetched: compare the table with the pages before you rely on it.

Free tiers and discounts for volume are left out on all sides, so every figure is an upper bound.
"""

from collections.abc import Mapping
from dataclasses import dataclass

AS_OF = "2026-06"
"""The latest month in which a publication that states these prices was read."""
DEFAULT_REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a number of units, with the page that states them."""

    dollars: float
    per: float
    unit: str
    page: str

    @property
    def each(self) -> float:
        return self.dollars / self.per


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The prices of one region."""

    write_units: Price
    read_units: Price
    write_unit_hours: Price
    read_unit_hours: Price
    storage: Price
    backup: Price
    object_storage: Price
    cold_storage: Price
    object_puts: Price
    object_gets: Price
    lambda_requests: Price
    gb_seconds: Price
    sqs_requests: Price
    fair_requests: Price
    api_requests: Price
    kms_requests: Price
    kms_keys: Price
    log_gb: Price
    metrics: Price
    alarm_metrics: Price
    dashboards: Price
    insight_rules: Price
    insight_events: Price
    transfer_gb: Price


_AWS = "https://aws.amazon.com"
_MILLION = 1_000_000

PRICES: Mapping[str, Prices] = {
    "us-east-1": Prices(
        write_units=Price(0.625, _MILLION, "write units on demand", f"{_AWS}/dynamodb/pricing/on-demand/"),
        read_units=Price(0.125, _MILLION, "read units on demand", f"{_AWS}/dynamodb/pricing/on-demand/"),
        write_unit_hours=Price(
            0.00065, 1, "hours of a provisioned write unit", f"{_AWS}/dynamodb/pricing/provisioned/"
        ),
        read_unit_hours=Price(
            0.00013, 1, "hours of a provisioned read unit", f"{_AWS}/dynamodb/pricing/provisioned/"
        ),
        storage=Price(0.25, 1, "GB-months in a table", f"{_AWS}/dynamodb/pricing/on-demand/"),
        backup=Price(0.20, 1, "GB-months of point-in-time recovery", f"{_AWS}/dynamodb/pricing/on-demand/"),
        object_storage=Price(0.023, 1, "GB-months in S3 Standard", f"{_AWS}/s3/pricing/"),
        cold_storage=Price(0.004, 1, "GB-months in Glacier Instant Retrieval", f"{_AWS}/s3/pricing/"),
        object_puts=Price(0.005, 1_000, "PUT requests of S3", f"{_AWS}/s3/pricing/"),
        object_gets=Price(0.0004, 1_000, "GET requests of S3", f"{_AWS}/s3/pricing/"),
        lambda_requests=Price(0.20, _MILLION, "requests", f"{_AWS}/lambda/pricing/"),
        gb_seconds=Price(0.0000133334, 1, "GB-seconds on arm64", f"{_AWS}/lambda/pricing/"),
        sqs_requests=Price(0.40, _MILLION, "requests to standard queues", f"{_AWS}/sqs/pricing/"),
        fair_requests=Price(0.10, _MILLION, "requests with a message group, more", f"{_AWS}/sqs/pricing/"),
        api_requests=Price(1.00, _MILLION, "requests to an HTTP API", f"{_AWS}/api-gateway/pricing/"),
        kms_requests=Price(0.03, 10_000, "symmetric requests", f"{_AWS}/kms/pricing/"),
        kms_keys=Price(1.00, 1, "key-months", f"{_AWS}/kms/pricing/"),
        log_gb=Price(0.50, 1, "GB of logs ingested", f"{_AWS}/cloudwatch/pricing/"),
        metrics=Price(0.30, 1, "custom metric-months", f"{_AWS}/cloudwatch/pricing/"),
        alarm_metrics=Price(0.10, 1, "alarm metric-months", f"{_AWS}/cloudwatch/pricing/"),
        dashboards=Price(3.00, 1, "dashboard-months", f"{_AWS}/cloudwatch/pricing/"),
        insight_rules=Price(0.50, 1, "months of a Contributor Insights rule", f"{_AWS}/cloudwatch/pricing/"),
        insight_events=Price(0.02, _MILLION, "log events that match a rule", f"{_AWS}/cloudwatch/pricing/"),
        transfer_gb=Price(0.09, 1, "GB to the internet", f"{_AWS}/ec2/pricing/on-demand/"),
    ),
}
"""By region. A region without prices of its own is not priced at all."""

NOT_PRICED = (
    "provisioned pollers of event sources (priced by the hour of an event poller unit)",
    "the single charge for warm throughput above 4,000 writes and 12,000 reads",
    "storage of logs after their ingestion, and the rules of EventBridge",
)
"""What a deployment may be charged for, and no price was found in a source."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A service that calls an HTTP endpoint at a time, with its list price."""

    name: str
    per_million: float
    chunk_bytes: int | None
    """A call is billed once for each chunk of its body, or once."""
    how: str
    page: str

    def dollars_per_million(self, body_bytes: int) -> float:
        """Of a million executions, each created and called once."""
        chunks = 1 if self.chunk_bytes is None else max(1, -(-body_bytes // self.chunk_bytes))
        return self.per_million * chunks


RIVALS = (
    Rival(
        "EventBridge Scheduler to HTTP",
        2.20,
        65_536,
        "$1.00 invocation, $1.00 event, $0.20 destination",
        f"{_AWS}/eventbridge/pricing/",
    ),
    Rival(
        "QStash", 10.00, None, "$1.00 for 100,000 messages", "https://upstash.com/docs/qstash/overall/pricing"
    ),
    Rival(
        "Google Cloud Tasks",
        0.80,
        32_768,
        "$0.40 creation, $0.40 delivery",
        "https://cloud.google.com/tasks/pricing",
    ),
)


def prices_of(region: str) -> Prices:
    """ValueError for a region without a table."""
    if region not in PRICES:
        raise ValueError(
            f"there are prices of {', '.join(PRICES)} only, not of {region!r}: give one of these, or add the "
            "region with the page of each price to infra/sizing/prices.py"
        )
    return PRICES[region]
