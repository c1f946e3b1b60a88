"""What is sent to a receiver, and what came back."""

from dataclasses import dataclass
from enum import IntEnum

from shared.domain.delivery.signing import SIGNATURE_HEADER
from shared.domain.errors import InvalidValueError

STORED_BODY_BYTES = 256
"""How much of a failing answer's body is kept in the history."""

GONE_STATUS = 410
"""A receiver's request to stop."""


class Reason(IntEnum):
    """Why an attempt ended as it did. The numbers are stored: add, never renumber."""

    OK = 0
    HTTP_STATUS = 1
    REDIRECT = 2
    TIMEOUT = 3
    CONNECT_FAILED = 4
    DNS_FAILED = 5
    TLS_FAILED = 6
    ADDRESS_NOT_ALLOWED = 7
    PROTOCOL_ERROR = 8
    LEASE_TOO_SHORT = 9
    WORKER_LOST = 10
    REQUEST_UNREADABLE = 11
    STOPPED = 12
    RECEIVER_FAILED = 13
    """The receiver said so, after it had said that it works on."""
    RECEIVER_GAVE_UP = 14
    """It said that another attempt would not help: with its answer, or when it reported."""
    TOO_OLD = 15
    """The execution was due too long ago for a call to be made."""

    @property
    def word(self) -> str:
        """The spelling that the API and the logs use, such as `http_status`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """One HTTP request, ready to be sent: signed, with every header in its place."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    def __post_init__(self) -> None:
        """No call is ever sent unsigned: there is no value for one. InvalidValueError."""
        if not any(name == SIGNATURE_HEADER and value for name, value in self.headers):
            raise InvalidValueError("a callback has a signature")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackResponse:
    """What became of one attempt. `status` is None where no complete response head arrived."""

    reason: Reason
    duration_ms: int
    status: int | None = None
    retry_after_seconds: int | None = None
    body: bytes = b""
    async_accepted: bool = False
    """A success that says only that the receiver has begun: it reports the outcome later."""

    @property
    def succeeded(self) -> bool:
        """Only a complete 2xx answer counts."""
        return self.reason is Reason.OK
