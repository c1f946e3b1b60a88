"""Cursors: sealed for a tenant and a question, so that nobody else can read, make or reuse one."""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson

from functions.api.problems import Problem, ProblemError
from shared.domain.errors import UnreadableItemError
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault

MAX_LENGTH = 1024
FORMAT = 1
"""Of the positions inside. A cursor of another format was made by another version, and is refused."""
P = TypeVar("P")


def seal_cursor(vault: Vault, tenant: Tenant, question: str, position: str) -> str:
    """The cursor for a position in the answer to a question."""
    sealed = vault.seal(tenant, f"cursor|{question}", position.encode())
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def unseal_cursor(vault: Vault, tenant: Tenant, question: str, cursor: str) -> str:
    """The position; ProblemError for anything that was not made for this tenant and question."""
    try:
        if len(cursor) > MAX_LENGTH or not cursor.isascii():
            raise ValueError("not a cursor")
        sealed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        return vault.unseal(tenant, f"cursor|{question}", sealed).decode()
    except (ValueError, binascii.Error, UnreadableItemError) as fault:
        raise ProblemError(
            Problem.INVALID_CURSOR, "take the cursor from the page before, for the same request"
        ) from fault


@dataclass(frozen=True, slots=True)
class Cursors:
    """Cursors of listings that can be narrowed: the filters are part of the question."""

    vault: Vault

    def seal(self, tenant: Tenant, question: Mapping[str, Any], parts: list[Any]) -> str:
        """The cursor for a position, given as its parts."""
        position = orjson.dumps([FORMAT, *parts]).decode()
        return seal_cursor(self.vault, tenant, _spelt(question), position)

    def unseal(
        self, tenant: Tenant, question: Mapping[str, Any], cursor: str | None, read: Callable[[list[Any]], P]
    ) -> P | None:
        """The position; None where no cursor was given, ProblemError where this is none for the question."""
        if cursor is None:
            return None
        text = unseal_cursor(self.vault, tenant, _spelt(question), cursor)
        try:
            version, *parts = orjson.loads(text)
            if version != FORMAT:
                raise ValueError("made by another version")
            return read(parts)
        except (ValueError, TypeError) as fault:
            raise ProblemError(Problem.INVALID_CURSOR, "start again from the first page") from fault


def _spelt(question: Mapping[str, Any]) -> str:
    """One spelling of a question, however its filters were ordered."""
    return orjson.dumps(dict(question), option=orjson.OPT_SORT_KEYS).decode()
