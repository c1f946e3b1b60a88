"""Entry point of the event receiver: events of the stage's event bus, which a queue delivers."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from functions.event_receiver.report import LATER, REFUSED, emit
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.errors import IdempotencyKeyReusedError, InvalidValueError, PunctualError
from shared.domain.triggers.bus_event import read_bus_event
from shared.observability import emit_and_flush, logger
from shared.settings import EventReceiverSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = EventReceiverSettings.from_env(os.environ)
route_event = use_cases(dynamo_ports(settings), settings).triggers.route_event
STOP_BEFORE_END_MS = 10_000
"""An event begins only while more is left: time for its calls of stores and their repetitions, and for the answer. A
function that is stopped answers nothing, and SQS would deliver the whole batch again."""
_PERMANENT = (InvalidValueError, IdempotencyKeyReusedError)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Receive each event for which there is time. The response lists those to deliver again. SQS does so after the
    visibility timeout, and moves an event to the dead-letter queue at last: one of a tenant over its quota, and one
    that is refused."""
    records = event["Records"]
    results = []
    for record in records:
        has_time = context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS
        results.append((record["messageId"], _receive(record) if has_time else LATER))
    emit_and_flush(lambda: emit(Counter(result for _, result in results)))
    failed = [message_id for message_id, result in results if result in (REFUSED, LATER)]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _receive(record: dict[str, Any]) -> str:
    told: dict[str, Any] = {"sqs_message": record["messageId"], "account": None, "source": None}
    try:
        received = read_bus_event(record["body"])
        told |= {"account": received.account, "source": received.source}
        return route_event.execute(received)
    except _PERMANENT as error:
        logger.error("event refused", extra={**told, "reason": str(error)})
        return REFUSED
    except PunctualError as error:
        # Quotas, rates and stores that do not answer: SQS delivers the event again.
        logger.warning("event delivered again", extra={**told, "reason": type(error).__name__})
        return LATER
    except Exception:  # noqa: BLE001 - a bug in one event must not hold up the others
        logger.exception("event failed", extra=told)
        return LATER
