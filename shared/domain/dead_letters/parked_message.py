"""Unreadable messages, kept for operators. The content of such a message is untrusted."""

from typing import Any

from shared.dataclass import dataclass
from shared.domain.errors import NotFoundError
from shared.domain.schedules.schedule import format_instant
from shared.names import QueueName

KEPT_CHARACTERS = 4_096
"""The stored prefix of a body: enough to recognise the message, and within the size limit of an item."""
REASON_CHARACTERS = 500
UNESCAPED = "\n\t"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedMessage:
    """One message: the beginning of its body, and the reason for parking it."""

    message_id: str
    lane: QueueName
    body: str
    reason: str
    parked_at: int
    size: int
    """The length of the whole body, in characters."""

    @property
    def id(self) -> str:
        """The instant of parking, and the id from SQS."""
        return f"{self.parked_at}-{self.message_id}"


def park(message_id: str, lane: QueueName, body: str, reason: str, now_ms: int) -> ParkedMessage:
    """A message in its stored form: bounded in size, and valid UTF-8."""
    return ParkedMessage(
        message_id=message_id,
        lane=lane,
        body=_storable(body[:KEPT_CHARACTERS]),
        reason=_storable(reason[:REASON_CHARACTERS]),
        parked_at=now_ms,
        size=len(body),
    )


def parked_document(parked: ParkedMessage) -> dict[str, Any]:
    """The message as a JSON document. Every text is escaped, because its sender is untrusted."""
    return {
        "id": displayed(parked.id),
        "message_id": displayed(parked.message_id),
        "lane": parked.lane.value,
        "reason": displayed(parked.reason),
        "body": displayed(parked.body),
        "size": parked.size,
        "parked_at": format_instant(parked.parked_at),
    }


def parse_parked_id(text: str) -> tuple[int, str]:
    """The instant of parking and the id from SQS; NotFoundError for a malformed id."""
    at, _, message_id = text.partition("-")
    if not (text.isascii() and at.isdigit() and len(at) <= 15 and 1 <= len(message_id) <= 128):
        raise NotFoundError("no such message")
    return int(at), message_id


def displayed(text: str) -> str:
    """Escape every non-printable character, so that no terminal or page interprets it."""
    return "".join(char if char.isprintable() or char in UNESCAPED else _escaped(char) for char in text)


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode()
