"""The Idempotency-Key header."""

import re

from functions.api.http.problems import Problem, ProblemError

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


def check_key(key: str | None) -> None:
    """ProblemError for a malformed key. No key at all is fine."""
    if key is not None and not _KEY.fullmatch(key):
        raise ProblemError(
            Problem.IDEMPOTENCY_KEY_INVALID, "an Idempotency-Key is 1 to 255 visible ASCII characters"
        )


def replay_header(*, replayed: bool) -> dict[str, str]:
    """The response header that marks the answer to a repeated request."""
    return {"Idempotency-Replayed": "true"} if replayed else {}
