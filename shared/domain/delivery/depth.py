"""How deep calls have created jobs whose calls create jobs, and so on.

Each call carries the depth of its job, with a MAC made with the tenant's key. A receiver that sends the value
back when it creates a job makes that job one deeper. The limit stops an endless chain that was built by
accident. A receiver that leaves the header out starts anew; quotas limit such a chain.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hmac import compare_digest

from shared.domain.errors import InvalidValueError

DEPTH_HEADER = "Punctual-Depth"
DEPTH_CONTEXT = "depth"
"""The context of the MAC, so that no other code made with the tenant's key is accepted."""
MAX_DEPTH = 8
DEPTH = r"^(0|[1-9][0-9]?)\.([A-Za-z0-9_-]{43})$"
"""The pattern of the header's value."""

MakeCode = Callable[[bytes], bytes]
"""Computes the MAC of 32 bytes with the tenant's key."""


def depth_value(depth: int, make_code: MakeCode) -> str:
    """The value of the header in calls of a job of this depth."""
    mac = make_code(str(depth).encode())
    return f"{depth}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def depth_below(sent_back: str | None, make_code: MakeCode) -> int:
    """The depth of a job whose creation sends this value back; 0 without a value.

    InvalidValueError for a value that no call of this tenant carried, and for a job deeper than MAX_DEPTH.
    """
    if sent_back is None:
        return 0
    depth = own_depth(sent_back, make_code)
    if depth is None:
        raise InvalidValueError(
            f"{DEPTH_HEADER} has a value that no call of this tenant carried: send back the value of the call"
            " that creates the job, or leave the header out"
        )
    if depth >= MAX_DEPTH:
        raise InvalidValueError(
            f"calls have created jobs {MAX_DEPTH} times in a row, which is the limit: let a recurring job, or"
            f" something else than a call, create this job, without {DEPTH_HEADER}"
        )
    return depth + 1


def own_depth(value: str, make_code: MakeCode) -> int | None:
    """The depth in the value of a call; None for a value that no call of this tenant carried."""
    match = re.fullmatch(DEPTH, value)
    if match is None or not compare_digest(value, depth_value(int(match[1]), make_code)):
        return None
    return int(match[1])
