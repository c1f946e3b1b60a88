"""Entry point of the watchers: a tick from EventBridge for one part of the shards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import ShardRange
from shared.names import Metric
from shared.observability import count, logger, metrics, quarantined
from shared.settings import Settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = Settings.from_env(os.environ)
watch = use_cases(dynamo_ports(settings), settings).ticks.watch_buckets


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Watch the part `event["range"]` = {"index": i, "of": n}. The next tick makes up for a failed one."""
    part = ShardRange(index=event["range"]["index"], of=event["range"]["of"])
    report = watch.execute(part)
    count(Metric.WATCHER_TICK)
    count(Metric.DUE_FOUND, report.found)
    count(Metric.WAKEUPS_SENT, report.sent)
    count(Metric.SEND_FAILED, report.send_failed)
    quarantined(report.unreadable)
    if report.send_failed:
        logger.warning(
            "sends failed",
            extra={"send_failed": report.send_failed, "sent": report.sent, "found": report.found},
        )
    return {"found": report.found, "sent": report.sent}
