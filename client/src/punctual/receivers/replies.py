"""What a receiver answers to a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from punctual.receivers.errors import CallFailedError
    from punctual.webhooks.errors import VerificationError

MAX_RESULT_BYTES = 4_096
_NONE: Mapping[str, str] = MappingProxyType({})
_JSON: Mapping[str, str] = MappingProxyType({"Content-Type": "application/json"})


def dump(value: object) -> str:
    """The JSON text of a value. TypeError or ValueError if it has none."""
    import json  # most receivers hand on nothing

    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Reply:
    """A response. Of the text, Punctual keeps the first 256 bytes if the call fails."""

    status: int
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE)

    @classmethod
    def json(cls, value: object) -> Reply:
        """200 with a JSON value: the result of a task of a workflow, at most 4,096 bytes."""
        return cls(200, dump(value), _JSON)

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


def done(answer: str) -> Reply:
    """200 for work that was done before, with the answer that it had if that is kept."""
    return Reply(200, answer, _JSON) if answer else DONE


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
