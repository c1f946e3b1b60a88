"""Returns a received message to its queue with a delay."""

from collections.abc import Mapping

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.names import EXECUTOR_TIMEOUT_SECONDS, QueueName

MAX_VISIBILITY_SECONDS = 43_200 - EXECUTOR_TIMEOUT_SECONDS
"""SQS allows 12 hours, counted from the receipt of the message, and rejects longer timeouts."""


class SqsVisibility:
    """Sets the visibility timeout of a received message."""

    def __init__(self, client: AwsClient, queue_urls: Mapping[QueueName, str]) -> None:
        self._client = client
        self._queue_urls = dict(queue_urls)

    def __call__(self, queue: QueueName, receipt_handle: str, seconds: int) -> bool:
        """Best effort: on False, the queue's own, longer visibility timeout applies."""
        try:
            self._client.change_message_visibility(
                QueueUrl=self._queue_urls[queue],
                ReceiptHandle=receipt_handle,
                VisibilityTimeout=min(max(seconds, 0), MAX_VISIBILITY_SECONDS),
            )
        except (AwsError, NoAnswerError):
            return False
        return True
