"""What the API shows of jobs and workflows, as files have it."""

from typing import Any, Final

import msgspec

HEADERS: Final = "/request/headers/"
JSON: Final = "application/json"
"""The content type of most bodies, and of every request with `json`; a dry run tells whether it is the hidden one."""
METHOD: Final = "POST"


def present(model: Any) -> dict[str, Any]:
    """The members of an object of the API that are there, as JSON has them."""
    found: dict[str, Any] = msgspec.to_builtins(model)
    return {name: value for name, value in found.items() if value is not None}


def unescaped(part: str) -> str:
    """A part of a JSON pointer without its escapes."""
    return part.replace("~1", "/").replace("~0", "~")
