"""The clock that decides whether an execution or a message is due or late."""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.dispatch.clock_skew import ReceivedAt, clock_skew_ms
from shared.ports.runtime import Clock


@dataclass(slots=True)
class DueClock:
    """The slower of this process's clock and the clock of SQS, so that a fast clock makes no call early, and
    reports no lane as late.

    Leases stay on the process's own clock. A process runs one batch at a time, and each batch sets the lead.
    """

    clock: Clock
    _lead_ms: int = 0

    def start_batch(self, messages: Sequence[ReceivedAt]) -> int:
        """Compare the clocks, and return the skew in ms: positive if this process's clock is ahead."""
        skew_ms = clock_skew_ms(self.clock.now_ms(), messages)
        self._lead_ms = max(0, skew_ms)
        return skew_ms

    def now_ms(self) -> int:
        return self.clock.now_ms() - self._lead_ms

    async def sleep_ms(self, duration_ms: int) -> None:
        await self.clock.sleep_ms(duration_ms)
