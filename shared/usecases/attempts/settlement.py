"""How attempts end."""

from enum import StrEnum

from shared.dataclass import dataclass


class AttemptEnd(StrEnum):
    """How an attempt ended; the values are metric dimensions."""

    SUCCEEDED = "succeeded"
    RETRIED = "retried"
    REFUNDED = "refunded"
    """No call was made for a reason of Punctual's own: the attempt does not count, and another follows."""
    FAILED = "failed"
    WITHDRAWN = "withdrawn"
    """No call was made: the job was paused or updated before the first call, its start deadline passed, or its
    tenant was suspended when it was due."""
    ASYNC_ACCEPTED = "async_accepted"
    """The call has ended and the attempt has not: the receiver will report the outcome."""
    REPORTED = "reported"
    """The receiver reported the outcome before its call had ended."""
    FENCED = "fenced"
    UNRECORDED = "unrecorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """How an attempt ended. `is_done`: no message or repeated report is needed to complete it."""

    end: AttemptEnd
    is_done: bool = True
