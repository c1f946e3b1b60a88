"""Entry point of the HTTP API."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.api.app import Api
from functions.api.service import Service
from shared.bootstrap import callbacks
from shared.names import Metric
from shared.observability import count, metrics

parts = callbacks.parts_from(os.environ)
api = Api(
    Service(
        create_job=callbacks.create_job(parts),
        find_job=parts.find_job,
        cancel_job=callbacks.cancel_job(parts),
        list_executions=callbacks.list_executions(parts),
        list_dead_letters=callbacks.list_dead_letters(parts),
        open_request=parts.open_request,
        vault=parts.vault,
        clock=parts.core.clock,
    ),
    callbacks.authenticate(parts),
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One request of the HTTP API, payload version 2.0."""
    count(Metric.API_REQUESTS)
    return api(event, context)
