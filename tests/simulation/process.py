"""Processes: API requests, ticks and executors. Every call of a port is a point where one may be hit."""

import random
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from greenlet import GreenletExit

from shared.domain.errors import UnavailableError
from tests.simulation.faults import FaultMix
from tests.simulation.hub import Hub, SimLoop

P = ParamSpec("P")
T = TypeVar("T")
LATENCY_MS = (1, 12)
FREEZE_MS = (8_000, 200_000)


class Crash(BaseException):
    """The process is dead. No product code catches this."""


class Process:
    """One sandbox: a clock that may be off, and a life that may end at any port call."""

    def __init__(
        self, name: str, hub: Hub, rng: random.Random, mix: Callable[[], FaultMix], note: Any
    ) -> None:
        self.name = name
        self.alive = True
        self._hub = hub
        self._rng = rng
        self._mix = mix
        self._note = note
        skew_ms = mix().skew_ms
        self._skew_ms = rng.randint(-skew_ms, skew_ms) if skew_ms else 0

    def now_ms(self) -> int:
        """The clock of this sandbox."""
        return self._hub.now_ms + self._skew_ms

    def sleep(self, duration_ms: int) -> None:
        """Stand still; a process that was killed meanwhile does not wake."""
        self._check()
        self._hub.sleep(duration_ms)
        self._check()

    def _check(self) -> None:
        if not self.alive:
            raise Crash

    def call(self, label: str, effect: Callable[[], T], refusal: Callable[[], T] | None = None) -> T:
        """One port call: latency, maybe a fault, the effect in one step, latency, maybe a fault.

        `refusal` is what the port answers instead of raising, where it promises not to raise.
        """
        mix = self._mix()
        self._hit(mix, label)
        if self._rng.random() < mix.throttle:
            self._note(f"{self.name} {label} throttled")
            return self._fail(refusal)
        result = effect()
        self._note(f"{self.name} {label}")
        self._hit(mix, label)
        if self._rng.random() < mix.lose_answer:
            self._note(f"{self.name} {label} answer lost")
            return self._fail(refusal)
        return result

    def _hit(self, mix: FaultMix, label: str) -> None:
        self.sleep(self._rng.randint(*LATENCY_MS))
        if self._rng.random() < mix.freeze:
            self._note(f"{self.name} frozen at {label}")
            self.sleep(self._rng.randint(*FREEZE_MS))
        if self._rng.random() < mix.crash:
            self._note(f"{self.name} crashed at {label}")
            self.alive = False
            raise Crash

    @staticmethod
    def _fail(refusal: Callable[[], T] | None) -> T:
        if refusal is None:
            raise UnavailableError("injected")
        return refusal()

    def spawn(self, function: Callable[[], Any], at_ms: int | None = None) -> None:
        """Run a function as part of this process; its death is silent."""

        def guarded() -> None:
            try:
                function()
            except (Crash, GreenletExit):
                self.alive = False

        self._hub.spawn(guarded, at_ms)


class PortCalls:
    """Puts a process's faults before and after every method of a port."""

    def __init__(
        self, process: Process, target: Any, refusals: dict[str, Callable[..., Any]] | None = None
    ) -> None:
        self._process = process
        self._target = target
        self._refusals = refusals or {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._target, name)
        label = f"{type(self._target).__name__.removeprefix('Fake')}.{name}"

        def call(*args: Any, **kwargs: Any) -> Any:
            refuse = self._refusals.get(name)
            refusal = (lambda: refuse(*args)) if refuse else None
            return self._process.call(label, lambda: method(*args, **kwargs), refusal)

        return call


class ProcessClock:
    """The clock port of one process."""

    def __init__(self, process: Process, loop: SimLoop | None = None) -> None:
        self._process = process
        self._loop = loop

    def now_ms(self) -> int:
        """See the port."""
        return self._process.now_ms()

    async def sleep_ms(self, duration_ms: int) -> None:
        """See the port."""
        if self._loop is None:
            raise AssertionError("only executors wait")
        future = self._loop.create_future()
        self._loop.call_later(duration_ms / 1000, future.set_result, None)
        await future


class GreenletOffload:
    """Blocking calls of an executor, each in a greenlet of its own: that is where its threads interleave."""

    def __init__(self, process: Process, loop: SimLoop) -> None:
        self._process = process
        self._loop = loop

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """See the port."""
        future = self._loop.create_future()

        def settle(setter: Callable[[Any], None], value: Any) -> None:
            if self._loop.is_closed():  # the process has died meanwhile
                return
            self._loop.call_soon(lambda: None if future.done() else setter(value))
            self._loop.wake()

        def work() -> None:
            try:
                result = function(*args, **kwargs)
            except Crash as crash:
                settle(future.set_exception, crash)
                raise
            except Exception as fault:  # noqa: BLE001 - whatever it is belongs to the caller
                settle(future.set_exception, fault)
            else:
                settle(future.set_result, result)

        self._process.spawn(work)
        return await future
