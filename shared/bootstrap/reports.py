"""What several functions report, as metrics and log lines."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.aws.client import AwsCall, AwsClient
from shared.adapters.aws.denials import ReportedDenials
from shared.domain.executions.execution import Execution
from shared.names import Metric
from shared.observability import count, logger


def report_group_failure(fault: str) -> None:
    count(Metric.GROUPS_FAILED, 1)
    logger.warning("group commit failed", extra={"fault": fault})


def report_throttles(throttled: int, operation: str, resources: list[str]) -> None:
    count(Metric.THROTTLED_REQUESTS, throttled)
    logger.warning("throttled", extra={"operation": operation, "requests": throttled, "resources": resources})


def reported_denials(call: AwsCall) -> AwsClient:
    """A client that logs each refusal for lack of a permission."""
    return AwsClient(ReportedDenials(call, _report_denial))


def _report_denial(operation: str, code: str) -> None:
    logger.error("denied", extra={"aws_operation": operation, "aws_error": code})


def report_lost(lost: Execution) -> None:
    """The execution failed, because its last attempt was lost with its worker."""
    logger.warning(
        "worker lost",
        extra={
            "execution": str(lost.id),
            "tenant": lost.tenant_id,
            "attempt": lost.attempt,
            "trace": lost.trace.id,
            "span": lost.span_id,
        },
    )


def report_unrecorded(evidence: Mapping[str, Any]) -> None:
    """A change was made, and its audit record may be missing: the line is the record. It has ids and digests."""
    logger.error(
        "change made but not recorded",
        extra={
            "tenant": evidence["tenant"],
            "operation": evidence["operation"],
            "target": evidence["target"],
            "before": evidence["before"],
            "after": evidence["after"],
            "request_id": evidence["request_id"],
            "actor": evidence["actor"],
        },
    )
