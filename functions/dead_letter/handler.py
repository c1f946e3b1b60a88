"""Entry point for the dead-letter queues of all lanes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from shared.bootstrap.aws import read_newer, read_wakeup
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.reports import report_lost
from shared.bootstrap.use_cases import use_cases
from shared.domain.errors import InvalidValueError, NewerMessageError
from shared.names import Metric
from shared.observability import count, emit_and_flush, logger
from shared.settings import DeadLetterSettings
from shared.usecases.dead_letters.handle_dead_messages import DeadMessage, DeadMessageReport

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = DeadLetterSettings.from_env(os.environ)
rescue = use_cases(dynamo_ports(settings), settings).dead_letters.handle_dead_messages
lanes = {arn: lane for lane, arn in settings.dead_letter_arns.items()}


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Settle each message. The response lists those that hit a store error; SQS delivers them again."""
    report = rescue.execute([_message(record) for record in event["Records"]])
    emit_and_flush(lambda: _emit(report, len(event["Records"])))
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in report.returned]}


def _emit(report: DeadMessageReport, received: int) -> None:
    count(Metric.DEAD_MESSAGES, received)
    count(Metric.DEAD_LETTER_RESCHEDULED, report.rescheduled)
    count(Metric.DEAD_LETTER_PARKED, report.parked)
    count(Metric.DEAD_LETTER_FAILED, report.failed)
    logger.warning(
        "dead letters",
        extra={"rescheduled": report.rescheduled, "parked": report.parked, "failed": report.failed},
    )
    for lost in report.lost:
        report_lost(lost)


def _message(record: dict[str, Any]) -> DeadMessage:
    wakeup, reason, newer = None, "", None
    try:
        wakeup = read_wakeup(record)
    except InvalidValueError as error:
        reason = str(error)
        newer = read_newer(record) if isinstance(error, NewerMessageError) else None
    return DeadMessage(
        message_id=record["messageId"],
        lane=lanes[record["eventSourceARN"]],
        body=record["body"],
        wakeup=wakeup,
        error=reason,
        newer=newer,
    )
