"""W3C Trace Context: the trace that the calls of an execution belong to. https://www.w3.org/TR/trace-context/"""

import re
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.ids import ENTROPY_BITS, ExecutionId

TRACEPARENT = "traceparent"
_VERSION_0 = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")
_SAMPLED = 1


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace, and whether its first caller records it."""

    id: str
    """32 lower-case hexadecimal digits, not all of them zero."""
    is_sampled: bool = False

    def header(self, span_id: str) -> str:
        """The value of `traceparent` for a call that is this span."""
        return f"00-{self.id}-{span_id}-{int(self.is_sampled):02x}"


@dataclass(frozen=True, slots=True)
class Traceparent:
    """A client's trace, and the span in it that made the request."""

    trace: Trace
    parent_id: str
    """16 lower-case hexadecimal digits, not all of them zero."""


def read_traceparent(value: str | None) -> Traceparent | None:
    """Read the header of a request; None for a value that is not of version 00 to the letter.

    The standard asks receivers to ignore a malformed value, so no request fails because of one.
    """
    match = _VERSION_0.fullmatch(value or "")
    if match is None:
        return None
    trace_id, parent_id, flags = match.groups()
    return Traceparent(Trace(trace_id, is_sampled=bool(int(flags, 16) & _SAMPLED)), parent_id)


def own_trace(execution: ExecutionId) -> Trace:
    """The trace of an execution without a client's: a pure function, so nothing is stored.

    It begins with the second of the due time, as AWS X-Ray requires, and ends with 80 random bits.
    """
    second, millisecond = divmod(execution.dispatch_at, 1000)
    number = (second & 0xFFFFFFFF) << 96 | millisecond << ENTROPY_BITS | execution.entropy
    return Trace(f"{number or 1:032x}")


def span_of(execution: ExecutionId, claims: int) -> str:
    """The span of an attempt. Executions of a client share its trace, so the id is not the number of the claim."""
    return sha256(f"{execution}/{claims}".encode()).hexdigest()[:16]
