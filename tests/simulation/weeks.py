"""Simulations of weeks: processes die, stand still or lose an answer at any call of a port, and then all is calm."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greenlet import GreenletExit

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import UnavailableError
from tests.simulation.hub import Hub
from tests.simulation.process import Crash

SHORTEST_FREEZE_MS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Hazards:
    """How likely each hit is, before and after each call of a port."""

    crash: float
    unavailable: float
    freeze: float
    longest_freeze_ms: int
    frozen_ms: int
    """A process that stands still for longer is no invocation any more."""


class HubClock:
    """The virtual time of all processes."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def now_ms(self) -> int:
        return self._hub.now_ms

    async def sleep_ms(self, duration_ms: int) -> None:
        raise AssertionError("nothing of these simulations sleeps")


class Faulty:
    """A port of one process: before and after each call, the process may stand still or die."""

    def __init__(self, port: Any, hit: Callable[[], None]) -> None:
        self._port = port
        self._hit = hit

    def __getattr__(self, method: str) -> Any:
        real = getattr(self._port, method)

        def call(*args: Any, **kwargs: Any) -> Any:
            self._hit()
            answer = real(*args, **kwargs)
            self._hit()
            return answer

        return call


class WeeksSimulation(ABC):
    """One seed. Hits end at `chaos_ms` after the start, and everything has settled at `settled_ms`."""

    def __init__(self, seed: int, hazards: Hazards, *, start_ms: int, chaos_ms: int, settled_ms: int) -> None:
        self.rng = random.Random(seed)
        self.hub = Hub(start_ms)
        self.crashes = 0
        self._hazards = hazards
        self._chaos_until, self._settled_at = start_ms + chaos_ms, start_ms + settled_ms
        self._is_calm = False

    def run(self) -> list[str]:
        """What is wrong in the end."""
        try:
            self._start()
            self.hub.run_until(self._chaos_until)
            self._is_calm = True
            self.hub.run_until(self._settled_at)
            return self._faults()
        finally:
            self.hub.close()

    @abstractmethod
    def _start(self) -> None:
        """Plan what happens."""

    @abstractmethod
    def _faults(self) -> list[str]: ...

    @abstractmethod
    def _cases(self, hit: Callable[[], None]) -> UseCases:
        """The use cases of one process, whose ports are `Faulty`."""

    def _process(self, at_ms: int, work: Callable[[UseCases], Any]) -> None:
        """Run a use case in a process of its own, which may die."""

        def guarded() -> None:
            frozen: list[int] = []
            try:
                work(self._cases(lambda: self._hit(frozen)))
            except (Crash, GreenletExit, UnavailableError):
                return

        self.hub.spawn(guarded, at_ms)

    def _hit(self, frozen: list[int]) -> None:
        if self._is_calm:
            return
        hazards, drawn = self._hazards, self.rng.random()
        if drawn < hazards.crash:
            self.crashes += 1
            raise Crash
        drawn -= hazards.crash
        if drawn < hazards.unavailable:
            raise UnavailableError("injected")
        longest_ms = min(hazards.longest_freeze_ms, hazards.frozen_ms - sum(frozen))
        if drawn < hazards.unavailable + hazards.freeze and longest_ms >= SHORTEST_FREEZE_MS:
            frozen.append(self.rng.randint(SHORTEST_FREEZE_MS, longest_ms))
            self.hub.sleep(frozen[-1])
