"""Runs of a job that must not overlap: a run takes the run lock, waits for it, is skipped, or releases it."""

from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.orders import Order
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

run_locks = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
handed_over = Catalogue("api", delay_seconds=0)
swept = Catalogue("sweeper", delay_seconds=60)
RATE_SECONDS, LONG_SECONDS, SHORT_SECONDS = 20, 120, 10


def _begin(stage: Stage, policy: str, *, heartbeat_seconds: int = LONG_SECONDS) -> Order:
    """The first run goes on."""
    order = stage.clients.order(
        {"rate_seconds": RATE_SECONDS}, "starts", overlap_policy=policy, heartbeat_seconds=heartbeat_seconds
    )
    stage.run(RATE_SECONDS + 1)
    return order


def _complete(stage: Stage, order: Order) -> None:
    stage.wait(1)
    (first, *_) = stage.log.arrivals(order.path)
    stage.receivers.complete(first)


@run_locks("BatchExecuteStatement", "PutItem", "UpdateItem")
def takes_the_turn_of_its_job(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": RATE_SECONDS}, overlap_policy="queue_one")
    stage.wait(RATE_SECONDS + 1)
    stage.mark("executor")
    stage.execute()


@run_locks("BatchExecuteStatement", "PutItem")
def waits_for_the_turn_of_its_job(stage: Stage) -> None:
    order = _begin(stage, "queue_one")
    stage.wait(RATE_SECONDS)
    stage.mark("executor")
    stage.execute()
    _complete(stage, order)


@run_locks("BatchExecuteStatement", "PutItem", "UpdateItem")
def takes_the_turn_that_it_waited_for(stage: Stage) -> None:
    order = _begin(stage, "queue_one")
    stage.run(RATE_SECONDS)
    _complete(stage, order)
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@run_locks("BatchExecuteStatement", "UpdateItem", "PutItem")
def goes_without_a_turn(stage: Stage) -> None:
    order = _begin(stage, "skip")
    stage.wait(RATE_SECONDS)
    stage.mark("executor")
    stage.execute()
    _complete(stage, order)


@handed_over("UpdateItem", "SendMessageBatch")
def hands_over_the_run_lock_of_a_finished_run(stage: Stage) -> None:
    order = _begin(stage, "queue_one")
    stage.run(RATE_SECONDS)
    stage.mark("api")
    _complete(stage, order)


@swept("Query", "SendMessageBatch", "UpdateItem")
def wakes_the_run_that_waits_for_the_run_lock(stage: Stage) -> None:
    _begin(stage, "queue_one", heartbeat_seconds=SHORT_SECONDS)
    stage.run(RATE_SECONDS)
    stage.wait_until_second(11)
    stage.mark("sweeper")
    stage.sweep()
