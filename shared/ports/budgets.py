"""What of a tenant's budgets is taken, and how many recurring jobs it has."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from shared.domain.budget import BudgetKey, Portion


class BudgetStore(Protocol):
    """Counters that many processes draw from at once."""

    def take(
        self, key: BudgetKey, portions: Sequence[Portion], expires_at_s: int
    ) -> Mapping[int, int] | None:
        """Take all portions, or none of them.

        None when they were taken; otherwise what is taken of each slot by everybody, which was too much for at
        least one of them. UnavailableError where the answer was lost: the portions may be taken then.
        """
        ...

    def taken(self, key: BudgetKey) -> Mapping[int, int]:
        """What is taken of each slot, read strongly."""
        ...


class RecurringJobs(Protocol):
    """How many there are."""

    def count(self, tenant_id: str, at_most: int) -> int:
        """The tenant's recurring jobs that have not ended, read strongly; counting stops at `at_most`."""
        ...
