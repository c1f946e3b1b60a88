"""Token buckets in memory, and quotas that no test reaches by accident."""

from collections.abc import Mapping, Sequence

from shared.domain.tenancy.budget import BudgetKey, TokenLease
from shared.domain.tenancy.quota import Quotas
from shared.names import MAX_PAYLOAD_BYTES

GENEROUS = Quotas(
    recurring_jobs=100_000,
    creates_per_second=100_000,
    due_per_minute=1_000_000,
    payload_bytes=MAX_PAYLOAD_BYTES,
    tags=10,
    api_keys=10,
)


class FakeBudgetStore:
    """Grants all leases or none."""

    def __init__(self) -> None:
        self.slots: dict[BudgetKey, dict[int, int]] = {}
        self.writes = 0
        """The number of calls of `take`."""

    def take(
        self, key: BudgetKey, leases: Sequence[TokenLease], expires_at_s: int
    ) -> Mapping[int, int] | None:
        self.writes += 1
        slots = self.slots.get(key, {})
        wanted = {lease.slot: slots.get(lease.slot, 0) + lease.tokens for lease in leases}
        if any(wanted[lease.slot] > lease.ceiling for lease in leases):
            return dict(slots)
        self.slots[key] = slots | wanted
        return None

    def usage(self, key: BudgetKey) -> Mapping[int, int]:
        return dict(self.slots.get(key, {}))
