"""SPEND from a tenant's budget: out of what this process has leased, and only where that is not enough, lease more."""

from dataclasses import dataclass, field

from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import UnavailableError
from shared.domain.tenancy.budget import (
    RATE_SLOTS,
    SECOND_MS,
    BudgetKey,
    BudgetName,
    LeasedTokens,
    TokenLease,
    ahead,
)
from shared.ports.runtime import Clock
from shared.ports.tenancy import BudgetStore

WINDOW_MS = RATE_SLOTS * SECOND_MS
TRIES = 3
"""So often is a lease tried against others who take tokens at the same time."""
STORE_BACKOFF_MS = 5_000
"""For so long is a store left alone that did not answer."""
KEPT_MS = 3_600_000
"""Budgets are forgotten so long after they are over."""
MAX_PURSES = 10_000


@dataclass(slots=True)
class SpendBudget:
    """Leased budgets.

    In any second of the clock, and for any due minute, all processes together spend no more than the limit. The
    limit starts anew with each second, so a stretch of one second that lies across two of them can see up to twice
    the limit. Tokens that a process leased and did not spend are lost with their slot. Where the store does not
    answer, everything is admitted (availability before limits) and counted in `store_errors`.
    """

    budgets: BudgetStore
    clock: Clock
    store_errors: int = 0
    _leased: dict[BudgetKey, LeasedTokens] = field(default_factory=dict)
    _backoff_until: int = 0

    def per_second(
        self, tenant_id: str, name: BudgetName, limit: int, count: int = 1, *, looks_first: bool = False
    ) -> bool:
        """Whether so much may happen in this second. `looks_first`: what is refused costs a read, and no write."""
        now_ms = self.clock.now_ms()
        window = now_ms // WINDOW_MS
        key = BudgetKey(tenant_id=tenant_id, name=name, window=window)
        before = self._leased.get(BudgetKey(tenant_id=tenant_id, name=name, window=window - 1))
        return self._spend(
            key,
            slot=now_ms % WINDOW_MS // SECOND_MS,
            limit=limit,
            count=count,
            demand=before.demand() if before else 0,
            expires_at=(window + 1) * WINDOW_MS,
            looks_first=looks_first,
        )

    def in_minute(self, tenant_id: str, name: BudgetName, minute: int, limit: int, count: int = 1) -> bool:
        """Whether so much may be put into that minute, whenever it is."""
        key = BudgetKey(tenant_id=tenant_id, name=name, window=minute)
        return self._spend(
            key, slot=0, limit=limit, count=count, demand=0, expires_at=(minute + 1) * MINUTE_MS
        )

    def take_store_errors(self) -> int:
        """How much was admitted without an answer since this was last asked."""
        counted, self.store_errors = self.store_errors, 0
        return counted

    def _spend(
        self,
        key: BudgetKey,
        *,
        slot: int,
        limit: int,
        count: int,
        demand: int,
        expires_at: int,
        looks_first: bool = False,
    ) -> bool:
        if count > limit:
            return False
        tokens = self._tokens_of(key, expires_at)
        if tokens.spend(slot, count):
            return True
        try:
            if looks_first:
                self._look(key, tokens, slot, limit)
            is_leased = self._lease(key, tokens, slot, limit, count, demand)
        except UnavailableError:
            self._backoff_until = self.clock.now_ms() + STORE_BACKOFF_MS
            is_leased = None
        if is_leased is None:
            self.store_errors += count
            return True
        return is_leased and tokens.spend(slot, count)

    def _look(self, key: BudgetKey, tokens: LeasedTokens, slot: int, limit: int) -> None:
        """Know what is left of a slot before it is asked for: a refused write costs as much as one that is made."""
        if slot not in tokens.rest and self.clock.now_ms() >= self._backoff_until:
            tokens.rest[slot] = max(0, limit - self.budgets.taken(key).get(slot, 0))

    def _lease(
        self, key: BudgetKey, tokens: LeasedTokens, slot: int, limit: int, count: int, demand: int
    ) -> bool | None:
        """Whether enough could be leased; None where the store is not asked since it did not answer lately."""
        for _ in range(TRIES):
            block = tokens.block(slot, count, limit, demand)
            if block < tokens.deficit(slot, count):
                return False
            if self.clock.now_ms() < self._backoff_until:
                return None
            portions = [TokenLease(slot=slot, tokens=block, ceiling=limit)]
            if not tokens.is_ahead:
                portions += ahead(slot, limit, demand)
                tokens.is_ahead = True
            taken = self.budgets.take(key, portions, (tokens.expires_at + KEPT_MS) // 1000)
            if taken is None:
                tokens.add(portions)
                return True
            tokens.rest[slot] = max(0, limit - taken.get(slot, 0))
        return False

    def _tokens_of(self, key: BudgetKey, expires_at: int) -> LeasedTokens:
        if key not in self._leased:
            if len(self._leased) >= MAX_PURSES:
                self._forget()
            self._leased[key] = LeasedTokens(expires_at=expires_at)
        return self._leased[key]

    def _forget(self) -> None:
        """The ones that are over; and if there are none, all: their tokens are lost, which errs on the safe side."""
        over = self.clock.now_ms() - 2 * WINDOW_MS
        kept = {key: tokens for key, tokens in self._leased.items() if tokens.expires_at > over}
        self._leased = kept if len(kept) < MAX_PURSES else {}
