"""Entry point of the sweeper: a tick from EventBridge."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from shared.bootstrap.ticks import core_from_env, sweep_buckets
from shared.names import Metric
from shared.observability import count, logger, metrics, seconds

STOP_BEFORE_END_MS = 10_000
sweep = sweep_buckets(core_from_env())


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Sweep what has come round; what there is no time for is left to the next tick."""
    report = sweep(lambda: context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS)
    count(Metric.SWEEPER_TICK)
    seconds(Metric.OLDEST_UNCLAIMED_DUE_SECONDS, report.oldest_unclaimed_ms / 1000)
    count(Metric.RESENT, report.resent)
    count(Metric.WORKER_LOST, report.worker_lost)
    count(Metric.QUARANTINED, len(report.quarantined))
    count(Metric.SEND_FAILED, report.send_failed)
    if report.worker_lost:
        count(Metric.FAILED, report.worker_lost)
    for row in report.quarantined:
        logger.error("unreadable row", extra={"row": row})
    if report.resent or report.worker_lost or report.unavailable:
        logger.warning(
            "swept",
            extra={
                "resent": report.resent,
                "worker_lost": report.worker_lost,
                "unavailable": report.unavailable,
                "held_back": report.held_back,
            },
        )
    return {"swept": report.shards_swept, "closed": report.closed, "resent": report.resent}
