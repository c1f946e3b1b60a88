"""One act of one process in a simulated world."""

from collections.abc import Callable
from typing import Any

from shared.bootstrap.ports import Ports
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State, Transition
from shared.ports.executions import Claim, Finish
from tests.simulation.faults import FaultMix
from tests.simulation.wiring import use_cases_of
from tests.simulation.world import World
from tests.support.builders import one_off, with_changes

CALM = FaultMix()
ALWAYS = 1.0


def in_a_process(world: World, act: Callable[[Ports], Any], kind: str = "test") -> list[Any]:
    """What the act came to, or the error that it raised; empty where its process died."""
    process = world.process(kind)
    came_to: list[Any] = []

    def run() -> None:
        try:
            came_to.append(act(use_cases_of(world, process).core.ports))
        except UnavailableError as fault:
            came_to.append(fault)

    process.spawn(run)
    world.hub.run_until(world.hub.now_ms + 400_000)
    return came_to


def put(ports: Ports) -> Any:
    """File the one-off of the builders."""
    return ports.executions.put_if_absent(one_off())


def fail_one(world: World) -> None:
    """Store a dead letter."""
    world.store.put_if_absent(with_changes(one_off(), state=State.QUEUED))
    claim = Claim(execution_id=one_off().id, owner="me")
    (claimed,) = world.claimer.claim([claim], world.hub.now_ms)
    assert isinstance(claimed, Execution)
    finish = Finish(transition=Transition.FAIL, outcomes=(), expires_at_s=world.hub.now_ms // 1000)
    assert world.store.finish(claimed, finish) is None
