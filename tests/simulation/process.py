"""Processes: API requests, ticks and executors. Every call of a port is a point where one may be hit."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from greenlet import GreenletExit

from shared.domain.errors import ThrottledError, UnavailableError
from tests.simulation.clocks import Skew
from tests.simulation.contention import Contention
from tests.simulation.faults import Strike, Weather
from tests.simulation.hub import Hub
from tests.simulation.trace import Trace

T = TypeVar("T")
LATENCY_MS = (1, 12)
FREEZE_MS = (8_000, 200_000)
LONG_FREEZE_MS = (460_000, 1_200_000)
THROTTLES_OF_STREAK = 10
INVOKED_BY_SERVICES = ("executor", "rescuer", "watcher", "sweeper", "redrive worker")
"""No client waits for these. Another process that stands still for minutes reaches its client no more."""
TRANSACTION_MS = (2, 8)
SLOW_TRANSACTION_MS = (50, 5_000)


class Crash(BaseException):
    """The process is dead. No product code catches this."""


class Process:
    """One sandbox: a clock that may be off, and a life that may end at any port call."""

    def __init__(
        self, name: str, hub: Hub, weather: Weather, trace: Trace, contention: Contention, skew: Skew
    ) -> None:
        self.name = name
        self.alive = True
        self.leases: list[int] = []
        """When the leases end that were granted to this process."""
        self.weather = weather
        self.contention = contention
        self.trace = trace
        self._hub = hub
        self._rng = weather.rng
        self._skew = skew
        self.unseen_lead_ms = skew.ms
        """How far the clock may be ahead for all that the process was shown; negative if it is behind."""
        self._throttles_left = 0
        """Of a streak that has begun."""

    def now_ms(self) -> int:
        """The clock of this sandbox."""
        return self._hub.now_ms + self._skew.at(self._hub.now_ms)

    @property
    def true_ms(self) -> int:
        """Virtual time."""
        return self._hub.now_ms

    def refuse(self, label: str, about: Sequence[str]) -> None:
        """A call takes its time, and is throttled."""
        self.sleep(self._rng.randint(*LATENCY_MS))
        self.weather.note(Strike.THROTTLE_HOT_PLACE)
        self.note(f"{label} met a hot place", about)

    def sleep(self, duration_ms: int) -> None:
        """Stand still; a process that was killed meanwhile does not wake."""
        self.check()
        self._hub.sleep(duration_ms)
        self.check()

    def check(self) -> None:
        """Raise Crash where the process has died."""
        if not self.alive:
            raise Crash

    def note(
        self, text: str, subjects: Iterable[str] = (), *, is_blow: bool = False, is_look: bool = False
    ) -> None:
        """Add to the trace."""
        self.trace.note(self._hub.now_ms, self.name, text, subjects, is_blow=is_blow, is_look=is_look)

    def read(self, label: str, effect: Callable[[], T], fail: Callable[[], T], about: Sequence[str]) -> T:
        """One call that changes nothing: latency, maybe a fault, the answer, latency, maybe a fault."""
        return self._call(label, effect, fail, about, is_look=True)

    def write(self, label: str, effect: Callable[[], T], fail: Callable[[], T], about: Sequence[str]) -> T:
        """One write. It is refused while a transaction holds its item, and may happen twice."""

        def unless_held() -> T:
            if self.contention.is_held(about):
                self.weather.note(Strike.CONFLICT_OF_WRITE)
                return self._failed(label, "met a transaction", fail, about)
            return effect()

        return self.write_batch(label, unless_held, fail, about)

    def write_batch(
        self, label: str, effect: Callable[[], T], fail: Callable[[], T], about: Sequence[str]
    ) -> T:
        """Several writes in one call, or messages: no transaction refuses them whole. It may happen twice."""

        def act() -> T:
            result = effect()
            if not self.weather.strikes(Strike.REPEAT):
                return result
            self.note(f"{label} unanswered, asked again", about)
            self._hub.sleep(self._rng.randint(*LATENCY_MS))
            return effect()

        return self._call(label, act, fail, about)

    def transact(self, label: str, effect: Callable[[], T], fail: Callable[[], T], about: Sequence[str]) -> T:
        """One transaction: it holds its items for a while, and has its effect at once or not at all.

        It goes on where its caller dies. The SDK sends a token with it, so that asking again changes nothing.
        """

        def act() -> T:
            if self.contention.is_held(about):
                self.weather.note(Strike.CONFLICT_OF_TRANSACTION)
                return self._failed(label, "met another transaction", fail, about)
            is_slow = self.weather.strikes(Strike.SLOW_TRANSACTION)
            with self.contention.holding(about):
                self._hub.sleep(self._rng.randint(*(SLOW_TRANSACTION_MS if is_slow else TRANSACTION_MS)))
                return effect()

        result = self._call(label, act, fail, about)
        if self.weather.strikes(Strike.CRASH_BEFORE_SEND):
            self._crash(f"crashed after {label}", about)
        return result

    def _call(
        self,
        label: str,
        act: Callable[[], T],
        fail: Callable[[], T],
        about: Sequence[str],
        *,
        is_look: bool = False,
    ) -> T:
        self._hit(label, about)
        if self.weather.strikes(Strike.THROTTLE_STREAK) and not self._throttles_left:
            self._throttles_left = THROTTLES_OF_STREAK
        if self._throttles_left or self.weather.strikes(Strike.THROTTLE):
            self._throttles_left = max(0, self._throttles_left - 1)
            return self._failed(label, "throttled", fail, about)
        result = act()
        self.note(label, about, is_look=is_look)
        self._hit(label, about)
        if self.weather.strikes(Strike.LOSE_ANSWER):
            return self._failed(label, "answer lost", fail, about)
        return result

    def _failed(self, label: str, how: str, fail: Callable[[], T], about: Sequence[str]) -> T:
        self.note(f"{label} {how}", about)
        return fail()

    def _hit(self, label: str, about: Sequence[str]) -> None:
        self.sleep(self._rng.randint(*LATENCY_MS))
        if self.weather.strikes(Strike.FREEZE):
            self._freeze(label, about, self._rng.randint(*FREEZE_MS))
        if self.name.startswith(INVOKED_BY_SERVICES) and self.weather.strikes(Strike.LONG_FREEZE):
            self._freeze(label, about, self.weather.separate.randint(*LONG_FREEZE_MS))
        if self.weather.strikes(Strike.CRASH):
            self._crash(f"crashed at {label}", about)

    def _crash(self, how: str, about: Sequence[str]) -> None:
        self.note(how, about, is_blow=True)
        self.alive = False
        raise Crash

    def _freeze(self, label: str, about: Sequence[str], duration_ms: int) -> None:
        self.note(f"frozen at {label}", about, is_blow=True)
        live = [lease for lease in self.leases if lease >= self._hub.now_ms]
        self.sleep(duration_ms)
        self.note("woke", about, is_blow=True)
        if any(lease < self._hub.now_ms for lease in live):
            self.weather.note(Strike.OUTLIVED_LEASE)

    def spawn(self, function: Callable[[], Any], at_ms: int | None = None) -> None:
        """Run a function as part of this process; its death is silent."""

        def guarded() -> None:
            try:
                function()
            except (Crash, GreenletExit):
                self.alive = False

        self._hub.spawn(guarded, at_ms)


def throttled() -> Any:
    """The answer of a hot place: the call has no effect."""
    raise ThrottledError("throttled")


def unavailable() -> Any:
    """How a port says that nothing is known of the effect."""
    raise UnavailableError("injected")
