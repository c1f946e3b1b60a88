"""Entry point of the HTTP API."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from functions.api.app import Api
from functions.api.context import Context
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.names import Metric
from shared.observability import count, metrics
from shared.settings import ApiSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = ApiSettings.from_env(os.environ)
cases = use_cases(dynamo_ports(settings), settings)
api = Api(Context(cases))


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One request of the HTTP API, payload version 2.0."""
    response = api(event, context)
    count(Metric.QUOTA_STORE_ERRORS, cases.core.spend.take_store_errors())
    return response
