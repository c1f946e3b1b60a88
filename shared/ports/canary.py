"""What the canary needs of the outside: the store of its secrets, and the API as clients call it."""

from collections.abc import Mapping
from typing import Any, Protocol


class Parameters(Protocol):
    """Encrypted texts by name. Every method may raise UnavailableError, whose message has no secret."""

    def read(self, name: str) -> str | None:
        """None for a parameter that does not exist."""
        ...

    def write(self, name: str, text: str) -> None:
        """Create or replace a parameter."""
        ...


class PublicApi(Protocol):
    """The API behind its public URL."""

    def create_job(self, api_key: str, idempotency_key: str, document: Mapping[str, Any]) -> int:
        """The HTTP status of the answer; UnavailableError if none arrived in time."""
        ...
