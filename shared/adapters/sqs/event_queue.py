"""The queue of the event bus: redeliveries and reasons are message attributes, so the body stays as it was sent."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.domain.triggers.queued_event import DeadEvent, LaterEvent, QueuedEvent, Redeliveries

REDELIVERIES = "punctual.redeliveries"
"""The first receipt in UTC ms, and the counts by cause."""
REASON = "punctual.reason"
FIRST_RECEIVED = "punctual.first-received"
MAX_ENTRIES = 10
MAX_BATCH_BYTES = 1_048_576
"""SQS refuses a larger batch as a whole. Message attributes count too."""
_ATTRIBUTE_BYTES = 1_024
"""More than those of one event have."""
MAX_REASON = 400
_COUNTS = re.compile(r"(\d{1,15}),(\d{1,6}),(\d{1,6}),(\d{1,6})", re.ASCII)

Entry = Mapping[str, Any]


class SqsEventQueue:
    def __init__(self, client: AwsClient, queue_url: str, dead_queue_url: str) -> None:
        self._client = client
        self._queue_url = queue_url
        self._dead_queue_url = dead_queue_url

    def send_later(self, events: Sequence[LaterEvent]) -> Set[str]:
        return self._send(self._queue_url, [_later_entry(each) for each in events])

    def send_dead(self, events: Sequence[DeadEvent]) -> Set[str]:
        return self._send(self._dead_queue_url, [_dead_entry(each) for each in events])

    def _send(self, queue_url: str, entries: Sequence[Entry]) -> Set[str]:
        sent: set[str] = set()
        for batch in _batches(entries):
            accepted, invalid = self._post(queue_url, batch)
            # SQS describes groups and delays of standard queues apart. An event matters more than its fair share.
            grouped = [entry for entry in batch if entry["Id"] in invalid and "MessageGroupId" in entry]
            if grouped:
                accepted |= self._post(queue_url, [_without_group(entry) for entry in grouped])[0]
            sent |= accepted
        return sent

    def _post(self, queue_url: str, entries: Sequence[Entry]) -> tuple[set[str], set[str]]:
        """The IDs of the entries that SQS accepted, and of those that it calls invalid."""
        try:
            answer = self._client.send_message_batch(QueueUrl=queue_url, Entries=entries)
        except (AwsError, NoAnswerError):
            return set(), set()
        accepted = {entry["Id"] for entry in answer.get("Successful", [])}
        return accepted, {entry["Id"] for entry in answer.get("Failed", []) if entry.get("SenderFault")}


def read_queued_event(record: Mapping[str, Any]) -> QueuedEvent:
    """The event of a record in an event of Lambda; no redeliveries for a form of another release."""
    text = (record.get("messageAttributes") or {}).get(REDELIVERIES, {}).get("stringValue") or ""
    counts = _COUNTS.fullmatch(text)
    received_at = (record.get("attributes") or {}).get("ApproximateFirstReceiveTimestamp")
    return QueuedEvent(
        id=record["messageId"],
        body=record["body"],
        first_received_at=None if received_at is None else int(received_at),
        redeliveries=None if counts is None else _redeliveries(*map(int, counts.groups())),
    )


def _redeliveries(first_at: int, over_quota: int, unavailable: int, failed: int) -> Redeliveries:
    return Redeliveries(first_at=first_at, over_quota=over_quota, unavailable=unavailable, failed=failed)


def _later_entry(later: LaterEvent) -> Entry:
    counts = later.redeliveries
    text = f"{counts.first_at},{counts.over_quota},{counts.unavailable},{counts.failed}"
    # Events of an account that are sent again stand back behind those of others.
    group = {} if later.account is None else {"MessageGroupId": later.account}
    return _entry(later.event, {REDELIVERIES: text}) | {"DelaySeconds": later.delay_seconds} | group


def _dead_entry(dead: DeadEvent) -> Entry:
    reason = "".join(each if " " <= each <= "~" else "?" for each in dead.reason[:MAX_REASON])
    return _entry(dead.event, {REASON: reason or "?", FIRST_RECEIVED: str(dead.first_at)})


def _entry(event: QueuedEvent, texts: Mapping[str, str]) -> dict[str, Any]:
    return {
        "Id": event.id,
        "MessageBody": event.body,
        "MessageAttributes": {
            name: {"DataType": "String", "StringValue": text} for name, text in texts.items()
        },
    }


def _without_group(entry: Entry) -> Entry:
    return {name: value for name, value in entry.items() if name != "MessageGroupId"}


def _batches(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        own = len(entry["MessageBody"].encode()) + _ATTRIBUTE_BYTES
        if batch and (len(batch) == MAX_ENTRIES or size + own > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += own
    if batch:
        yield batch
