"""Dollars for what is used, by component."""

from collections.abc import Mapping
from enum import StrEnum

from infra.capacity import HEAD_ROOM
from infra.sizing.prices import Prices
from infra.sizing.usage import Usage

SECONDS_PER_HOUR = 3_600


class Capacity(StrEnum):
    """How the tables are paid for."""

    ON_DEMAND = "on demand"
    PROVISIONED = "provisioned"


def bill(usage: Usage, prices: Prices, capacity: Capacity = Capacity.ON_DEMAND) -> Mapping[str, float]:
    """Dollars by component, in the order of a request's path."""
    if capacity is Capacity.PROVISIONED:
        write, read = _provisioned(prices.write_unit_hours.each), _provisioned(prices.read_unit_hours.each)
    else:
        write, read = prices.write_units.each, prices.read_units.each
    return {
        "API Gateway": usage.api_requests * prices.api_requests.each,
        "DynamoDB writes": usage.write_units * write,
        "DynamoDB reads": usage.read_units * read,
        "DynamoDB storage and backups": usage.storage * prices.storage.each
        + usage.backup * prices.backup.each,
        "Lambda requests": usage.lambda_requests * prices.lambda_requests.each,
        "Lambda GB-seconds": usage.gb_seconds * prices.gb_seconds.each,
        "SQS requests": usage.sqs_requests * prices.sqs_requests.each
        + usage.fair_requests * prices.fair_requests.each,
        "KMS": usage.kms_requests * prices.kms_requests.each + usage.kms_keys * prices.kms_keys.each,
        "CloudWatch logs": usage.log_gb * prices.log_gb.each,
        "CloudWatch metrics": usage.metrics * prices.metrics.each,
        "CloudWatch alarms": usage.alarm_metrics * prices.alarm_metrics.each,
        "CloudWatch dashboard": usage.dashboards * prices.dashboards.each,
        "data to the internet": usage.transfer_gb * prices.transfer_gb.each,
    }


def total(usage: Usage, prices: Prices, capacity: Capacity = Capacity.ON_DEMAND) -> float:
    return sum(bill(usage, prices, capacity).values())


def _provisioned(hour: float) -> float:
    """A unit of steady traffic, where the provisioned units are used up to the head room."""
    return hour / SECONDS_PER_HOUR / HEAD_ROOM
