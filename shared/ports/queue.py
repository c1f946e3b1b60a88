"""The lanes."""

from collections.abc import Sequence
from typing import Protocol

from shared.domain.wakeup import Wakeup


class WakeupQueue(Protocol):
    """The lanes. At least once, in no order, each message held until its `not_before`, 900 s at most."""

    def send(self, wakeups: Sequence[Wakeup], now_ms: int) -> list[Wakeup]:
        """Send all; the ones that were not accepted are returned. Raises nothing for a failed send."""
        ...
