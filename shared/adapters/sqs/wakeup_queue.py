"""SQS standard queues with a delay per message, and message groups for fairness between tenants."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.sqs.messages import encode_wakeup
from shared.adapters.sqs.newer_messages import newer_entry
from shared.adapters.sqs.traces import trace_attribute
from shared.adapters.sqs.waits import wait_attribute
from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.dispatch.wakeup import MAX_DELAY_SECONDS, Wakeup, delay_seconds, message_group
from shared.domain.errors import UnavailableError
from shared.names import QueueName
from shared.ports.dispatch import Weights
from shared.ports.runtime import Spread

MAX_ENTRIES = 10
"""The maximum of SendMessageBatch; ten wake-ups of ten keys are far below its size limit."""


class SqsWakeupQueue:
    """Sends batches of ten side by side, and returns every wake-up that SQS did not accept."""

    def __init__(
        self, client: AwsClient, queue_urls: Mapping[QueueName, str], weights: Weights, spread: Spread
    ) -> None:
        self._client = client
        self._spread = spread
        self._queue_urls = dict(queue_urls)
        self._weights = weights

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        weights = self._weights({wakeup.tenant_id for wakeup in wakeups})

        def send(batch: tuple[QueueName, Sequence[Wakeup]]) -> list[Wakeup]:
            return self._send_batch(*batch, now_ms, weights)

        return [failed for each in self._spread(send, list(_batches(wakeups))) for failed in each]

    def resend(self, queue: QueueName, message: NewerMessage) -> bool:
        try:
            response = self._client.send_message_batch(
                QueueUrl=self._queue_urls[queue],
                Entries=[newer_entry(message)],
            )
        except (AwsError, NoAnswerError):
            return False
        return bool(response.get("Successful"))

    def visible(self, queue: QueueName) -> int:
        try:
            response = self._client.get_queue_attributes(
                QueueUrl=self._queue_urls[queue], AttributeNames=["ApproximateNumberOfMessages"]
            )
        except (AwsError, NoAnswerError) as error:
            raise UnavailableError(type(error).__name__) from error
        return int(response["Attributes"]["ApproximateNumberOfMessages"])

    def _send_batch(
        self, queue: QueueName, batch: Sequence[Wakeup], now_ms: int, weights: Mapping[str, int]
    ) -> list[Wakeup]:
        entries: Any = [
            _entry(number, wakeup, now_ms, message_group(wakeup, weights[wakeup.tenant_id]))
            for number, wakeup in enumerate(batch)
        ]
        accepted, refused = self._post(queue, entries)
        if refused:
            # SQS describes groups and delays of standard queues apart. A call matters more than its fair share.
            ungrouped = [
                {name: value for name, value in entry.items() if name != "MessageGroupId"}
                for entry in entries
                if entry["Id"] in refused
            ]
            accepted |= self._post(queue, ungrouped)[0]
        return [wakeup for number, wakeup in enumerate(batch) if str(number) not in accepted]

    def _post(self, queue: QueueName, entries: Sequence[Mapping[str, Any]]) -> tuple[set[str], set[str]]:
        """The ids of the entries that SQS accepted, and of those that it calls invalid."""
        try:
            response = self._client.send_message_batch(QueueUrl=self._queue_urls[queue], Entries=entries)
        except (AwsError, NoAnswerError):
            return set(), set()
        accepted = {entry["Id"] for entry in response.get("Successful", [])}
        return accepted, {entry["Id"] for entry in response.get("Failed", []) if entry.get("SenderFault")}


def _batches(wakeups: Sequence[Wakeup]) -> Iterator[tuple[QueueName, Sequence[Wakeup]]]:
    by_queue: dict[QueueName, list[Wakeup]] = defaultdict(list)
    for wakeup in wakeups:
        by_queue[wakeup.queue].append(wakeup)
    for queue, members in by_queue.items():
        for start in range(0, len(members), MAX_ENTRIES):
            yield queue, members[start : start + MAX_ENTRIES]


def _entry(number: int, wakeup: Wakeup, now_ms: int, group: str) -> dict[str, Any]:
    delay = delay_seconds(wakeup.not_before, now_ms)
    if not 0 <= delay <= MAX_DELAY_SECONDS:
        raise ValueError(f"SQS holds a message for 0 to {MAX_DELAY_SECONDS} seconds, not {delay}")
    attributes = trace_attribute(wakeup.traces) | wait_attribute(wakeup.wait)
    return {
        "Id": str(number),
        "MessageBody": encode_wakeup(wakeup),
        "DelaySeconds": delay,
        "MessageGroupId": group,
        **({"MessageAttributes": attributes} if attributes else {}),
    }
