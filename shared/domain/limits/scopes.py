"""Throttling at dispatch: why an execution that is due is deferred before its claim, and for how long.

A deferral is no attempt and writes nothing to the table: the message is replaced by a delayed one.
"""

from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.ids import ExecutionId
from shared.domain.limits.circuit_breaker import HEALTHY, Circuit
from shared.domain.limits.slots import Leases
from shared.domain.tenancy.quota import UNLIMITED
from shared.names import QueueName

FIRST_WAIT_MS = 2_000
WAITED_DIVISOR = 8
"""A key waits an eighth of the time that it has waited so far. Longer waits would leave capacity unused."""
GROWTH = 1 + 3 / 4 / WAITED_DIVISOR
"""The factor from each wait to the next: a wait lasts three quarters of its longest on average."""
MAX_WAIT_MS = 900_000
"""The longest delay of an SQS message."""
MAX_GROWN = 69
"""After this many waits the longest wait is `MAX_WAIT_MS`; a higher power would overflow."""
MAX_SPREAD_MS = 60_000
MIN_SPREAD_MS = 4_000


class WaitReason(StrEnum):
    """Why an execution that is due waits; a metric counts each reason."""

    TENANT_CONCURRENCY = "tenant_concurrency"
    TENANT_RATE = "tenant_rate"
    DESTINATION_CONCURRENCY = "destination_concurrency"
    DESTINATION_RATE = "destination_rate"
    BREAKER_OPEN = "breaker_open"
    SLOW = "slow"
    """Moved to the slow path at once: the destination answers slowly."""
    BACKPRESSURE = "backpressure"
    """Bulk work waits while another lane is behind."""
    LATE = "late"
    """Moved to the bulk queue, to make room for fresh work."""
    SUSPENDED = "suspended"
    """The tenant is suspended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One execution that a message names, with what the message says about it."""

    key: ExecutionId
    tenant_id: str
    destination: str
    waited: int
    """How often it has been deferred."""
    due_at: int
    """When it was due, as far as the message says."""
    resent: bool = False
    """Sent by the sweeper. A deferred original may exist, which has waited since the execution was due."""

    def late_ms(self, now_ms: int) -> int:
        """How long its original has waited, as far as known: other messages count their own waits."""
        return max(0, now_ms - self.due_at) if self.resent else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    reason: WaitReason
    wait_ms: int
    via: QueueName | None = None
    """The queue of the new message; None: the queue of the old one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeState:
    """The shared state of one scope: a tenant, or one of its destinations."""

    version: int = 0
    """0: nothing is stored."""
    circuit: Circuit = HEALTHY
    leases: Leases = ()


def tenant_scope(tenant_id: str) -> str:
    """The scope of all calls of a tenant."""
    return f"t#{tenant_id}"


def destination_scope(destination: str) -> str:
    """The scope of all calls to a destination; destination ids differ between tenants."""
    return f"d#{destination}"


def is_limited(limit: int) -> bool:
    """Whether a quota limits anything: its highest value means no limit."""
    return limit < UNLIMITED


def wait_ms(waited: int, late_ms: int, draw: float) -> int:
    """How long to wait for capacity: an eighth of the time waited so far, with jitter against a thundering herd.

    The messages of a key are logarithmic in its wait, and a key starts within about an eighth of its wait after
    capacity is free. The waits are counted, because lateness alone proves none: a retry inherits its
    execution's due time, and after an outage every key is late. Only of a re-sent copy `late_ms` counts.
    """
    by_waits = int(FIRST_WAIT_MS * GROWTH ** min(waited, MAX_GROWN))
    longest = min(MAX_WAIT_MS, max(by_waits, late_ms // WAITED_DIVISOR))
    return longest // 2 + int(longest / 2 * draw)


def wait_for_breaker_ms(open_until: int, now_ms: int, draw: float) -> int:
    """How long to wait for an open breaker: until it is half open, plus jitter."""
    left_ms = max(0, open_until - now_ms)
    return left_ms + int(min(MAX_SPREAD_MS, max(MIN_SPREAD_MS, left_ms)) * draw)
