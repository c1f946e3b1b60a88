"""Lambda's event source for a queue: up to ten messages a batch; what the function does not list is deleted."""

from collections.abc import Callable
from typing import Any

from infra.local.clients import REGION
from tests.crashes.deployment import Queue

BATCH = 10

Ask = Callable[[Any], Any]
"""Invokes the function; None where it died or failed."""


def deliver(sqs: Any, queue: Queue, ask: Ask, *, wait_seconds: int = 0) -> bool:
    """Hand over one batch; False where the queue had none. Where the function fails all of it stays, invisible."""
    received = sqs.receive_message(
        QueueUrl=queue.url,
        MaxNumberOfMessages=BATCH,
        WaitTimeSeconds=wait_seconds,
        MessageSystemAttributeNames=["All"],
        MessageAttributeNames=["All"],
    ).get("Messages", [])
    if not received:
        return False
    answer = ask({"Records": [_record(queue, message) for message in received]})
    if answer is None:
        return True
    kept = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
    done = [message for message in received if message["MessageId"] not in kept]
    if done:
        entries = [
            {"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]}
            for number, message in enumerate(done)
        ]
        sqs.delete_message_batch(QueueUrl=queue.url, Entries=entries)
    return True


def _record(queue: Queue, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": {
            name: {"dataType": value["DataType"], "stringValue": value.get("StringValue")}
            for name, value in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue.arn,
        "awsRegion": REGION,
    }
