"""Receivers that answer 410: where a worker is hit that pauses their job."""

from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.orders import Order, Pause
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

paused = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
paused_late = Catalogue("dead_letter", delay_seconds=VISIBILITY_SECONDS)
AFTER_OUTCOME = CrashPoint(operation="UpdateItem", nth=1, hit=Hit.KILLED_AFTER)
RATE_SECONDS = 600
STEP_SECONDS, STEPS = 20, 24
"""Longer than a message that its worker left stays invisible, and not until the next run is due."""


def _due_job_of_a_receiver_that_is_gone(stage: Stage) -> Order:
    order = stage.clients.order({"rate_seconds": RATE_SECONDS}, "gone")
    # The receiver asks for the pause.
    order.pauses.append(Pause())
    stage.wait(RATE_SECONDS - 60)
    stage.watch()
    stage.wait(61)
    return order


def _resume_when_paused(stage: Stage, order: Order) -> None:
    for _ in range(STEPS):
        stage.run(STEP_SECONDS)
    state = stage.clients.show(order).get("state")
    if state != "paused":
        stage.faults.append(f"gone: {order.path} is {state}, though its receiver is gone")
    stage.log.heal()
    stage.clients.resume(order)


@paused("UpdateItem", "BatchGetItem", "PutItem")
def pauses_a_job_whose_receiver_is_gone(stage: Stage) -> None:
    order = _due_job_of_a_receiver_that_is_gone(stage)
    stage.mark("executor")
    stage.execute()
    _resume_when_paused(stage, order)


@paused_late("UpdateItem", "BatchGetItem", "PutItem")
def pauses_a_job_that_a_dead_worker_left(stage: Stage) -> None:
    order = _due_job_of_a_receiver_that_is_gone(stage)
    stage.break_next("executor", AFTER_OUTCOME)
    stage.execute()
    stage.lane.lose()
    stage.lane.send(stage.wakeup_of(order, ended=True), dead=True)
    stage.mark("dead_letter")
    stage.rescue()
    _resume_when_paused(stage, order)
