"""The HTTP request to a receiver, and the response."""

from dataclasses import field
from enum import IntEnum

from shared.dataclass import dataclass
from shared.domain.delivery.signing import SIGNATURE_HEADER
from shared.domain.errors import InvalidValueError

STORED_BODY_BYTES = 256
"""Bytes of a failed response's body that the history stores."""

MAX_RESULT_BYTES = 4 * 1024
"""Bytes of the result that a task of a workflow hands on."""
KEPT_RESULT_BYTES = MAX_RESULT_BYTES + 1
"""How much is read of a body with a result: enough to see that it is too long."""

GONE_STATUS = 410
"""410 Gone: the receiver asks for no further calls."""


class Reason(IntEnum):
    """The result of an attempt. The numbers are stored: add new ones, never renumber."""

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
    """The receiver reported a failure of an attempt that it had accepted asynchronously."""
    RECEIVER_GAVE_UP = 14
    """The receiver said, in its response or its report, that another attempt would not help."""
    TOO_OLD = 15
    """The execution was due too long ago to be called."""
    UNAVAILABLE = 16
    """No call was made, or a target took nothing: Punctual lacked a service, a resource or a right for it."""
    SIGNING_SECRET_GONE = 17
    """No call was made: the tenant has no signing secret of the name that the job gives."""
    RESULT_INVALID = 18
    """A 2xx whose body is no result, where another task of the workflow needs one."""
    WORKFLOW_GONE = 19
    """No run was started: the workflow does not exist, or was deleted."""
    RUN_FAILED = 20
    """The run that the execution started has failed."""
    RUN_TIMED_OUT = 21
    """The run that the execution started has reached its deadline."""
    ROLE_REFUSED = 22
    """No message was sent: the tenant has no role in the target's account, or the role does not admit Punctual."""
    TARGET_NOT_FOUND = 23
    TARGET_ACCESS_DENIED = 24
    """The role may not use the target, or the key that encrypts it."""
    TARGET_THROTTLED = 25
    TARGET_REFUSED = 26
    """The target refuses the message as it is. Another attempt would not help."""
    TARGET_FAILED = 27
    """The target's service failed by itself."""
    FUNCTION_FAILED = 28
    """The function was called, and ended with an error."""

    @property
    def word(self) -> str:
        """The spelling that the API and the logs use, such as `http_status`."""
        return self.name.lower()

    @property
    def is_of_aws(self) -> bool:
        """Whether the status beside it is one of AWS, which spells its errors otherwise than receivers do."""
        return self in _OF_AWS


_OF_AWS = frozenset(
    {
        Reason.ROLE_REFUSED,
        Reason.TARGET_NOT_FOUND,
        Reason.TARGET_ACCESS_DENIED,
        Reason.TARGET_THROTTLED,
        Reason.TARGET_REFUSED,
        Reason.TARGET_FAILED,
        Reason.FUNCTION_FAILED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """A complete, signed HTTP request. Calls of one tenant share the sender's capacity."""

    tenant_id: str
    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    not_from: int | None = None
    """The instant from which it must not be sent, because the tenant is suspended."""
    kept_bytes: int = 0
    """How much of the body of a success is wanted; 0 for none."""

    def __post_init__(self) -> None:
        """Raise InvalidValueError without a signature, so an unsigned callback cannot exist."""
        if not any(name == SIGNATURE_HEADER and value for name, value in self.headers):
            raise InvalidValueError("a callback has a signature")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackResponse:
    """The result of one attempt. `status` is None if no complete response head arrived."""

    reason: Reason
    duration_ms: int
    status: int | None = None
    retry_after_seconds: int | None = None
    body: bytes = b""
    async_accepted: bool = False
    """Whether the receiver has only started the work and reports the outcome later."""
    open_until: int | None = None
    """When an accepted attempt is looked at again, if its own rules say so in place of the job's."""
    connect_ms: int | None = field(default=None, compare=False)
    """From the call to a connection, 0 over a kept-alive one; None if there was none, or it is unknown."""
    head_ms: int | None = field(default=None, compare=False)
    """From the call to the first byte of the response; None if none arrived, or it is unknown."""

    @property
    def refunds(self) -> bool:
        """Whether nothing was delivered, for a transient reason of Punctual's own, so the attempt does not count."""
        return self.reason in (Reason.LEASE_TOO_SHORT, Reason.UNAVAILABLE)

    @property
    def receiver_status(self) -> int | None:
        """The status with which a receiver has answered; None without one, and for targets in AWS."""
        return None if self.reason.is_of_aws else self.status

    @property
    def succeeded(self) -> bool:
        """Whether a complete 2xx response arrived."""
        return self.reason is Reason.OK
