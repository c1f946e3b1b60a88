"""Which headers may hold a secret, by their names."""

import re

_SECRET = re.compile(r"auth|cookie|credential|key|pass|secret|session|signature|sig$|token", re.IGNORECASE)


def may_be_secret(name: str) -> bool:
    """Whether the value of a header of this name is better not shown, and no argument of a command."""
    return _SECRET.search(name) is not None
