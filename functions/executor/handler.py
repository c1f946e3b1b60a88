"""Entry point of the executors: a batch of wake-ups from one queue."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from functions.executor.records import batch_response, deliveries
from functions.executor.report import emit, emit_limits
from shared.bootstrap.aws import run
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.observability import emit_and_flush
from shared.settings import ExecutorSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = ExecutorSettings.from_env(os.environ)
ports = dynamo_ports(settings)
run_attempts = use_cases(ports, settings).attempts.run_attempts(settings.lane)
gate = run_attempts.gate
put_back = ports.visibility


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Run the batch. The response lists the messages to retry; SQS deletes all others."""
    records = event["Records"]
    deadline_at = ports.clock.now_ms() + context.get_remaining_time_in_millis()
    report = run(run_attempts.execute(deliveries(records), deadline_at))
    receipts = {record["messageId"]: record["receiptHandle"] for record in records}
    for settled in report.returned():
        put_back(settings.lane, receipts[settled.delivery.message_id], settled.visible_after_seconds)
    emit_and_flush(lambda: emit(report, settings.lane), lambda: emit_limits(gate))
    return batch_response(report)
