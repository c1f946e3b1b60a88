"""SQS records of newer messages, and the entries that send them again unchanged.

The number of resends is a message attribute: an older release must not rewrite a body that it cannot read.
"""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from shared.domain.dispatch.newer_message import NewerMessage

RESENDS = "punctual.resends"
_MOST_RESENDS = 1_000_000


def read_newer(record: Mapping[str, Any]) -> NewerMessage:
    """The message of a record in an event of Lambda."""
    attributes = record.get("messageAttributes") or {}
    return NewerMessage(
        body=record["body"],
        group=record["attributes"].get("MessageGroupId"),
        attributes=tuple(
            (name, value["dataType"], _value(value)) for name, value in attributes.items() if name != RESENDS
        ),
        resends=_resends(attributes.get(RESENDS, {}).get("stringValue", "0")),
    )


def newer_entry(message: NewerMessage) -> dict[str, Any]:
    """The entry of SendMessageBatch that sends the message again, with one resend more."""
    attributes = [*message.attributes, (RESENDS, "Number", str(message.resends + 1))]
    group = {"MessageGroupId": message.group} if message.group is not None else {}
    return {
        "Id": "0",
        "MessageBody": message.body,
        "DelaySeconds": message.delay_seconds,
        "MessageAttributes": {name: _attribute(kind, value) for name, kind, value in attributes},
        **group,
    }


def _value(attribute: Mapping[str, Any]) -> str | bytes:
    """Lambda spells a binary value in base64."""
    if attribute["dataType"].startswith("Binary"):
        return b64decode(attribute["binaryValue"])
    return str(attribute["stringValue"])


def _attribute(kind: str, value: str | bytes) -> dict[str, Any]:
    return {"DataType": kind, ("BinaryValue" if isinstance(value, bytes) else "StringValue"): value}


def _resends(text: str) -> int:
    return min(int(text), _MOST_RESENDS) if text.isascii() and text.isdigit() else 0
