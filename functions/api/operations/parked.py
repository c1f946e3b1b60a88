"""Parked messages: shown to operators, and removed by them."""

from dataclasses import dataclass

from functions.api.cursors import Cursors
from functions.api.models.parked import ParkedOut, ParkedPageOut
from functions.api.operations.audit import AuditOperations, Author
from shared.domain.dead_letters.parked_message import ParkedMessage, displayed
from shared.domain.errors import NotFoundError
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import OPERATOR, Tenant
from shared.ports.dead_letters import ParkedMessageStore

_QUESTION = {"list": "parked"}


@dataclass(frozen=True, slots=True)
class ParkedOperations:
    """One method an operation."""

    parked_messages: ParkedMessageStore
    audit: AuditOperations
    cursors: Cursors

    def page(self, operator: Tenant, limit: int, cursor: str | None) -> ParkedPageOut:
        """A page of them."""
        before = self.cursors.unseal(operator, _QUESTION, cursor, _read_id)
        messages = self.parked_messages.parked(limit, before=before)
        more = self.cursors.seal(operator, _QUESTION, [messages[-1].id]) if len(messages) == limit else None
        return ParkedPageOut(messages=[parked_out(one) for one in messages], next_cursor=more)

    def newest(self, limit: int) -> list[ParkedOut]:
        """Those that were parked last."""
        return [parked_out(one) for one in self.parked_messages.parked(limit)]

    def remove(self, author: Author, parked_id: str) -> ParkedOut:
        """It as it stood; NotFoundError. That it went is on record."""
        removed = self.parked_messages.remove(parked_id)
        if removed is None:
            raise NotFoundError("no such message")
        shown = parked_out(removed)
        self.audit.write(author, OPERATOR, "removeParked", parked_id, shown, None)
        return shown


def parked_out(parked: ParkedMessage) -> ParkedOut:
    """One message. Its body is hostile until somebody has looked at it."""
    return ParkedOut(
        id=displayed(parked.id),
        message_id=displayed(parked.message_id),
        lane=parked.lane,
        reason=displayed(parked.reason),
        body=displayed(parked.body),
        size=parked.size,
        parked_at=format_instant(parked.parked_at),
    )


def _read_id(parts: list[object]) -> str:
    match parts:
        case [str(parked_id)]:
            return parked_id
    raise ValueError("not a position among parked messages")
