"""Messages that only a newer release can read. They are sent again, unchanged, until such a release receives them."""

from shared.dataclass import dataclass
from shared.domain.dispatch.wakeup import MAX_DELAY_SECONDS

FIRST_DELAY_SECONDS = 20
"""During a deployment, an executor of the newer release may receive the message a moment later."""
_DOUBLINGS = 6
"""So that the shift stays small; the delay has reached its maximum by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewerMessage:
    """A received message: body, message group and message attributes as they were sent.

    A fresh message waits in the queue. A message that is hidden by its visibility timeout would count as in
    flight, of which a queue allows 120,000.
    """

    body: str
    group: str | None = None
    attributes: tuple[tuple[str, str, str | bytes], ...] = ()
    """Name, data type and value of each message attribute, without the number of resends."""
    resends: int = 0
    """How often the message has been sent again; a fresh message starts with no receives."""

    @property
    def delay_seconds(self) -> int:
        """Doubles with each resend, from 20 s up to the maximum of the queue."""
        return min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS << min(self.resends, _DOUBLINGS))
