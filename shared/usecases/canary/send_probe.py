"""Create the job of this minute, as a client does."""

from shared.dataclass import dataclass
from shared.domain.canary import ProbePath, probe_at
from shared.domain.errors import UnavailableError
from shared.domain.schedules.instants import parse_instant
from shared.ports.canary import PublicApi
from shared.ports.runtime import Clock
from shared.usecases.canary.cached_secret import CachedSecret


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """The answer to the request."""

    path: ProbePath
    failure: str | None
    """Why the job was not accepted, without any secret."""
    request_ms: int
    """From the request to its answer."""


@dataclass(frozen=True, slots=True)
class SendProbe:
    api: PublicApi
    key: CachedSecret
    clock: Clock
    receiver_url: str

    def execute(self, tick_at: str | None) -> ProbeReport:
        """Never repeats the request: a failure is what the canary is for.

        `tick_at` is the instant of the tick. It may come some seconds or a minute later: by the clock, one minute would
        then have two probes and another one none. Without an instant, the clock decides.
        """
        started_at = self.clock.now_ms()
        minute_of = started_at if tick_at is None else parse_instant(tick_at, None)
        probe = probe_at(minute_of, self.receiver_url)
        failure = None
        try:
            key = self.key.get()
            started_at = self.clock.now_ms()
            status = self.api.create_job(key, probe.idempotency_key, probe.document)
            if status != 201:
                failure = f"the API answered {status}"
        except UnavailableError as error:
            failure = str(error)
        request_ms = max(0, self.clock.now_ms() - started_at)
        return ProbeReport(path=probe.path, failure=failure, request_ms=request_ms)
