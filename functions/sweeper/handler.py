"""Entry point of the sweeper: a tick from EventBridge."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.reports import report_lost
from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import ShardRange
from shared.domain.schedules.instants import parse_instant
from shared.names import Metric
from shared.observability import count, logger, metrics, quarantined, seconds
from shared.settings import Settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

STOP_BEFORE_END_MS = 10_000
settings = Settings.from_env(os.environ)
sweep = use_cases(dynamo_ports(settings), settings).ticks.sweep_buckets


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Sweep the part {"index": i, "of": n} as far as the time suffices; the next tick continues."""

    def has_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS)

    part = ShardRange(index=event["range"]["index"], of=event["range"]["of"])
    ticked_at = parse_instant(event["time"], None) if "time" in event else None
    report = sweep.execute(has_time, part, ticked_at)
    count(Metric.SWEEPER_TICK)
    if report.oldest_unclaimed_ms:
        seconds(Metric.OLDEST_UNCLAIMED_DUE_SECONDS, report.oldest_unclaimed_ms / 1000)
    if report.oldest_waiting_ms:
        seconds(Metric.OLDEST_WAITING_DUE_SECONDS, report.oldest_waiting_ms / 1000)
    count(Metric.RESENT, report.resent)
    count(Metric.OPEN_BREAKERS, report.open_breakers)
    count(Metric.WORKER_LOST, report.worker_lost)
    count(Metric.SEND_FAILED, report.send_failed)
    count(Metric.FAILED, report.worker_lost)
    quarantined(report.quarantined)
    if report.resent or report.worker_lost or report.unavailable or report.suspended or report.index_repaired:
        logger.warning(
            "swept",
            extra={
                "resent": report.resent,
                "worker_lost": report.worker_lost,
                "unavailable": report.unavailable,
                "held_back": report.held_back,
                "suspended": report.suspended,
                "index_repaired": report.index_repaired,
            },
        )
    for lost in report.lost:
        report_lost(lost)
    return {"swept": report.shards_swept, "closed": report.closed, "resent": report.resent}
