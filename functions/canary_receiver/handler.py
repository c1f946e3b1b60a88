"""Entry point of the canary's receiver: a function URL, which anyone on the internet may call."""

from __future__ import annotations

import os
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from shared.bootstrap.canary import receive_probe
from shared.domain.canary import MAX_BODY_BYTES
from shared.names import Metric
from shared.observability import logger, metrics, milliseconds
from shared.settings import FunctionSettings
from shared.usecases.canary.receive_probe import Refusal

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

receive = receive_probe(FunctionSettings.from_env(os.environ))


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer 200 to genuine calls of the canary's jobs, and report their lag once. Others leave no metric."""
    if event["requestContext"]["http"]["method"] != "POST":
        return _answer(405)
    text = event.get("body") or ""
    if len(text) > 2 * MAX_BODY_BYTES:
        return _answer(413)
    try:
        body = b64decode(text) if event.get("isBase64Encoded") else text.encode()
    except ValueError:
        return _answer(400)
    result = receive.execute(event.get("headers") or {}, body)
    if isinstance(result, Refusal):
        if result.report is not None:
            logger.error("canary not verified", extra={"failure": result.report})
        return _answer(503 if result.is_temporary else 401)
    if not result.is_repeated:
        milliseconds(Metric.CANARY_LAG_MS, [result.lag_ms])
        logger.info("canary received", extra={"path": result.path, "lag_ms": result.lag_ms})
    return _answer(200)


def _answer(status: int) -> dict[str, Any]:
    return {"statusCode": status}
