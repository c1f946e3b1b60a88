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
"""No event begins later. If the function is stopped, SQS delivers the whole batch again."""
_PERMANENT = (InvalidValueError, IdempotencyKeyReusedError)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Receive each event for which there is time. The response lists those to deliver again: SQS does so after the
    visibility timeout, and moves an event to the dead-letter queue at last."""
    results = []
    for record in event["Records"]:
        has_time = context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS
        results.append((record["messageId"], _receive(record) if has_time else LATER))
    emit_and_flush(lambda: emit(Counter(result for _, result in results)))
    failed = [message_id for message_id, result in results if result in (REFUSED, LATER)]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _receive(record: dict[str, Any]) -> str:
    message, account, source = record["messageId"], None, None
    try:
        received = read_bus_event(record["body"])
        account, source = received.account, received.source
        return route_event.execute(received)
    except _PERMANENT as error:
        logger.error(
            "event refused",
            extra={"sqs_message": message, "account": account, "source": source, "reason": str(error)},
        )
        return REFUSED
    except PunctualError as error:
        reason = type(error).__name__
        logger.warning(
            "event delivered again",  # a quota, a rate, or a store that does not answer
            extra={"sqs_message": message, "account": account, "source": source, "reason": reason},
        )
        return LATER
    except Exception:  # noqa: BLE001 - a bug in one event must not hold up the others
        logger.exception("event failed", extra={"sqs_message": message, "account": account, "source": source})
        return LATER
