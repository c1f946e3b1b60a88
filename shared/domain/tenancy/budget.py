"""Token buckets: how many tokens a tenant may spend in a slot of time, leased to processes in blocks.

A budget is divided into slots: the seconds of a minute, or the one minute in which jobs are due. A slot is a
token bucket that is full at its start and never refilled. Each process leases a block of tokens and spends it
locally, so that most requests cost no write.

The leases of all processes never exceed the limit of a slot, whatever processes lease: one conditional write
adds to a counter for each slot. A token belongs to its slot alone, so a process that was frozen meanwhile can
spend nothing that it leased before. Unspent tokens are lost with the slot, which makes a limit stricter only:

- A process leases the next nine seconds with the same write, as far as all such leases are at most half of a
  second. Processes that went quiet leave the other half.
- For a small demand, at most a twentieth of the limit, it leases the rest of the minute: one write a minute in
  place of one a second. Of a second that is further ahead, all these leases are at most a quarter.
- The first lease of a due minute is what the process spent of the minute before, up to a two hundredth of the
  limit and 32 tokens. Each later lease is half of what the process has spent. A process strands no more.
"""

from dataclasses import field
from enum import StrEnum

from shared.dataclass import dataclass

SECOND_MS = 1_000
RATE_SLOTS = 60
"""Seconds in a window of a per-second budget: one write may lease for all remaining seconds."""
SLOTS_AHEAD = 9
"""Later seconds that are leased for a demand that is not small."""
MIN_LIMIT_AHEAD = 20
"""Below this limit nothing is leased ahead: the few tokens are for requests of the present slot."""
RECENT_SLOTS = 10
"""Slots whose spending shows the demand of the next ones."""
SMALL_DEMAND = 20
"""A demand is small up to the limit divided by this."""
MOST_DUE = 32
DUE_SHARE = 200


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
    limit: int = 0
    """The limit that they were leased under."""
    left: dict[int, int] = field(default_factory=dict)
    """Unspent tokens, by slot."""
    spent: dict[int, int] = field(default_factory=dict)
    rest: dict[int, int] = field(default_factory=dict)
    """An upper bound of the tokens that can still be leased, by slot, where it is known."""
    ahead_until: int = 0
    """The first slot for which no tokens were requested ahead."""

    def limit_to(self, limit: int) -> None:
        """Give up what was leased under a higher limit: leases reach to the end of the window."""
        if limit < self.limit:
            self.left.clear()
        self.limit = limit

    def spend(self, slot: int, count: int) -> bool:
        """Spend leased tokens; False, and nothing is spent, where there are too few."""
        if self.left.get(slot, 0) < count:
            return False
        self.left[slot] = self.left.get(slot, 0) - count
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


def recent_demand(slot: int, tokens: LeasedTokens | None, before: LeasedTokens | None) -> int:
    """Average tokens that the process spent in a slot, rounded up, from the first of the last ten in which it
    spent any. `before` are the tokens of the window before.
    """
    spent = {at - RATE_SLOTS: count for at, count in before.spent.items()} if before else {}
    spent |= tokens.spent if tokens else {}
    recent = {at: count for at, count in spent.items() if slot - RECENT_SLOTS <= at < slot}
    return -(-sum(recent.values()) // (slot - min(recent))) if recent else 0


def ahead(slot: int, limit: int, demand: int) -> list[TokenLease]:
    """Leases of later slots of the window, for a steady demand; most of each slot is left to other processes."""
    if limit < MIN_LIMIT_AHEAD or not 0 < demand <= limit // 2:
        return []
    near_until = slot + 1 + SLOTS_AHEAD
    until = RATE_SLOTS if demand * SMALL_DEMAND <= limit else min(near_until, RATE_SLOTS)
    return [
        TokenLease(slot=later, tokens=demand, ceiling=limit // 2 if later < near_until else limit // 4)
        for later in range(slot + 1, until)
    ]


def first_due(limit: int, before: LeasedTokens | None) -> int:
    """The demand to expect of a due minute, by the minute before."""
    return min(sum(before.spent.values()), MOST_DUE, limit // DUE_SHARE) if before else 0
