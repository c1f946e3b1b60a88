"""The queues of wake-ups."""

from collections.abc import Sequence
from typing import Protocol

from shared.domain.wakeup import Wakeup
from shared.names import QueueName


class WakeupQueue(Protocol):
    """All queues. At least once, in no order, each message held until its `not_before`, 900 s at most."""

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        """Send each through its queue; those that were not accepted are returned. Raises nothing for a failed send."""
        ...


class Backlog(Protocol):
    """How much waits."""

    def visible(self, queue: QueueName) -> int:
        """About how many messages of a queue could be received and were not; UnavailableError."""
        ...


class Weights(Protocol):
    """How large the fair share of each tenant is."""

    def __call__(self, tenant_id: str) -> int:
        """The tenant's weight, as it was a while ago at worst; 1 where it is not known. Raises nothing."""
        ...
