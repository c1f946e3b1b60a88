"""The lanes as SQS standard queues: a delay for each message, the tenant as its message group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.sqs.messages import encode_wakeup
from shared.domain.wakeup import MAX_DELAY_SECONDS, Wakeup, delay_seconds
from shared.names import Lane

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

MAX_ENTRIES = 10
"""SendMessageBatch takes so many; ten wake-ups of ten keys are far below its limit of bytes."""


class SqsWakeupQueue:
    """Sends in batches of ten; what SQS reports as failed is given back, never forgotten."""

    def __init__(self, client: SQSClient, queue_urls: Mapping[Lane, str]) -> None:
        self._client = client
        self._queue_urls = dict(queue_urls)

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        """See the port."""
        failed: list[Wakeup] = []
        for lane, batch in _batches(wakeups):
            failed += self._send_batch(lane, batch, now_ms)
        return failed

    def _send_batch(self, lane: Lane, batch: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        entries: Any = [_entry(number, wakeup, now_ms) for number, wakeup in enumerate(batch)]
        try:
            answer = self._client.send_message_batch(QueueUrl=self._queue_urls[lane], Entries=entries)
        except (BotoCoreError, ClientError):
            return list(batch)
        accepted = {int(entry["Id"]) for entry in answer.get("Successful", [])}
        return [wakeup for number, wakeup in enumerate(batch) if number not in accepted]


def _batches(wakeups: Sequence[Wakeup]) -> Iterator[tuple[Lane, Sequence[Wakeup]]]:
    by_lane: dict[Lane, list[Wakeup]] = defaultdict(list)
    for wakeup in wakeups:
        by_lane[wakeup.lane].append(wakeup)
    for lane, members in by_lane.items():
        for start in range(0, len(members), MAX_ENTRIES):
            yield lane, members[start : start + MAX_ENTRIES]


def _entry(number: int, wakeup: Wakeup, now_ms: int) -> dict[str, Any]:
    delay = delay_seconds(wakeup.not_before, now_ms)
    if not 0 <= delay <= MAX_DELAY_SECONDS:
        raise ValueError(f"SQS holds a message for 0 to {MAX_DELAY_SECONDS} seconds, not {delay}")
    return {
        "Id": str(number),
        "MessageBody": encode_wakeup(wakeup),
        "DelaySeconds": delay,
        "MessageGroupId": wakeup.tenant_id,
    }
