"""The circuit breaker of a destination, with an adaptive concurrency limit and a flag for slow responses.

The limit follows AIMD: it is halved on overload (429, 503, timeout), and grows by one a second while calls
succeed. The breaker opens after `TRIP_AFTER` consecutive failures, for longer each time. Once it is half
open, one call at a time probes the destination, until a probe succeeds.
"""

from dataclasses import replace
from enum import Enum, auto

from shared.dataclass import dataclass
from shared.domain.delivery.callback import CallbackResponse, Reason

START_LIMIT = 64
"""The assumed capacity at the first overload; a limit that grows back to it is lifted."""
PROBED_LIMIT = 4
"""The limit after a successful probe."""
CUT_EVERY_MS = 2_000
"""At most one cut in this time: many processes report the same overload at once."""
GROW_EVERY_MS = 1_000
TRIP_AFTER = 10
OPEN_MS = 5_000
MAX_OPEN_MS = 300_000
STEADY_AFTER = 10
"""After this many open times without a limit, the next trip counts as the first."""
PROBE_MS = 75_000
"""A probe without a result for this long is taken over: its process has died."""
SLOW_MS = 5_000
QUICK_MS = 2_000
SLOW_SAMPLES = 3
_OVERLOADED = frozenset({429, 503})
_GATEWAY_FAILED = frozenset({502, 504})
_UNREACHABLE = frozenset(
    {
        Reason.CONNECT_FAILED,
        Reason.DNS_FAILED,
        Reason.TLS_FAILED,
        Reason.PROTOCOL_ERROR,
        Reason.TARGET_FAILED,
    }
)
_SLOWED = frozenset({Reason.TIMEOUT, Reason.TARGET_THROTTLED})
_NOT_CALLED = frozenset(
    {
        Reason.LEASE_TOO_SHORT,
        Reason.UNAVAILABLE,
        Reason.REQUEST_UNREADABLE,
        Reason.SIGNING_SECRET_GONE,
        Reason.ROLE_REFUSED,
        Reason.STOPPED,
        Reason.TOO_OLD,
        Reason.ADDRESS_NOT_ALLOWED,
        Reason.WORKFLOW_GONE,
        Reason.RUN_FAILED,
        Reason.RUN_TIMED_OUT,
    }
)


class Phase(Enum):
    CLOSED = auto()
    OPEN = auto()
    HALF_OPEN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Responses of a destination to one process since its last report."""

    good: int = 0
    overloaded: int = 0
    unreachable: int = 0
    timed_ms: int = 0
    """The total duration of the responses, timeouts included."""
    timed: int = 0
    """The number of responses in `timed_ms`."""

    @property
    def bad(self) -> int:
        """Calls to an overloaded or unreachable destination."""
        return self.overloaded + self.unreachable

    @property
    def mean_ms(self) -> int:
        return self.timed_ms // self.timed if self.timed else 0

    @property
    def is_slow(self) -> bool:
        """Whether there are enough slow responses to call the destination slow."""
        return self.timed >= SLOW_SAMPLES and self.mean_ms >= SLOW_MS

    def plus(self, response: CallbackResponse) -> "Tally":
        """With one more response; a call that was never sent says nothing about its destination."""
        if response.reason in _NOT_CALLED:
            return self
        if response.reason in _UNREACHABLE or response.receiver_status in _GATEWAY_FAILED:
            return replace(self, unreachable=self.unreachable + 1)
        is_overloaded = response.reason in _SLOWED or response.receiver_status in _OVERLOADED
        return replace(
            self,
            good=self.good + (not is_overloaded),
            overloaded=self.overloaded + is_overloaded,
            timed_ms=self.timed_ms + response.duration_ms,
            timed=self.timed + 1,
        )

    def then(self, later: "Tally") -> "Tally":
        """With a later tally. Where that has only failures, earlier successes would mask an outage."""
        earlier = replace(self, good=0) if later.bad and not later.good else self
        return Tally(
            good=earlier.good + later.good,
            overloaded=earlier.overloaded + later.overloaded,
            unreachable=earlier.unreachable + later.unreachable,
            timed_ms=earlier.timed_ms + later.timed_ms,
            timed=earlier.timed + later.timed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """The state of one destination; `Circuit()` is a healthy one."""

    failures: int = 0
    """Consecutive failed calls."""
    trips: int = 0
    """Times the breaker opened since the destination was last steady (`STEADY_AFTER`)."""
    open_until: int = 0
    """0: closed. A past instant: half open."""
    prober: str = ""
    probe_until: int = 0
    limit: int | None = None
    limited_at: int = 0
    """When the limit was last changed."""
    slow: bool = False

    @property
    def is_healthy(self) -> bool:
        """Whether calls need no restriction; past trips and limits alone do not count."""
        return replace(self, trips=0, limited_at=0) == Circuit()

    def phase(self, now_ms: int) -> Phase:
        if not self.open_until:
            return Phase.CLOSED
        return Phase.OPEN if now_ms < self.open_until else Phase.HALF_OPEN

    def may_probe(self, now_ms: int) -> bool:
        """Whether a probe is due: none has started, or its process gave no result in time."""
        return self.phase(now_ms) is Phase.HALF_OPEN and now_ms >= self.probe_until

    def probed_by(self, owner: str, now_ms: int) -> "Circuit":
        return replace(self, prober=owner, probe_until=now_ms + PROBE_MS)

    def without_probe_of(self, owner: str) -> "Circuit":
        """A process gives its probe back, unused: the execution had ended already."""
        return replace(self, prober="", probe_until=0) if self.prober == owner else self

    def after(self, tally: Tally, owner: str, now_ms: int) -> "Circuit":
        """The state after a report of the process `owner`."""
        circuit = replace(self, slow=self._is_slow_after(tally))
        if self.phase(now_ms) is Phase.CLOSED:
            return circuit._closed_after(tally, now_ms)
        if self.prober != owner or not (tally.good or tally.bad):
            return circuit  # Calls from before the breaker opened: only the probe may close it.
        if tally.good:
            return replace(circuit._closed(), failures=0, limit=PROBED_LIMIT, limited_at=now_ms)
        return circuit._opened(now_ms)

    def _closed(self) -> "Circuit":
        return replace(self, open_until=0, prober="", probe_until=0)

    def _opened(self, now_ms: int) -> "Circuit":
        trips = self.trips + 1
        return replace(self._closed(), trips=trips, failures=TRIP_AFTER, open_until=now_ms + _open_ms(trips))

    def _is_steady(self, now_ms: int) -> bool:
        """Whether it has had no limit for long: a limit is lifted only by successful calls."""
        return self.limit is None and now_ms - self.limited_at >= STEADY_AFTER * _open_ms(self.trips)

    def _closed_after(self, tally: Tally, now_ms: int) -> "Circuit":
        failures = 0 if tally.good else self.failures + tally.bad
        circuit = replace(self, failures=failures)
        if failures >= TRIP_AFTER:
            return replace(circuit, trips=0 if self._is_steady(now_ms) else self.trips)._opened(now_ms)
        if tally.overloaded:
            return circuit._cut(now_ms)
        return circuit._grown(now_ms) if tally.good else circuit

    def _cut(self, now_ms: int) -> "Circuit":
        if self.limit is not None and now_ms - self.limited_at < CUT_EVERY_MS:
            return self
        return replace(self, limit=max(1, (self.limit or START_LIMIT) // 2), limited_at=now_ms)

    def _grown(self, now_ms: int) -> "Circuit":
        if self.limit is None or now_ms - self.limited_at < GROW_EVERY_MS:
            return self
        grown = self.limit + 1
        return replace(self, limit=grown if grown < START_LIMIT else None, limited_at=now_ms)

    def _is_slow_after(self, tally: Tally) -> bool:
        if not tally.timed:
            return self.slow
        return tally.mean_ms > QUICK_MS if self.slow else tally.is_slow


def _open_ms(trips: int) -> int:
    return min(MAX_OPEN_MS, OPEN_MS << max(0, min(trips - 1, 10)))


HEALTHY = Circuit()
