"""SQS records in, partial batch response out."""

from typing import Any

from shared.bootstrap.aws import decode_wakeup
from shared.domain.errors import InvalidValueError, NewerMessageError
from shared.usecases.attempts.run_attempts import BatchReport, Delivery


def deliveries(records: list[dict[str, Any]]) -> list[Delivery]:
    """The messages of a batch; one that cannot be read is among them, with the reason."""
    return [_delivery(record) for record in records]


def _delivery(record: dict[str, Any]) -> Delivery:
    wakeup, fault, is_newer = None, "", False
    try:
        wakeup = decode_wakeup(record["body"])
    except InvalidValueError as unreadable:
        fault, is_newer = str(unreadable), isinstance(unreadable, NewerMessageError)
    return Delivery(
        message_id=record["messageId"],
        sent_at=int(record["attributes"]["SentTimestamp"]),
        receive_count=int(record["attributes"]["ApproximateReceiveCount"]),
        wakeup=wakeup,
        fault=fault,
        is_newer=is_newer,
    )


def batch_response(report: BatchReport) -> dict[str, Any]:
    """What tells Lambda which messages to keep."""
    failures = [{"itemIdentifier": settled.delivery.message_id} for settled in report.returned()]
    return {"batchItemFailures": failures}
