"""Circuit breaker of the limit store: after the store itself fails to respond, skip it for a while.

While the store is skipped there are no limits: a limit may delay a job, but never stop or lose one.
"""

from shared.dataclass import dataclass
from shared.ports.runtime import Clock
from shared.usecases.limits.scope_cooldowns import COOLDOWN_MS


@dataclass(slots=True)
class StoreBackoff:
    """Belongs to one process, and counts what the metric `LimitStoreErrors` reports."""

    clock: Clock
    store_errors: int = 0
    """Requests to the limit store that failed or were skipped, since `take_store_errors`."""
    _until: int = 0

    @property
    def is_active(self) -> bool:
        return self.clock.now_ms() < self._until

    def start(self) -> None:
        """Count a failed request, and skip the store for `COOLDOWN_MS`."""
        self.store_errors += 1
        self._until = self.clock.now_ms() + COOLDOWN_MS

    def record_error(self) -> None:
        """Count a failed request that says nothing about the rest of the store."""
        self.store_errors += 1

    def record_skip(self) -> None:
        self.store_errors += 1

    def take_store_errors(self) -> int:
        """The errors and skips since the last call; resets the counter."""
        counted, self.store_errors = self.store_errors, 0
        return counted
