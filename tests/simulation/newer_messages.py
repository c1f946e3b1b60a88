"""Messages that only the newer release of a run can read. An older release must send them again, unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from shared.adapters.sqs.messages import VERSION
from shared.adapters.sqs.newer_messages import RESENDS

if TYPE_CHECKING:
    from tests.simulation.lanes import Message
    from tests.simulation.releases import Release
    from tests.simulation.world import World

NEWER = VERSION + 1


class NewerClient:
    """The queue's client of a newer release: every body that it sends has a version of its own."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def send_message_batch(self, *, QueueUrl: str, Entries: Sequence[Mapping[str, Any]]) -> Any:  # noqa: N803
        """See the service."""
        raised = [
            {**entry, "MessageBody": _exchanged(entry["MessageBody"], VERSION, NEWER)} for entry in Entries
        ]
        return self._client.send_message_batch(QueueUrl=QueueUrl, Entries=raised)


def record_for(release: Release, message: Message) -> dict[str, Any]:
    """A received message as Lambda hands it to a process: only the newer release understands newer bodies."""
    attributes = {
        "SentTimestamp": str(message.sent_at),
        "ApproximateReceiveCount": str(message.receives),
        "ApproximateFirstReceiveTimestamp": str(message.first_received_at),
        "MessageGroupId": message.group,
    }
    body = _exchanged(message.body, NEWER, VERSION) if release.is_newest else message.body
    return {
        "messageId": message.id,
        "body": body,
        "attributes": attributes,
        "messageAttributes": {
            name: {"dataType": value["DataType"], "stringValue": value["StringValue"]}
            for name, value in message.attributes.items()
        },
    }


def is_resend(entry: Mapping[str, Any]) -> bool:
    """Whether a process sends the entry's body because it could not read it."""
    return RESENDS in entry.get("MessageAttributes", {})


def parked_newer(world: World) -> list[str]:
    """Newer messages that a process gave up as unreadable, which none may."""
    return [
        f"{message.message_id} of a newer release was parked: {message.reason}"
        for message in world.parked_messages.messages.values()
        if orjson.loads(message.body)["v"] == NEWER
    ]


def _exchanged(body: str, old: int, new: int) -> str:
    """The body, with another version where it has this one."""
    fields = orjson.loads(body)
    return orjson.dumps(fields | {"v": new}).decode() if fields["v"] == old else body
