"""Dollars for what is used, by component."""

from collections.abc import Mapping

from infra.sizing.prices import Prices
from infra.sizing.usage import Usage


def bill(usage: Usage, prices: Prices) -> Mapping[str, float]:
    """Dollars by component, in the order of a request's path."""
    return {
        "API Gateway": usage.api_requests * prices.api_requests.each,
        "DynamoDB writes": (usage.table_writes + usage.write_units) * prices.write_units.each
        + usage.write_unit_hours * prices.write_unit_hours.each,
        "DynamoDB reads": (usage.table_reads + usage.read_units) * prices.read_units.each
        + usage.read_unit_hours * prices.read_unit_hours.each,
        "DynamoDB storage and backups": usage.storage * prices.storage.each
        + usage.backup * prices.backup.each,
        "S3": usage.object_storage * prices.object_storage.each
        + usage.cold_storage * prices.cold_storage.each
        + usage.object_puts * prices.object_puts.each
        + usage.object_gets * prices.object_gets.each,
        "Lambda requests": usage.lambda_requests * prices.lambda_requests.each,
        "Lambda GB-seconds": usage.gb_seconds * prices.gb_seconds.each,
        "SQS requests": usage.sqs_requests * prices.sqs_requests.each
        + usage.fair_requests * prices.fair_requests.each,
        "KMS": usage.kms_requests * prices.kms_requests.each + usage.kms_keys * prices.kms_keys.each,
        "CloudWatch logs": usage.log_gb * prices.log_gb.each,
        "CloudWatch metrics": usage.metrics * prices.metrics.each,
        "CloudWatch alarms": usage.alarm_metrics * prices.alarm_metrics.each,
        "CloudWatch dashboard": usage.dashboards * prices.dashboards.each,
        "CloudWatch Contributor Insights": usage.insight_rules * prices.insight_rules.each
        + usage.insight_events * prices.insight_events.each,
        "data to the internet": usage.transfer_gb * prices.transfer_gb.each,
    }


def total(usage: Usage, prices: Prices) -> float:
    return sum(bill(usage, prices).values())
