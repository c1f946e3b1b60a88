"""Entry point of the event receiver: events of the stage's event bus, which a queue delivers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from functions.event_receiver.report import emit
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.event_records import read_queued_event
from shared.bootstrap.use_cases import use_cases
from shared.observability import emit_and_flush
from shared.settings import EventReceiverSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = EventReceiverSettings.from_env(os.environ)
receive = use_cases(dynamo_ports(settings), settings).triggers.receive_queued_events
STOP_BEFORE_END_MS = 10_000
"""No event begins later, so that those that are to be delivered again can still be sent."""


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Receive each event for which there is time. The response lists the messages that SQS itself delivers again, after
    their visibility timeout, because they could not be sent."""
    settled = receive.execute(
        [read_queued_event(record) for record in event["Records"]],
        lambda: context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS,
    )
    emit_and_flush(lambda: emit(settled))
    return {"batchItemFailures": [{"itemIdentifier": each.event.id} for each in settled if each.is_returned]}
