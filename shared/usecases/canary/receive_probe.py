"""Accept the calls of the canary's jobs, and no others."""

from collections.abc import Mapping

from shared.dataclass import dataclass
from shared.domain.canary import ProbePath, path_of
from shared.domain.delivery.verification import is_genuine
from shared.domain.errors import ScheduleError
from shared.domain.schedules.instants import parse_instant
from shared.ports.runtime import Clock
from shared.usecases.canary.cached_secret import CachedSecret


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A genuine call."""

    path: ProbePath
    lag_ms: int
    """From the scheduled instant to the arrival."""


@dataclass(frozen=True, slots=True)
class ReceiveProbe:
    secret: CachedSecret
    clock: Clock

    def execute(self, headers: Mapping[str, str], body: bytes) -> Arrival | None:
        """None for a call that is not the canary's. Names of headers are in lower case.

        UnavailableError if the secret could not be read.
        """
        arrived_at = self.clock.now_ms()
        if "webhook-signature" not in headers:
            return None
        if not is_genuine(headers, body, self.secret.get(), arrived_at):
            return None
        path = path_of(body)
        try:
            scheduled_at = parse_instant(headers.get("x-scheduled-at", ""), None)
        except ScheduleError:
            return None
        return Arrival(path=path, lag_ms=arrived_at - scheduled_at) if path is not None else None
