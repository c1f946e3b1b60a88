"""Messages that could not be acted on, kept for people to look at. Whoever wrote them is not trusted."""

from dataclasses import dataclass
from typing import Any

from shared.domain.errors import NotFoundError
from shared.domain.schedules.schedule import format_instant
from shared.names import QueueName

KEPT_CHARACTERS = 4_096
"""So much is kept of a body: enough to see what it was, and no item can become too large to be written."""
REASON_CHARACTERS = 500
SHOWN_AS_THEY_ARE = "\n\t"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedMessage:
    """One message: the beginning of its body, and why it stands here."""

    message_id: str
    lane: QueueName
    body: str
    reason: str
    parked_at: int
    size: int
    """Of the whole body, in characters."""

    @property
    def id(self) -> str:
        """What it is called by: when it was parked, and the id that the queue gave it."""
        return f"{self.parked_at}-{self.message_id}"


def park(message_id: str, lane: QueueName, body: str, reason: str, now_ms: int) -> ParkedMessage:
    """A message as it is kept: bounded, and of characters that can be stored."""
    return ParkedMessage(
        message_id=message_id,
        lane=lane,
        body=_storable(body[:KEPT_CHARACTERS]),
        reason=_storable(reason[:REASON_CHARACTERS]),
        parked_at=now_ms,
        size=len(body),
    )


def parked_document(parked: ParkedMessage) -> dict[str, Any]:
    """The message as a JSON document. Every text is escaped: its sender is not trusted."""
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
    """When it was parked, and the queue's id; NotFoundError for what no message is called."""
    at, _, message_id = text.partition("-")
    if not (at.isascii() and at.isdigit() and len(at) <= 15 and message_id and len(message_id) <= 128):
        raise NotFoundError("no such message")
    return int(at), message_id


def displayed(text: str) -> str:
    """A text that no terminal or page obeys: what is no visible character stands there as its escape."""
    return "".join(one if one.isprintable() or one in SHOWN_AS_THEY_ARE else _escaped(one) for one in text)


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode()
