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


def auth_of(request: Any) -> dict[str, Any]:
    """How a request of the API authenticates itself, as its member; nothing for one that has no `auth`."""
    return {} if request.auth is None else {"auth": present(request.auth)}


def unescaped(part: str) -> str:
    """A part of a JSON pointer without its escapes."""
    return part.replace("~1", "/").replace("~0", "~")
