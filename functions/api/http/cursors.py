"""Page cursors, encrypted for one tenant and one query: nobody else can read, forge or reuse them."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import orjson

from functions.api.http.problems import Problem, ProblemError
from shared.dataclass import dataclass
from shared.domain.errors import UnreadableItemError
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault

MAX_LENGTH = 1024
FORMAT = 1
"""The format of the positions inside. Cursors of another format (another version) are refused."""
P = TypeVar("P")


def seal_cursor(vault: Vault, tenant: Tenant, query: str, position: str) -> str:
    """The cursor for a position in the results of a query."""
    sealed = vault.seal(tenant, f"cursor|{query}", position.encode())
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def unseal_cursor(vault: Vault, tenant: Tenant, query: str, cursor: str) -> str:
    """The position; ProblemError for a cursor that was not made for this tenant and query."""
    try:
        if len(cursor) > MAX_LENGTH or not cursor.isascii():
            raise ValueError("not a cursor")
        sealed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        return vault.unseal(tenant, f"cursor|{query}", sealed).decode()
    except (ValueError, binascii.Error, UnreadableItemError) as error:
        raise ProblemError(
            Problem.INVALID_CURSOR, "take the cursor from the page before, for the same request"
        ) from error


@dataclass(frozen=True, slots=True)
class Cursors:
    """Cursors of listings. The query includes the filters, so a cursor is good for the same filters alone."""

    vault: Vault

    def seal(self, tenant: Tenant, query: Mapping[str, Any], parts: list[Any] | None) -> str | None:
        """The cursor for a position, given as its parts; None where there is no next page."""
        if parts is None:
            return None
        position = orjson.dumps([FORMAT, *parts]).decode()
        return seal_cursor(self.vault, tenant, _canonical(query), position)

    def unseal(
        self, tenant: Tenant, query: Mapping[str, Any], cursor: str | None, read: Callable[[list[Any]], P]
    ) -> P | None:
        """The position; None without a cursor, ProblemError for a cursor of another tenant or query."""
        if cursor is None:
            return None
        text = unseal_cursor(self.vault, tenant, _canonical(query), cursor)
        try:
            version, *parts = orjson.loads(text)
            if version != FORMAT:
                raise ValueError("made by another version")
            return read(parts)
        except (ValueError, TypeError) as error:
            raise ProblemError(Problem.INVALID_CURSOR, "start again from the first page") from error


def _canonical(query: Mapping[str, Any]) -> str:
    """The same text for the same query, whatever the order of its filters."""
    return orjson.dumps(dict(query), option=orjson.OPT_SORT_KEYS).decode()
