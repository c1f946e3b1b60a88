"""What the adapters report about the services below, as metrics and log lines."""

from shared.names import Metric
from shared.observability import count, logger


def report_group_failure(fault: str) -> None:
    count(Metric.GROUPS_FAILED, 1)
    logger.warning("group commit failed", extra={"fault": fault})


def report_throttles(throttled: int, operation: str, resources: list[str]) -> None:
    count(Metric.THROTTLED_REQUESTS, throttled)
    logger.warning("throttled", extra={"operation": operation, "requests": throttled, "resources": resources})
