"""Slots: how many calls at once a scope may have, leased by worker processes in blocks with an end.

A process takes what a batch needs and gives it back afterwards; what it took and never gave back is free again when
its lease ends. All live leases together never exceed the limit that held when the last of them was taken. For batches
that may come no more than a quarter of a limit is held: whoever holds it may stand still before they do.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from shared.names import EXECUTOR_BATCH

MAX_HOLDERS = 32
"""So many processes hold slots of one scope at once: its item stays within one write unit."""
MOST_HOLDERS = 100
"""So many where a limit is large: its item takes up to three."""
SPARE_PART = 4
LEASE_MS = 90_000
"""Longer than a batch can last, since nothing renews a lease while calls go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotLease:
    """What one process holds."""

    owner: str
    slots: int
    until: int


Leases = tuple[SlotLease, ...]


def live(leases: Iterable[SlotLease], now_ms: int) -> Leases:
    """The leases that have not ended."""
    return tuple(lease for lease in leases if now_ms < lease.until)


def held_by(owner: str, leases: Iterable[SlotLease], at_ms: int) -> int:
    """How many slots a process still holds at an instant."""
    return sum(lease.slots for lease in live(leases, at_ms) if lease.owner == owner)


def free_for(owner: str, limit: int, leases: Iterable[SlotLease], now_ms: int) -> int:
    """How many slots a process could have, those that it holds included."""
    others = [lease for lease in live(leases, now_ms) if lease.owner != owner]
    if len(others) >= most_holders(limit):
        return 0
    return max(0, limit - sum(lease.slots for lease in others))


def most_holders(limit: int) -> int:
    """How many processes may hold slots at once: enough for the whole limit with a full batch of calls each."""
    return min(MOST_HOLDERS, max(MAX_HOLDERS, -(-limit // EXECUTOR_BATCH)))


def is_large(limit: int) -> bool:
    """Whether more processes may hold slots at once than are counted for other limits."""
    return most_holders(limit) > MAX_HOLDERS


def is_mostly_free(limit: int, free: int, held: int) -> bool:
    """Whether a process may hold what no batch of its own needs now. `free` is what it could have, `held` included."""
    return limit - free + held <= limit // SPARE_PART


def block(limit: int, wanted: int, free: int) -> int:
    """How many to take: what is wanted, and where most is free as many as a larger batch may want that comes next."""
    share = min(EXECUTOR_BATCH, -(-limit // MAX_HOLDERS))
    spare = share if is_mostly_free(limit, free, share) else 0
    return min(free, max(wanted, spare)) if wanted else 0


def leased_to(owner: str, slots: int, leases: Iterable[SlotLease], now_ms: int) -> Leases:
    """The leases when a process holds so many, from now on; ended ones are left out."""
    others = tuple(lease for lease in live(leases, now_ms) if lease.owner != owner)
    return (*others, SlotLease(owner=owner, slots=slots, until=now_ms + LEASE_MS)) if slots else others
