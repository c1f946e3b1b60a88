"""Spend from a tenant's token buckets: tokens leased by this process, and new leases only as needed."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from enum import Enum, auto
from functools import partial

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import ServiceError, ThrottledError
from shared.domain.tenancy.budget import (
    RATE_SLOTS,
    SECOND_MS,
    SLOTS_AHEAD,
    BudgetKey,
    BudgetName,
    LeasedTokens,
    TokenLease,
    ahead,
    first_due,
    recent_demand,
)
from shared.ports.runtime import Clock
from shared.ports.tenancy import BudgetStore

WINDOW_MS = RATE_SLOTS * SECOND_MS
TRIES = 3
"""Tries of a lease while other processes take tokens of the same slot."""
STORE_BACKOFF_MS = 5_000
"""How long the store is skipped after it failed to respond."""
KEPT_MS = 3_600_000
"""How long the stored counters of a budget outlive its last slot."""
MAX_BUDGETS = 4_000
"""Windows of seconds of all tenants, at most 7 KB each: 28 MB. Lost tokens only make a limit stricter."""
MAX_DUE_MINUTES = 8_000
"""Minutes in which jobs of all tenants are due, at most 1 KB each: 8 MB."""


class _Lease(Enum):
    GRANTED = auto()
    REFUSED = auto()
    STORE_DOWN = auto()


@dataclass(slots=True)
class SpendBudget:
    """Belongs to one process.

    In any second of the clock, and for any due minute, all processes together spend at most the limit. The
    limit starts anew with each second, so any period of one second that spans two of them can see up to twice
    the limit. Unspent tokens are lost with their slot. Where the store does not respond, every request is
    admitted (availability before limits) and counted in `store_errors`.
    """

    budgets: BudgetStore
    clock: Clock
    store_errors: int = 0
    _leased: BoundedCache[BudgetKey, LeasedTokens] = field(default_factory=lambda: BoundedCache(MAX_BUDGETS))
    _due: BoundedCache[BudgetKey, LeasedTokens] = field(default_factory=lambda: BoundedCache(MAX_DUE_MINUTES))
    """Apart, since jobs that are due over a week would push out the windows of seconds."""
    _backoff_until: int = 0
    _throttled_until: BoundedCache[tuple[str, str], int] = field(
        default_factory=lambda: BoundedCache(MAX_BUDGETS)
    )
    """By tenant and budget."""

    def per_second(
        self, tenant_id: str, name: BudgetName, limit: int, count: int = 1, *, read_first: bool = False
    ) -> bool:
        """Spend tokens of this second; False if there are too few. `read_first`: a refusal costs no write."""
        now_ms = self.clock.now_ms()
        window = now_ms // WINDOW_MS
        key = BudgetKey(tenant_id=tenant_id, name=name, window=window)
        slot = now_ms % WINDOW_MS // SECOND_MS
        return self._spend(
            key,
            _tokens(self._leased, key, (window + 1) * WINDOW_MS),
            slot=slot,
            limit=limit,
            count=count,
            demand=partial(self._demand, key, slot),
            read_first=read_first,
        )

    def in_minute(self, tenant_id: str, name: BudgetName, minute: int, limit: int, count: int = 1) -> bool:
        """Spend tokens of any minute; False if there are too few."""
        key = BudgetKey(tenant_id=tenant_id, name=name, window=minute)
        return self._spend(
            key,
            _tokens(self._due, key, (minute + 1) * MINUTE_MS),
            slot=0,
            limit=limit,
            count=count,
            demand=lambda: first_due(limit, self._due.get(replace(key, window=minute - 1))),
        )

    def take_store_errors(self) -> int:
        """Tokens spent without a lease since the last call; resets the counter."""
        counted, self.store_errors = self.store_errors, 0
        return counted

    def _spend(
        self,
        key: BudgetKey,
        tokens: LeasedTokens,
        *,
        slot: int,
        limit: int,
        count: int,
        demand: Callable[[], int],
        read_first: bool = False,
    ) -> bool:
        if count > limit:
            return False
        tokens.limit_to(limit)
        if tokens.spend(slot, count):
            return True
        try:
            if read_first:
                self._read(key, tokens, slot, limit)
            result = self._lease(key, tokens, slot, limit, count, demand())
        except ServiceError as error:
            self._skip(key, error)
            result = _Lease.STORE_DOWN
        if result is _Lease.STORE_DOWN:
            self.store_errors += count
            return True
        return result is _Lease.GRANTED and tokens.spend(slot, count)

    def _skip(self, key: BudgetKey, error: ServiceError) -> None:
        """A throttled item is one tenant's own, and an answer: no other budget is skipped for it."""
        until = self.clock.now_ms() + STORE_BACKOFF_MS
        if isinstance(error, ThrottledError):
            self._throttled_until[key.tenant_id, key.name] = until
        else:
            self._backoff_until = until

    def _is_skipped(self, key: BudgetKey) -> bool:
        throttled_until = self._throttled_until.get((key.tenant_id, key.name), 0)
        return self.clock.now_ms() < max(self._backoff_until, throttled_until)

    def _read(self, key: BudgetKey, tokens: LeasedTokens, slot: int, limit: int) -> None:
        """Read what is left of a slot: a refused write would cost as much as one that is made."""
        if slot not in tokens.rest and not self._is_skipped(key):
            tokens.rest[slot] = max(0, limit - self.budgets.usage(key).get(slot, 0))

    def _lease(
        self, key: BudgetKey, tokens: LeasedTokens, slot: int, limit: int, count: int, demand: int
    ) -> _Lease:
        """Lease enough tokens. UnavailableError where the response was lost."""
        later = ahead(slot, limit, demand) if slot >= tokens.ahead_until else []
        used: Mapping[int, int] = {}
        for tries_left in reversed(range(TRIES)):
            if not tries_left:
                # Later seconds that other processes fill meanwhile must not refuse the present one.
                later = []
            block = tokens.block(slot, count, limit, demand)
            if block < tokens.deficit(slot, count):
                return _Lease.REFUSED
            if self._is_skipped(key):
                return _Lease.STORE_DOWN
            leases = [TokenLease(slot=slot, tokens=block, ceiling=limit)]
            leases += [each for each in later if used.get(each.slot, 0) + each.tokens <= each.ceiling]
            refused = self.budgets.take(key, leases, (tokens.expires_at + KEPT_MS) // 1000)
            if refused is None:
                tokens.add(leases)
                if later:
                    tokens.ahead_until = max(leases[-1].slot, slot + SLOTS_AHEAD) + 1
                return _Lease.GRANTED
            used = refused
            tokens.rest[slot] = max(0, limit - used.get(slot, 0))
        return _Lease.REFUSED

    def _demand(self, key: BudgetKey, slot: int) -> int:
        """Tokens that this process spends in a second, by the last ten seconds."""
        before = replace(key, window=key.window - 1)
        return recent_demand(slot, self._leased.get(key), self._leased.get(before))


def _tokens(leased: BoundedCache[BudgetKey, LeasedTokens], key: BudgetKey, expires_at: int) -> LeasedTokens:
    if key not in leased:
        leased[key] = LeasedTokens(expires_at=expires_at)
    return leased[key]
