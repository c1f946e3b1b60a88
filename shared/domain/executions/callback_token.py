"""The token by which a receiver reports on the one attempt that it was called for.

It names the attempt and the owner token of its claim, and carries a code over both and the execution's id that only
the tenant's data key makes. So a token needs no record: whether it is genuine is computed, and whether it is still
good is read from the execution. It is good for one attempt of one execution, and for nothing else.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId

TOKEN_HEADER = "X-Callback-Token"  # noqa: S105 - the name of a header
MAX_CHARACTERS = 128
CODE_CONTEXT = "callback-token"
"""To what the code is bound, so that no other code of the tenant's key can be taken for one."""
CODE_BYTES = 32

_TOKEN = re.compile(r"ct1_([1-9][0-9]?)_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")

MakeCode = Callable[[bytes], bytes]
"""The code of 32 bytes that the tenant's key makes of some data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackToken:
    """A token as it was presented: of the right form, and not yet known to be genuine."""

    attempt: int
    owner: str
    code: str

    def is_genuine(self, execution_id: ExecutionId, make_code: MakeCode) -> bool:
        """Whether Punctual made it for this execution. Takes the same time for any code."""
        return compare_digest(self.code, _code(execution_id, self.attempt, self.owner, make_code))

    def is_of_running(self, execution: Execution) -> bool:
        """Whether the attempt that it was made for is the one that runs now."""
        is_owner = (execution.attempt, execution.progress.owner) == (self.attempt, self.owner)
        return execution.state is State.RUNNING and is_owner


def token_for(execution: Execution, make_code: MakeCode) -> str:
    """The token of the attempt that a claim began."""
    owner = execution.progress.owner or ""
    return f"ct1_{execution.attempt}_{owner}_{_code(execution.id, execution.attempt, owner, make_code)}"


def parse_token(text: str) -> CallbackToken | None:
    """Read a presented token; None where it does not even have the form of one."""
    match = _TOKEN.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    return CallbackToken(attempt=int(match[1]), owner=match[2], code=match[3]) if match else None


def _code(execution_id: ExecutionId, attempt: int, owner: str, make_code: MakeCode) -> str:
    made = make_code(f"{execution_id}|{attempt}|{owner}".encode())
    return urlsafe_b64encode(made).rstrip(b"=").decode()
