"""Entry point of the redriver, which works on all tasks that are done page by page: a tick from EventBridge."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.errors import UnavailableError
from shared.names import Metric
from shared.observability import count, logger, metrics
from shared.settings import RedriverSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

STOP_BEFORE_END_MS = 30_000
"""Longer than a page takes: no page is begun that the time limit would cut."""
MAX_PARKED_COUNT = 10
"""The alarm needs no higher count of parked messages."""
settings = RedriverSettings.from_env(os.environ)
cases = use_cases(dynamo_ports(settings), settings)
process = cases.bulk.process_bulk_tasks
parked_messages = cases.core.ports.parked_messages


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Process bulk tasks, deletions and searches as far as the time suffices; the next tick continues."""
    report = process.execute(lambda: context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS)
    count(Metric.REDRIVER_TICK)
    count(Metric.REDRIVEN, report.redriven)
    count(Metric.REDRIVES_UNDONE, report.undone)
    count(Metric.BULK_CHANGED, report.changed)
    if report.deleted:
        logger.info("rows of tenants deleted", extra={"rows": report.deleted})
    if report.found:
        logger.info("searches found executions", extra={"rows": report.found})
    for task_id in report.unreadable:
        logger.error("unreadable bulk task", extra={"task": task_id})
    if report.unavailable:
        logger.warning("bulk tasks are left to the next run", extra={"unavailable": report.unavailable})
    _count_parked()
    return {
        "redriven": report.redriven,
        "undone": report.undone,
        "changed": report.changed,
        "found": report.found,
        "ended": report.ended,
    }


def _count_parked() -> None:
    try:
        count(Metric.PARKED_WAITING, len(parked_messages.parked(MAX_PARKED_COUNT)))
    except UnavailableError:
        logger.warning("parked messages are not counted")
