"""The token with which a receiver reports on the attempt that called it.

The token names the attempt and the owner token of its claim. It carries a MAC over both and over the
execution's id, made with the tenant's data key. No record of the token is stored: the MAC shows whether the
token is genuine, and the execution shows whether it is still valid. A token is valid for one attempt of one
execution.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hmac import compare_digest

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId

TOKEN_HEADER = "X-Callback-Token"  # noqa: S105 - the name of a header
MAX_CHARACTERS = 128
CODE_CONTEXT = "callback-token"
"""The context of the MAC, so that no other code made with the tenant's key is accepted as a token."""
CODE_BYTES = 32

_TOKEN = re.compile(r"ct1_([1-9][0-9]?)_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")

MakeCode = Callable[[bytes], bytes]
"""Computes the MAC of 32 bytes with the tenant's key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackToken:
    """A presented token: well-formed, but not yet verified."""

    attempt: int
    owner: str
    code: str

    def is_genuine(self, execution_id: ExecutionId, make_code: MakeCode) -> bool:
        """Whether the MAC matches this execution. Compares in constant time."""
        return compare_digest(self.code, _code(execution_id, self.attempt, self.owner, make_code))

    def is_of_running(self, execution: Execution) -> bool:
        """Whether the token's attempt is the one that is running now."""
        is_owner = (execution.attempt, execution.progress.owner) == (self.attempt, self.owner)
        return execution.state is State.RUNNING and is_owner


def token_for(execution: Execution, make_code: MakeCode) -> str:
    """The token of the execution's claimed attempt."""
    owner = execution.progress.owner or ""
    return f"ct1_{execution.attempt}_{owner}_{_code(execution.id, execution.attempt, owner, make_code)}"


def parse_token(text: str) -> CallbackToken | None:
    """Parse a presented token; None if it is malformed."""
    match = _TOKEN.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    return CallbackToken(attempt=int(match[1]), owner=match[2], code=match[3]) if match else None


def _code(execution_id: ExecutionId, attempt: int, owner: str, make_code: MakeCode) -> str:
    mac = make_code(f"{execution_id}|{attempt}|{owner}".encode())
    return urlsafe_b64encode(mac).rstrip(b"=").decode()
