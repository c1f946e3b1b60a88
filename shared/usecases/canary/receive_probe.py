"""Accept the calls of the canary's jobs, and no others."""

from collections.abc import Mapping
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.canary import ProbePath, path_of
from shared.domain.delivery.signing import SIGNATURE_HEADER
from shared.domain.delivery.verification import is_genuine
from shared.domain.errors import InvalidValueError, UnavailableError
from shared.domain.ids import parse_execution_id
from shared.ports.runtime import Clock
from shared.usecases.canary.cached_secret import CachedSecret

REPORT_EVERY_MS = 60_000
REMEMBERED = 100
"""Far more calls than arrive while a signature is valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A genuine call."""

    path: ProbePath
    lag_ms: int
    """From the instant at which the call was due to its arrival."""
    is_repeated: bool
    """Whether this process has had the call before. Another arrival does not make up for a call that is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A call that is not the canary's, or cannot be verified."""

    is_temporary: bool = False
    report: str | None = None
    """Why a call that looks like the canary's was refused: at most once a minute, because strangers send such calls."""


@dataclass(slots=True)
class ReceiveProbe:
    secret: CachedSecret
    clock: Clock
    _report_again_at: int = 0
    _seen: BoundedCache[str, None] = field(default_factory=lambda: BoundedCache(REMEMBERED))

    def execute(self, headers: Mapping[str, str], body: bytes) -> Arrival | Refusal:
        """Names of headers are in lower case. Path and lag come from parts of the call that are signed."""
        arrived_at = self.clock.now_ms()
        if SIGNATURE_HEADER not in headers:
            return Refusal()
        try:
            secret = self.secret.get()
        except UnavailableError as error:
            return Refusal(is_temporary=True, report=self._report(str(error), arrived_at))
        if not is_genuine(headers, body, secret, arrived_at):
            return Refusal(report=self._report("no valid signature", arrived_at))
        message_id = headers["webhook-id"]
        path, due_at = path_of(body), _due_at(message_id)
        if path is None or due_at is None:
            return Refusal(report=self._report("signed, but no call of a probe", arrived_at))
        is_repeated = message_id in self._seen
        self._seen[message_id] = None
        return Arrival(path=path, lag_ms=arrived_at - due_at, is_repeated=is_repeated)

    def _report(self, failure: str, now_ms: int) -> str | None:
        if now_ms < self._report_again_at:
            return None
        self._report_again_at = now_ms + REPORT_EVERY_MS
        return failure


def _due_at(message_id: str) -> int | None:
    """The id of an execution names its instant, and is signed, unlike `X-Scheduled-At`."""
    try:
        return parse_execution_id(message_id).dispatch_at
    except InvalidValueError:
        return None
