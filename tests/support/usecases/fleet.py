"""Many processes that share one tenant's token bucket on one virtual clock, each with its leases."""

from collections import Counter
from collections.abc import Iterable

from shared.domain.tenancy.budget import BudgetName
from shared.usecases.tenancy.spend_budget import SpendBudget
from tests.support.builders import TENANT
from tests.support.fakes.budgets import FakeBudgetStore
from tests.support.fakes.clock import VirtualClock

START_MS = 1_740_000_000_000


class Fleet:
    """The admitted requests by time."""

    def __init__(self, size: int, limit: int, store: FakeBudgetStore | None = None) -> None:
        self.limit = limit
        self.clock = VirtualClock(START_MS)
        self.store = store or FakeBudgetStore()
        self.processes = [SpendBudget(budgets=self.store, clock=self.clock) for _ in range(size)]
        self.admitted: list[int] = []
        self.asked = 0

    def ask(self, process: int, at: int, count: int = 1) -> bool:
        """One request that may create this many jobs."""
        self.clock.time_ms = START_MS + at
        self.asked += 1
        spend = self.processes[process]
        if not spend.per_second(TENANT, BudgetName.CREATES, self.limit, count):
            return False
        self.admitted += [at] * count
        return True

    def run(self, arrivals: Iterable[tuple[int, int]]) -> "Fleet":
        """Requests as (instant, process), in order."""
        for at, process in arrivals:
            self.ask(process, at)
        return self

    def by_second(self) -> Counter[int]:
        """The admitted requests in each second of the clock."""
        return Counter(at // 1_000 for at in self.admitted)

    def most_in_any_second(self) -> int:
        """The maximum of admitted requests in any interval of one second."""
        most, first = 0, 0
        for last, at in enumerate(self.admitted):
            while self.admitted[first] <= at - 1_000:
                first += 1
            most = max(most, last - first + 1)
        return most
