"""Cursors: sealed for a tenant and a question, so that nobody else can read, make or reuse one."""

import base64
import binascii

from functions.api.problems import Problem, ProblemError
from shared.domain.errors import UnreadableItemError
from shared.domain.tenant import Tenant
from shared.ports.vault import Vault

MAX_LENGTH = 1024


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
