"""SendMessageBatch of SQS as AWS documents it, where its emulators let more pass."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shared.adapters.aws.errors import AwsError

MAX_ENTRIES = 10
MAX_BATCH_BYTES = 1_048_576
MAX_DELAY_SECONDS = 900
_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
_GROUP = re.compile(r"[!-~]{1,128}")

Entry = Mapping[str, Any]
Accept = Callable[[str, Entry], bool]


class FakeSqs:
    """A client for standard queues. `accept` takes each lawful entry, or refuses it as the service's own failure.

    What would be the sender's fault is listed in `violations` too, since callers are free to ignore answers.
    """

    def __init__(self, accept: Accept) -> None:
        self.violations: list[str] = []
        self._accept = accept

    def send_message_batch(self, *, QueueUrl: str, Entries: Sequence[Entry]) -> dict[str, Any]:  # noqa: N803
        """Take entry by entry; AwsError where the request as a whole is refused."""
        self._check_batch(Entries)
        answer: dict[str, Any] = {"Successful": [], "Failed": []}
        for entry in Entries:
            fault = _fault_of(entry)
            if fault is not None:
                self.violations.append(fault)
                answer["Failed"].append(_failed(entry, "InvalidParameterValue", fault, is_senders=True))
            elif self._accept(QueueUrl, entry):
                answer["Successful"].append({"Id": entry["Id"], "MessageId": f"m-{entry['Id']}"})
            else:
                answer["Failed"].append(_failed(entry, "InternalError", "try again", is_senders=False))
        return {key: members for key, members in answer.items() if members}

    def _check_batch(self, entries: Sequence[Entry]) -> None:
        size = sum(len(entry["MessageBody"].encode()) for entry in entries)
        ids = [entry["Id"] for entry in entries]
        if not entries:
            self._refuse("EmptyBatchRequest", "a batch has an entry")
        if len(entries) > MAX_ENTRIES:
            self._refuse("TooManyEntriesInBatchRequest", f"{len(entries)} entries")
        if len(set(ids)) < len(ids):
            self._refuse("BatchEntryIdsNotDistinct", "two entries of one id")
        if size > MAX_BATCH_BYTES:
            self._refuse("BatchRequestTooLong", f"{size} bytes")

    def _refuse(self, code: str, text: str) -> None:
        self.violations.append(f"{code}: {text}")
        error: Any = {"Error": {"Code": f"AWS.SimpleQueueService.{code}", "Message": text}}
        raise AwsError("SendMessageBatch", error)


def _fault_of(entry: Entry) -> str | None:
    delay = entry.get("DelaySeconds", 0)
    if not isinstance(delay, int) or not 0 <= delay <= MAX_DELAY_SECONDS:
        return f"DelaySeconds {delay}"
    if not entry["MessageBody"]:
        return "an empty MessageBody"
    if "MessageDeduplicationId" in entry:
        return "MessageDeduplicationId on a standard queue"
    if not _ID.fullmatch(entry["Id"]):
        return f"Id {entry['Id']!r}"
    if "MessageGroupId" in entry and not _GROUP.fullmatch(entry["MessageGroupId"]):
        return f"MessageGroupId {entry['MessageGroupId']!r}"
    for name, attribute in entry.get("MessageAttributes", {}).items():
        if not attribute["StringValue"]:
            return f"MessageAttributes {name} without a value"
    return None


def _failed(entry: Entry, code: str, text: str, *, is_senders: bool) -> dict[str, Any]:
    return {"Id": entry["Id"], "SenderFault": is_senders, "Code": code, "Message": text}
