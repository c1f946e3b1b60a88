"""What a receiver answers to a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from punctual.receivers.errors import CallFailedError
    from punctual.webhooks.errors import VerificationError

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Reply:
    """A response. Of the text, Punctual keeps the first 256 bytes if the call fails."""

    status: int
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE)

    @property
    def all_headers(self) -> dict[str, str]:
        """The headers, with the type of the text."""
        return {"Content-Type": "text/plain; charset=utf-8", **self.headers}


@dataclass(frozen=True, slots=True)
class Accepted(Reply):
    """The work goes on after the answer, and reports its outcome."""


ACCEPTED = Accepted(202, headers=MappingProxyType({"X-Punctual-Async": "true"}))
DONE = Reply(200, "this call was done before")
OK = Reply(200)


def refused(error: VerificationError) -> Reply:
    """401 with the part that is wrong."""
    return Reply(401, str(error))


def too_large(max_bytes: int) -> Reply:
    """413 for a body that is larger than any of Punctual."""
    return Reply(413, f"the body may have at most {max_bytes} bytes")


def running(retry_after_seconds: int) -> Reply:
    """409 while another worker has the call."""
    return Reply(
        409,
        "another worker has claimed this call",
        MappingProxyType({"Retry-After": str(retry_after_seconds)}),
    )


def failed(error: CallFailedError) -> Reply:
    """422 if another attempt would not help, otherwise 503."""
    if not error.retryable:
        return Reply(422, error.reason, {"X-Punctual-No-Retry": "true"})
    delay = error.retry_after_seconds
    return Reply(503, error.reason, {} if delay is None else {"Retry-After": str(delay)})
