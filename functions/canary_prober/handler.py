"""Entry point of the canary's prober: a tick from EventBridge each minute."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from shared.bootstrap.canary import send_probe
from shared.names import Metric
from shared.observability import count, logger, metrics, milliseconds
from shared.settings import ProberSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

probe = send_probe(ProberSettings.from_env(os.environ))


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, str]:
    """Create the job of the tick's minute by a request to the public API."""
    report = probe.execute(event.get("time"))
    if report.failure is None:
        milliseconds(Metric.CANARY_REQUEST_MS, [report.request_ms])
    else:
        count(Metric.CANARY_FAILED)
        logger.error("canary refused", extra={"path": report.path, "failure": report.failure})
    return {"path": report.path}
