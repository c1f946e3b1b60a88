"""Slots: concurrent calls of a scope, leased to worker processes in blocks that expire.

A process leases slots for a batch and releases them afterwards; a lost release expires with its lease. The
live leases together never exceed the limit at the time of the last lease. At most a quarter of a limit is
kept for expected batches: Lambda may freeze the process that keeps it.
"""

from collections.abc import Iterable

from shared.dataclass import dataclass
from shared.names import EXECUTOR_BATCH

MAX_HOLDERS = 32
"""Processes with slots of one scope at once: the item stays within one write unit (1 KB)."""
MAX_LARGE_HOLDERS = 100
"""The same for a large limit: the item takes up to three write units."""
SPARE_DIVISOR = 4
LEASE_MS = 90_000
"""Longer than a batch can last, since nothing renews a lease while calls go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotLease:
    owner: str
    slots: int
    until: int


Leases = tuple[SlotLease, ...]


def live(leases: Iterable[SlotLease], now_ms: int) -> Leases:
    return tuple(lease for lease in leases if now_ms < lease.until)


def held_by(owner: str, leases: Iterable[SlotLease], at_ms: int) -> int:
    """The slots of a process whose leases are live at an instant."""
    return sum(lease.slots for lease in live(leases, at_ms) if lease.owner == owner)


def free_for(owner: str, limit: int, leases: Iterable[SlotLease], now_ms: int) -> int:
    """The slots that a process could have, its own ones included."""
    others = [lease for lease in live(leases, now_ms) if lease.owner != owner]
    if len(others) >= max_holders(limit):
        return 0
    return max(0, limit - sum(lease.slots for lease in others))


def max_holders(limit: int) -> int:
    """Processes that may hold slots at once: enough to use the whole limit with full batches."""
    return min(MAX_LARGE_HOLDERS, max(MAX_HOLDERS, -(-limit // EXECUTOR_BATCH)))


def is_large(limit: int) -> bool:
    return max_holders(limit) > MAX_HOLDERS


def is_mostly_free(limit: int, free: int, slots: int) -> bool:
    """Whether a process may keep unused slots. `free` is what it could have, including its own `slots`."""
    return limit - free + slots <= limit // SPARE_DIVISOR


def block(limit: int, wanted: int, free: int) -> int:
    """Slots to lease: `wanted`, or more where most slots are free, for a larger batch that may follow."""
    share = min(EXECUTOR_BATCH, -(-limit // MAX_HOLDERS))
    spare = share if is_mostly_free(limit, free, share) else 0
    return min(free, max(wanted, spare)) if wanted else 0


def leased_to(owner: str, slots: int, leases: Iterable[SlotLease], now_ms: int) -> Leases:
    """The leases after a process leased `slots` slots now, without expired ones."""
    others = tuple(lease for lease in live(leases, now_ms) if lease.owner != owner)
    return (*others, SlotLease(owner=owner, slots=slots, until=now_ms + LEASE_MS)) if slots else others
