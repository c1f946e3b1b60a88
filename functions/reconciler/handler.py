"""Entry point of the reconciler: ticks from EventBridge, four times an hour."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from functions.reconciler.findings import emit_findings
from functions.reconciler.recomputed import log_recomputed
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import ShardRange, bucket_end_ms
from shared.domain.dispatch.sampling import sample_percent
from shared.names import Metric
from shared.observability import count, logger, metrics, percent, seconds
from shared.settings import ReconcilerSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

STOP_BEFORE_END_MS = 20_000
settings = ReconcilerSettings.from_env(os.environ)
cases = use_cases(dynamo_ports(settings), settings)
clock = cases.core.ports.clock
definitions = cases.ticks.reconcile_definitions
minutes = cases.ticks.reconcile_minutes


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Reconcile the part `event["range"]` = {"index": i, "of": n} of the definitions, or the minutes that have
    settled if there is no range. The next tick continues."""

    def has_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS)

    if "range" in event:
        part = ShardRange(index=event["range"]["index"], of=event["range"]["of"])
        report = definitions.execute(has_time, part, emit_findings, log_recomputed)
        seconds(Metric.RECONCILER_COVERAGE_SECONDS, (clock.now_ms() - definitions.covered_at()) / 1000)
        count(Metric.RECOMPUTED, report.recomputed)
    else:
        report = minutes.execute(has_time, emit_findings)
        done = minutes.checked()
        age_ms = clock.now_ms() - bucket_end_ms(done.through)
        seconds(Metric.RECONCILER_CHECKED_THROUGH_SECONDS, age_ms / 1000)
        if done.sample_level:
            percent(Metric.RECONCILER_SAMPLE_PERCENT, sample_percent(done.sample_level))
    metrics.flush_metrics()
    if left := report.outdated - report.recomputed:
        logger.warning("not recomputed yet", extra={"jobs": left})
    if report.unavailable:
        logger.warning("left to the next run", extra={"unavailable": report.unavailable})
    return {
        "accepted": report.accepted,
        "jobs": report.jobs,
        "executions": report.executions,
        "missing_executions": len(report.missing_executions),
        "recomputed": report.recomputed,
        "payloads_collected": report.payloads_collected,
    }
