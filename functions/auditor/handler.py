"""Entry point of the auditor: a tick from EventBridge, every five minutes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.names import Metric
from shared.observability import count, logger, metrics, seconds
from shared.settings import AuditorSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.usecases.audit_trail.export_audit import ExportReport

STOP_BEFORE_END_MS = 120_000
"""Time to write one segment of 10,000 records, which took some seconds, and to note it."""
settings = AuditorSettings.from_env(os.environ)
export = use_cases(dynamo_ports(settings), settings).audit_trail.export


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Export what is due, as long as there is time; later ticks continue."""

    def has_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS)

    report = export.execute(has_time)
    # Zero too: without a value, the alarm takes the auditor for dead.
    seconds(Metric.AUDIT_TRAIL_OVERDUE_SECONDS, report.overdue_ms / 1000)
    count(Metric.AUDIT_TRAIL_MISMATCH, len(report.faults))
    _log(report)
    return {"segments": report.segments, "records": report.records}


def _log(report: ExportReport) -> None:
    for fault in report.faults:
        logger.error("audit trail broken", extra={"segment": fault.number, "reason": fault.reason})
    if report.late:
        logger.warning("late audit records", extra={"records": report.late})
    if report.is_overtaken or report.is_unavailable:
        logger.warning(
            "audit trail left to the next run",
            extra={"overtaken": report.is_overtaken, "unavailable": report.is_unavailable},
        )
