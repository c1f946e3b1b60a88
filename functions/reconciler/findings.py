"""Metrics and log lines of what a reconciler has found."""

from shared.names import Metric
from shared.observability import count, logger, metrics, quarantined
from shared.usecases.ticks.reconcile_report import ReconcileReport


def emit_findings(report: ReconcileReport) -> None:
    """Flush the findings now: a timeout later in this run must not lose them."""
    count(Metric.RECONCILED_JOBS, report.jobs)
    count(Metric.MISSING_EXECUTIONS, len(report.missing_executions))
    count(Metric.CHAINS_REPAIRED, len(report.chains_repaired))
    count(Metric.DOUBLE_COMPLETED, len(report.double_completed))
    quarantined(report.unreadable)
    for identity in report.missing_executions:
        logger.error("missing_executions", extra={"id": identity})
    for identity in report.chains_repaired:
        logger.error("chains_repaired", extra={"id": identity})
    for identity in report.double_completed:
        logger.error("double_completed", extra={"id": identity})
    metrics.flush_metrics()
