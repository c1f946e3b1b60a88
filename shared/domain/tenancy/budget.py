"""Token buckets: how many tokens a tenant may spend in a slot of time, leased to processes in blocks.

A budget is divided into slots: the ten seconds of a ten-second window, or the one minute in which jobs are
due. A slot is a token bucket that is full at its start and never refilled. Each process leases a block of
tokens and spends it locally, so that most requests cost no write. The leases of all processes never exceed
the limit of a slot; tokens that a process does not spend are lost with the slot.
"""

from dataclasses import dataclass, field
from enum import StrEnum

SECOND_MS = 1_000
RATE_SLOTS = 10
"""Seconds in a window of a per-second budget: one write may lease for all remaining seconds."""
MIN_LIMIT_AHEAD = 20
"""Below this limit nothing is leased ahead: the few tokens are for requests of the present slot."""


class BudgetName(StrEnum):
    CREATES = "creates"
    REQUESTS = "requests"
    REPORTS = "reports"
    REFUSED_KEYS = "refused_keys"
    DUE = "due"
    CALLS = "calls"
    DESTINATION_CALLS = "destination_calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetKey:
    """One tenant's budget for one window of time."""

    tenant_id: str
    name: BudgetName
    window: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLease:
    """Tokens of one slot, granted only if the leases of all processes stay within the ceiling."""

    slot: int
    tokens: int
    ceiling: int


@dataclass(slots=True)
class LeasedTokens:
    """The tokens of one budget that one process has leased."""

    expires_at: int
    left: dict[int, int] = field(default_factory=dict)
    """Unspent tokens, by slot."""
    spent: dict[int, int] = field(default_factory=dict)
    rest: dict[int, int] = field(default_factory=dict)
    """An upper bound of the tokens that can still be leased, by slot, where it is known."""
    is_ahead: bool = False
    """Whether tokens of later slots were requested already."""

    def spend(self, slot: int, count: int) -> bool:
        """Spend leased tokens; False, and nothing is spent, where there are too few."""
        if self.left.get(slot, 0) < count:
            return False
        self.left[slot] -= count
        self.spent[slot] = self.spent.get(slot, 0) + count
        return True

    def add(self, leases: list[TokenLease]) -> None:
        for lease in leases:
            self.left[lease.slot] = self.left.get(lease.slot, 0) + lease.tokens
            if lease.slot in self.rest:
                self.rest[lease.slot] -= lease.tokens

    def deficit(self, slot: int, count: int) -> int:
        return count - self.left.get(slot, 0)

    def block(self, slot: int, count: int, limit: int, demand: int) -> int:
        """Tokens to lease: the deficit, or more: half of the spent tokens, or the last slot's demand."""
        short = self.deficit(slot, count)
        first = max(demand, self.spent.get(slot - 1, 0)) if slot not in self.left else 0
        wanted = max(short, self.spent.get(slot, 0) // 2, first)
        return min(wanted, self.rest.get(slot, limit))

    def demand(self) -> int:
        """Average tokens spent in a slot of a finished window, rounded up."""
        return -(-sum(self.spent.values()) // RATE_SLOTS)


def ahead(slot: int, limit: int, demand: int) -> list[TokenLease]:
    """Leases of later slots, for a steady demand; half of each slot is left to other processes."""
    ceiling = limit // 2
    if limit < MIN_LIMIT_AHEAD or not 0 < demand <= ceiling:
        return []
    return [TokenLease(slot=later, tokens=demand, ceiling=ceiling) for later in range(slot + 1, RATE_SLOTS)]
