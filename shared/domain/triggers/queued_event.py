"""Events as the queue of the event bus delivers them, and how long one of them is delivered again."""

from dataclasses import replace
from enum import StrEnum
from typing import Final

from shared.dataclass import dataclass

FIRST_DELAY_SECONDS: Final = 60
MAX_DELAY_SECONDS: Final = 900
"""The most that SQS allows."""
MAX_AGE_MS: Final = 20 * 3_600_000
"""From the first receipt. Later than a day after it, a run that was filed then could be filed a second time."""
_DOUBLINGS: Final = 4


class Cause(StrEnum):
    """Why an event is to be delivered again. The values are fields of `Redeliveries`."""

    OVER_QUOTA = "over_quota"
    UNAVAILABLE = "unavailable"
    """A store did not answer or throttled. This is no fault of the tenant: the age alone ends it."""
    FAILED = "failed"
    """A fault of this program or of its deployment."""
    NO_TIME = "no_time"
    """The function had to end before this event began. The age alone ends it, as above."""


MAX_REDELIVERIES: Final = {Cause.OVER_QUOTA: 16, Cause.FAILED: 6}
"""With the delays of `delay_seconds`, 16 take about two hours and a half, and 6 about half an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redeliveries:
    """How often an event was sent again so far, by cause."""

    first_at: int
    """When the event was first received, in UTC ms."""
    over_quota: int = 0
    unavailable: int = 0
    failed: int = 0

    def after(self, cause: Cause, now_ms: int) -> "Redeliveries | None":
        """With one more for this cause; None if the event is to be delivered no more."""
        if now_ms - self.first_at >= MAX_AGE_MS:
            return None
        if cause is Cause.NO_TIME:
            return self
        count = self.count(cause) + 1
        return None if count > MAX_REDELIVERIES.get(cause, count) else replace(self, **{cause.value: count})

    def count(self, cause: Cause) -> int:
        return 0 if cause is Cause.NO_TIME else int(getattr(self, cause.value))

    def delay_seconds(self, cause: Cause, draw: float) -> int:
        """Doubles with each redelivery, up to the maximum of the queue. `draw` is uniform in [0, 1): it takes up to
        half of the delay off, so that events of one burst come apart."""
        doublings = min(max(0, self.count(cause) - 1), _DOUBLINGS)
        longest = min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS << doublings)
        return round(longest * (1 - draw / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedEvent:
    """A received message."""

    id: str
    """That of the message, which is another one each time that the event is sent again."""
    body: str
    first_received_at: int | None = None
    """When this message was first received, in UTC ms."""
    redeliveries: Redeliveries | None = None
    """None for an event that was not sent again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterEvent:
    """An event that is to be delivered again."""

    event: QueuedEvent
    redeliveries: Redeliveries
    delay_seconds: int
    account: str | None = None
    """That of the event, if it could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadEvent:
    """An event that is to be delivered no more."""

    event: QueuedEvent
    reason: str
    """For operators, without any part of the event."""
    first_at: int
    """When the event was first received, in UTC ms."""
