"""Entry point of the HTTP API."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.api.app import Api
from functions.api.operations.deployed import service_of
from shared.bootstrap import accounts, callbacks
from shared.names import Metric
from shared.observability import count, metrics

parts = accounts.api_parts_from(os.environ)
api = Api(service_of(parts), callbacks.authenticate(parts), parts.check_quota)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One request of the HTTP API, payload version 2.0."""
    count(Metric.API_REQUESTS)
    answer = api(event, context)
    count(Metric.QUOTA_STORE_ERRORS, parts.check_quota.spend.take_store_errors())
    return answer
