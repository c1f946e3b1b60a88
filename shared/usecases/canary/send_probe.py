"""Create the job of this minute, as a client does."""

from shared.dataclass import dataclass
from shared.domain.canary import ProbePath, probe_at
from shared.domain.errors import UnavailableError
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

    def execute(self) -> ProbeReport:
        """Never repeats the request: a failure is what the canary is for."""
        started_at = self.clock.now_ms()
        probe = probe_at(started_at, self.receiver_url)
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
