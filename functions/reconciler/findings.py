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
    for kind in ("missing_executions", "chains_repaired", "double_completed"):
        for identity in getattr(report, kind):
            logger.error(kind, extra={"id": identity})
    metrics.flush_metrics()
