"""Entry point of the archiver: a tick from EventBridge, every five minutes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from functions.archiver.findings import log_findings
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import ShardRange
from shared.names import Metric
from shared.observability import count, metrics, seconds
from shared.settings import ArchiverSettings
from shared.usecases.archive.archive_unit import PassEnd

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

STOP_BEFORE_END_MS = 600_000
"""A pass has at least ten minutes. The next tick begins five minutes after this one."""
settings = ArchiverSettings.from_env(os.environ)
archive = use_cases(dynamo_ports(settings), settings).archive.run


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Archive the part `event["range"]` = {"index": i, "of": n} of the groups of shards; later ticks continue."""

    def has_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS)

    part = ShardRange(index=event["range"]["index"], of=event["range"]["of"])
    report = archive.execute(has_time, part)
    seconds(Metric.ARCHIVE_OVERDUE_SECONDS, report.overdue_ms / 1000)
    count(Metric.ARCHIVE_MISMATCH, report.mismatched)
    log_findings(report)
    return {
        "passes": len(report.passes),
        "sealed": report.count(PassEnd.SEALED),
        "rows": sum(each.rows for each in report.passes),
    }
