"""The health of a destination: an adaptive limit, a circuit breaker, and whether it answers slowly.

The limit follows AIMD: it is halved when the destination says that it has too much (429, 503, silence until the
timeout), and grows by one a second while it answers. The breaker opens after so many failures with no answer between
them, for longer each time; then one call at a time probes the destination until one is answered.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto

from shared.domain.delivery.callback import CallbackResponse, Reason

START_LIMIT = 64
"""What an unlimited destination is taken to bear when it first has too much; from here on it is unlimited again."""
PROBED_LIMIT = 4
"""What a destination starts with again after its probe was answered."""
CUT_EVERY_MS = 2_000
"""Many processes hear of the same overload at once: it halves the limit once."""
GROW_EVERY_MS = 1_000
TRIP_AFTER = 10
OPEN_MS = 5_000
MOST_OPEN_MS = 300_000
STEADY_AFTER = 10
"""A destination that bore everything again for so many times as long as its breaker last was open begins anew."""
PROBE_MS = 75_000
"""A probe that was not heard of for so long is taken over: its process has died."""
SLOW_MS = 5_000
QUICK_MS = 2_000
SLOW_SAMPLES = 3
_OVERLOADED = frozenset({429, 503})
_GATEWAY_FAILED = frozenset({502, 504})
_UNREACHABLE = frozenset({Reason.CONNECT_FAILED, Reason.DNS_FAILED, Reason.TLS_FAILED, Reason.PROTOCOL_ERROR})
_NOT_CALLED = frozenset(
    {
        Reason.LEASE_TOO_SHORT,
        Reason.REQUEST_UNREADABLE,
        Reason.STOPPED,
        Reason.TOO_OLD,
        Reason.ADDRESS_NOT_ALLOWED,
    }
)


class Phase(Enum):
    """Of the breaker."""

    CLOSED = auto()
    OPEN = auto()
    HALF_OPEN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What one process heard of a destination since it last said so."""

    good: int = 0
    overloaded: int = 0
    unreachable: int = 0
    timed_ms: int = 0
    """How long the answers took together, timeouts included."""
    timed: int = 0
    """How many these were."""

    @property
    def bad(self) -> int:
        """Calls that were answered by nobody, or by somebody who had too much."""
        return self.overloaded + self.unreachable

    @property
    def mean_ms(self) -> int:
        """How long an answer took on the average."""
        return self.timed_ms // self.timed if self.timed else 0

    @property
    def is_slow(self) -> bool:
        """Whether this alone says that the destination is slow."""
        return self.timed >= SLOW_SAMPLES and self.mean_ms >= SLOW_MS

    def plus(self, answer: CallbackResponse) -> "Tally":
        """With one more answer; what was never sent says nothing of its destination."""
        if answer.reason in _NOT_CALLED:
            return self
        if answer.reason in _UNREACHABLE or answer.status in _GATEWAY_FAILED:
            return replace(self, unreachable=self.unreachable + 1)
        timed = replace(self, timed=self.timed + 1, timed_ms=self.timed_ms + answer.duration_ms)
        if answer.reason is Reason.TIMEOUT or answer.status in _OVERLOADED:
            return replace(timed, overloaded=self.overloaded + 1)
        return replace(timed, good=self.good + 1)

    def then(self, later: "Tally") -> "Tally":
        """With what was heard afterwards. Answers from before nothing but failures say nothing of these."""
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
    """What is known of one destination. The value without arguments is that of a healthy one."""

    failures: int = 0
    """Calls that failed since one was last answered."""
    trips: int = 0
    """How often the breaker opened since the destination was last healthy for long."""
    open_until: int = 0
    """0: closed; once this has passed it is half open."""
    prober: str = ""
    probe_until: int = 0
    limit: int | None = None
    limited_at: int = 0
    """When the limit was last changed."""
    slow: bool = False

    @property
    def is_healthy(self) -> bool:
        """Whether there is nothing to be known of it."""
        return replace(self, trips=0, limited_at=0) == Circuit()

    def phase(self, now_ms: int) -> Phase:
        """Where the breaker stands."""
        if not self.open_until:
            return Phase.CLOSED
        return Phase.OPEN if now_ms < self.open_until else Phase.HALF_OPEN

    def may_probe(self, now_ms: int) -> bool:
        """Whether the one call that probes is still to be made, or its process was not heard of."""
        return self.phase(now_ms) is Phase.HALF_OPEN and now_ms >= self.probe_until

    def probed_by(self, owner: str, now_ms: int) -> "Circuit":
        """A process makes the call that probes."""
        return replace(self, prober=owner, probe_until=now_ms + PROBE_MS)

    def without_probe_of(self, owner: str) -> "Circuit":
        """A process does not make that call after all: what it was for had ended already."""
        return replace(self, prober="", probe_until=0) if self.prober == owner else self

    def after(self, tally: Tally, owner: str, now_ms: int) -> "Circuit":
        """The state when a process says what it heard."""
        told = replace(self, slow=self._is_slow_after(tally))
        if self.phase(now_ms) is Phase.CLOSED:
            return told._closed_after(tally, now_ms)
        if self.prober != owner or not (tally.good or tally.bad):
            return told  # Calls that began before it opened: the breaker waits for its probe.
        if tally.good:
            return replace(told._shut(), failures=0, limit=PROBED_LIMIT, limited_at=now_ms)
        return told._opened(now_ms)

    def _shut(self) -> "Circuit":
        return replace(self, open_until=0, prober="", probe_until=0)

    def _opened(self, now_ms: int) -> "Circuit":
        trips = self.trips + 1
        return replace(self._shut(), trips=trips, failures=TRIP_AFTER, open_until=now_ms + _open_ms(trips))

    def _is_steady(self, now_ms: int) -> bool:
        """Whether it is closed, and has been without a limit for long: that went by answers alone."""
        return self.limit is None and now_ms - self.limited_at >= STEADY_AFTER * _open_ms(self.trips)

    def _closed_after(self, tally: Tally, now_ms: int) -> "Circuit":
        failures = 0 if tally.good else self.failures + tally.bad
        told = replace(self, failures=failures)
        if failures >= TRIP_AFTER:
            return replace(told, trips=0 if self._is_steady(now_ms) else self.trips)._opened(now_ms)
        if tally.overloaded:
            return told._cut(now_ms)
        return told._grown(now_ms) if tally.good else told

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
    return min(MOST_OPEN_MS, OPEN_MS << max(0, min(trips - 1, 10)))


HEALTHY = Circuit()
