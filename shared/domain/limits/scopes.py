"""Limits at dispatch: what may keep a job that is due from being claimed, and for how long it waits then.

Waiting is no attempt and writes nothing: the job's message is replaced by one that comes later.
"""

from dataclasses import dataclass
from enum import StrEnum

from shared.domain.ids import ExecutionId
from shared.domain.limits.circuit_breaker import HEALTHY, Circuit
from shared.domain.limits.slots import Leases
from shared.domain.tenancy.quota import UNLIMITED
from shared.names import QueueName

FIRST_WAIT_MS = 2_000
LONGER_MS = 1_000
MOST_WAIT_MS = 30_000
LATE_PART = 4
MOST_SPREAD_MS = 60_000
LEAST_SPREAD_MS = 4_000


class WaitReason(StrEnum):
    """Why a job that is due waits, as counted."""

    TENANT_CONCURRENCY = "tenant_concurrency"
    TENANT_RATE = "tenant_rate"
    DESTINATION_CONCURRENCY = "destination_concurrency"
    DESTINATION_RATE = "destination_rate"
    BREAKER_OPEN = "breaker_open"
    SLOW = "slow"
    """It goes on at once, on the slow path."""
    BACKPRESSURE = "backpressure"
    """Work in bulk makes room while another lane is behind."""
    LATE = "late"
    """It steps aside for what is due now, into the lane for bulk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One execution that a message asks for, as far as the message tells."""

    key: ExecutionId
    tenant_id: str
    destination: str
    waited: int
    """How often it has waited already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """That a candidate waits."""

    reason: WaitReason
    wait_ms: int
    via: QueueName | None = None
    """The queue through which it goes on; None: through the one that it came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeState:
    """What all processes share of one scope: of a tenant, or of one of its destinations."""

    version: int = 0
    """0: nothing is stored."""
    circuit: Circuit = HEALTHY
    leases: Leases = ()


def tenant_scope(tenant_id: str) -> str:
    """The scope of all calls of a tenant."""
    return f"t#{tenant_id}"


def destination_scope(destination: str) -> str:
    """The scope of all calls to a destination; its id is its tenant's own."""
    return f"d#{destination}"


def is_limited(limit: int) -> bool:
    """Whether a quota limits anything: its highest value means that there is none."""
    return limit < UNLIMITED


def wait_ms(waited: int, late_ms: int, draw: float) -> int:
    """How long to wait for room: a part of the time that it is late by, so that it comes to be little later than it has
    to; drawn, so that those who wait do not come back as one wave.

    What has waited seldom looks again soon, however late it is: a retry is not late by the age of its execution.
    """
    often = FIRST_WAIT_MS + waited * LONGER_MS
    longest = max(FIRST_WAIT_MS, min(MOST_WAIT_MS, often, late_ms // LATE_PART))
    return longest // 2 + int(longest / 2 * draw)


def wait_for_breaker_ms(open_until: int, now_ms: int, draw: float) -> int:
    """How long to wait for a breaker: until it is half open, and drawn from a while behind it."""
    left_ms = max(0, open_until - now_ms)
    return left_ms + int(min(MOST_SPREAD_MS, max(LEAST_SPREAD_MS, left_ms)) * draw)
