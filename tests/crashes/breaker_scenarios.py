"""Destinations in trouble: where an executor is hit that hears of it, goes by it, or finds that it is over."""

from shared.names import QueueName
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.limit_scenarios import ROUNDS_SECONDS
from tests.crashes.marks import executor_of
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

troubled = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS + ROUNDS_SECONDS)
ATTEMPTS = 12
HIT_AT_ONCE = 3
"""So many calls at once fail; ten failures open the breaker, at the fourth time."""
ROUNDS_BEFORE = 3
RETRIED_SECONDS = 17
"""The longest wait for the fifth attempt, and a second."""
SLOW = QueueName("slow")


def _order(stage: Stage, destination: str, behaviour: str, seconds: int = 10) -> None:
    stage.clients.order(
        {"delay_seconds": seconds},
        behaviour,
        destination=destination,
        max_attempts=ATTEMPTS,
        timeout_seconds=30,
    )


def _go_down(stage: Stage) -> str:
    """One more batch of failures opens the breaker of this destination."""
    destination = stage.log.destination()
    for _ in range(HIT_AT_ONCE):
        _order(stage, destination, "down")
    stage.wait(11)
    for _ in range(ROUNDS_BEFORE):
        stage.execute()
        stage.wait(RETRIED_SECONDS)
    return destination


def _open(stage: Stage) -> str:
    destination = _go_down(stage)
    stage.execute()
    stage.limits.opened[destination] = stage.log.arrivals()[-1].began_at
    return destination


@troubled("BatchExecuteStatement", "UpdateItem", "SendMessageBatch", races=True)
def opens_a_breaker(stage: Stage) -> None:
    _go_down(stage)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()
    stage.log.heal()


@troubled("BatchGetItem", "SendMessageBatch")
def waits_behind_an_open_breaker(stage: Stage) -> None:
    destination = _open(stage)
    _order(stage, destination, "down", seconds=1)
    stage.wait(2)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()
    stage.log.heal()


@troubled("BatchGetItem", "BatchExecuteStatement", "UpdateItem", "SendMessageBatch")
def probes_and_is_answered(stage: Stage) -> None:
    _open(stage)
    stage.wait(RETRIED_SECONDS)
    stage.log.heal()
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()


@troubled("BatchGetItem", "BatchExecuteStatement", "UpdateItem", "SendMessageBatch")
def probes_in_vain(stage: Stage) -> None:
    _open(stage)
    stage.wait(RETRIED_SECONDS)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()
    stage.log.heal()


def _be_slow(stage: Stage) -> str:
    """Three calls are due to a destination that drags."""
    stage.open(SLOW)
    destination = stage.log.destination()
    for _ in range(HIT_AT_ONCE):
        _order(stage, destination, "drags")
    stage.wait(11)
    return destination


def _be_known_as_slow(stage: Stage) -> None:
    """One more call is due to it."""
    destination = _be_slow(stage)
    stage.execute()
    stage.limits.slow[destination] = stage.clock.now_ms()
    stage.log.heal()
    _order(stage, destination, "drags")
    stage.wait(11)


@troubled("BatchExecuteStatement", "UpdateItem", races=True)
def hears_that_a_destination_is_slow(stage: Stage) -> None:
    _be_slow(stage)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()
    stage.log.heal()


@troubled("BatchGetItem", "SendMessageBatch")
def goes_on_on_the_slow_path(stage: Stage) -> None:
    _be_known_as_slow(stage)
    stage.mark("executor")
    stage.execute()
    stage.expect_messages()


@troubled("BatchGetItem", "BatchExecuteStatement", "UpdateItem")
def makes_a_call_on_the_slow_path(stage: Stage) -> None:
    _be_known_as_slow(stage)
    stage.execute()
    stage.mark(executor_of(SLOW))
    stage.execute(SLOW)
    stage.expect_messages()
