"""SQS records as deliveries, and the partial batch response."""

from typing import Any

from shared.bootstrap.aws import read_newer, read_wakeup
from shared.domain.errors import InvalidValueError, NewerMessageError
from shared.usecases.attempts.batch_report import BatchReport, Delivery


def deliveries(records: list[dict[str, Any]]) -> list[Delivery]:
    """The messages of a batch. An unreadable message has no wake-up, but a reason."""
    return [_delivery(record) for record in records]


def _delivery(record: dict[str, Any]) -> Delivery:
    wakeup, reason, newer = None, "", None
    try:
        wakeup = read_wakeup(record)
    except InvalidValueError as error:
        reason = str(error)
        newer = read_newer(record) if isinstance(error, NewerMessageError) else None
    attributes = record["attributes"]
    first_received_at = attributes.get("ApproximateFirstReceiveTimestamp")
    return Delivery(
        message_id=record["messageId"],
        sent_at=int(attributes["SentTimestamp"]),
        receive_count=int(attributes["ApproximateReceiveCount"]),
        first_received_at=None if first_received_at is None else int(first_received_at),
        wakeup=wakeup,
        error=reason,
        newer=newer,
    )


def batch_response(report: BatchReport) -> dict[str, Any]:
    """Lambda's partial batch response: the messages to retry."""
    failures = [{"itemIdentifier": settled.delivery.message_id} for settled in report.returned()]
    return {"batchItemFailures": failures}
