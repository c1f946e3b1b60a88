"""Entry point of the reconciler: a tick from EventBridge, four times an hour."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.reconciler.recomputed import log_recomputed
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.names import Metric
from shared.observability import count, logger, metrics
from shared.settings import ReconcilerSettings
from shared.usecases.ticks.reconcile import ReconcileReport

STOP_BEFORE_END_MS = 20_000
settings = ReconcilerSettings.from_env(os.environ)
run = use_cases(dynamo_ports(settings), settings).ticks.reconcile


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Reconcile the minutes that have settled since the last run, as far as the time suffices."""
    report = run.execute(
        lambda: context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS, _emit, log_recomputed
    )
    count(Metric.RECOMPUTED, report.recomputed)
    metrics.flush_metrics()
    left = len(report.outdated) - report.recomputed
    if left:
        logger.warning("not recomputed yet", extra={"jobs": left})
    return {
        "accepted": report.accepted,
        "jobs": report.jobs,
        "executions": report.executions,
        "missing_executions": len(report.missing_executions),
        "recomputed": report.recomputed,
        "payloads_collected": report.payloads_collected,
    }


def _emit(report: ReconcileReport) -> None:
    """Flush the findings now: a timeout later in this run must not lose them."""
    count(Metric.RECONCILER_TICK)
    count(Metric.RECONCILED_JOBS, report.jobs)
    count(Metric.MISSING_EXECUTIONS, len(report.missing_executions))
    count(Metric.CHAINS_REPAIRED, len(report.chains_repaired))
    count(Metric.DOUBLE_COMPLETED, len(report.double_completed))
    count(Metric.QUARANTINED, report.unreadable)
    if report.unavailable:
        logger.warning("left to the next run", extra={"unavailable": report.unavailable})
    for kind in ("missing_executions", "chains_repaired", "double_completed"):
        for identity in getattr(report, kind):
            logger.error(kind, extra={"id": identity})
    metrics.flush_metrics()
