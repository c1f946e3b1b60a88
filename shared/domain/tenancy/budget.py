"""Budgets: how many tokens a tenant may spend in a span of time, and how they are handed out in blocks.

A budget is divided into slots: the ten seconds of a ten-second window, or the one minute in which jobs are due. Each
process leases a block of a slot's tokens and spends it by itself, so that most requests cost no write. What was
leased by all together never exceeds the limit of a slot; what a process leased and did not spend is lost with the
slot.
"""

from dataclasses import dataclass, field
from enum import StrEnum

SECOND_MS = 1_000
RATE_SLOTS = 10
"""A window of a budget per second has so many seconds: one write may lease for all that are left of it."""
MIN_LIMIT_AHEAD = 20
"""Below this limit nothing is leased ahead: the few tokens are for whoever needs them now."""


class BudgetName(StrEnum):
    """What is budgeted."""

    CREATES = "creates"
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
    """Tokens of one slot, to be had only if all that is leased of it stays within the ceiling."""

    slot: int
    tokens: int
    ceiling: int


@dataclass(slots=True)
class LeasedTokens:
    """What one process holds of one budget."""

    expires_at: int
    left: dict[int, int] = field(default_factory=dict)
    """Leased and not yet spent, by slot."""
    spent: dict[int, int] = field(default_factory=dict)
    rest: dict[int, int] = field(default_factory=dict)
    """The most that can still be leased of a slot, where that is known; it only ever shrinks."""
    is_ahead: bool = False
    """Whether the slots to come were asked for already."""

    def spend(self, slot: int, count: int) -> bool:
        """Spend what is held; False where it is not enough."""
        if self.left.get(slot, 0) < count:
            return False
        self.left[slot] -= count
        self.spent[slot] = self.spent.get(slot, 0) + count
        return True

    def add(self, portions: list[TokenLease]) -> None:
        """Put what was leased into the purse."""
        for portion in portions:
            self.left[portion.slot] = self.left.get(portion.slot, 0) + portion.tokens
            if portion.slot in self.rest:
                self.rest[portion.slot] -= portion.tokens

    def deficit(self, slot: int, count: int) -> int:
        """How many tokens are missing."""
        return count - self.left.get(slot, 0)

    def block(self, slot: int, count: int, limit: int, demand: int) -> int:
        """How many to lease now: what is missing, or half as many as were spent, or what the last slot needed."""
        short = self.deficit(slot, count)
        first = max(demand, self.spent.get(slot - 1, 0)) if slot not in self.left else 0
        wanted = max(short, self.spent.get(slot, 0) // 2, first)
        return min(wanted, self.rest.get(slot, limit))

    def demand(self) -> int:
        """Tokens that were spent in each slot, on the average and rounded up; over the whole of a finished window."""
        return -(-sum(self.spent.values()) // RATE_SLOTS)


def ahead(slot: int, limit: int, demand: int) -> list[TokenLease]:
    """Portions of the slots to come, for a process with a steady demand; half of each slot is kept for the others."""
    ceiling = limit // 2
    if limit < MIN_LIMIT_AHEAD or not 0 < demand <= ceiling:
        return []
    return [TokenLease(slot=later, tokens=demand, ceiling=ceiling) for later in range(slot + 1, RATE_SLOTS)]
