"""HTTP requests: each in a process of its own, and asked again while it is not answered."""

from collections.abc import Callable
from typing import Any

from shared.bootstrap.use_cases import UseCases
from shared.domain.dispatch.clock_skew import is_too_far_behind
from shared.domain.errors import UnavailableError, UnknownVersionError
from tests.simulation.faults import Strike
from tests.simulation.process import Process
from tests.simulation.wiring import use_cases_of
from tests.simulation.world import World

PATIENCE_MS = 30_000
IMPATIENCE_MS = (0, 800)
PAUSE_MS = (200, 3_000)
TRIES = 8
LONGEST_MS = TRIES * (PATIENCE_MS + PAUSE_MS[1])
"""After so long a request has been answered, or is not asked again."""


def request(world: World, kind: str, act: Callable[[UseCases], Any], at_ms: int, tries: int = TRIES) -> None:
    """Ask at some time, maybe twice; again when the answer was 503 or none at all, up to `tries` times."""
    answered: list[bool] = []

    def ask(at_ms: int) -> None:
        process = world.process(kind)

        def run() -> None:
            try:
                check_clock(world, process)
                act(use_cases_of(world, process))
                answered.append(True)
            except (UnavailableError, UnknownVersionError):
                answered.append(False)

        process.spawn(run, at_ms)

    def again() -> None:
        if not any(answered) and tries > 1:
            request(world, kind, act, world.hub.now_ms, tries - 1)

    ask(at_ms)
    if world.weather.strikes(Strike.IMPATIENT_CLIENT):
        ask(at_ms + world.weather.rng.randint(*IMPATIENCE_MS))
    world.hub.spawn(again, at_ms + PATIENCE_MS + world.weather.rng.randint(*PAUSE_MS))


def check_clock(world: World, process: Process) -> None:
    """What the API does first: UnavailableError where API Gateway's clock shows that its own is far behind."""
    if is_too_far_behind(process.now_ms(), world.hub.now_ms):
        world.weather.note(Strike.REFUSED_BY_CLOCK)
        raise UnavailableError("the clock is behind")
