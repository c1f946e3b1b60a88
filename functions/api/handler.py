"""Entry point of the HTTP API."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.api.app import Api
from functions.api.operations.accounts import account_operations, audit_operations
from functions.api.operations.backfills import backfill_operations
from functions.api.operations.batches import batch_operations
from functions.api.operations.callbacks import callback_operations
from functions.api.operations.jobs import JobOperations
from functions.api.operations.lifecycle import LifecycleOperations
from functions.api.operations.queries import execution_operations, listing_operations
from functions.api.service import Service
from shared.bootstrap import accounts, callbacks
from shared.names import Metric
from shared.observability import count, metrics

parts = accounts.api_parts_from(os.environ)
audit = audit_operations(parts)
api = Api(
    Service(
        jobs=JobOperations(
            create_job=callbacks.create_job(parts, parts.check_quota),
            find_job=parts.find_job,
            cancel_job=callbacks.cancel_job(parts),
            open_request=parts.open_request,
            clock=parts.core.clock,
        ),
        batches=batch_operations(parts),
        backfills=backfill_operations(parts),
        lifecycle=LifecycleOperations(
            find_job=parts.find_job,
            open_request=parts.open_request,
            revise_job=callbacks.revise_job(parts),
            trigger_job=callbacks.trigger_job(parts),
            lifecycle=parts.core.lifecycle,
            check_quota=parts.check_quota,
            clock=parts.core.clock,
        ),
        executions=execution_operations(parts),
        callbacks=callback_operations(parts),
        listings=listing_operations(parts),
        accounts=account_operations(parts, audit),
        audit=audit,
    ),
    callbacks.authenticate(parts),
    parts.check_quota,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One request of the HTTP API, payload version 2.0."""
    count(Metric.API_REQUESTS)
    answer = api(event, context)
    count(Metric.BUDGETS_UNANSWERED, parts.check_quota.spend.take_unanswered())
    return answer
