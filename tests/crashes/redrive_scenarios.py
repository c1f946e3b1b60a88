"""Dead letters that are redriven one by one: where whoever redrives, takes back, looks or calls is hit."""

from typing import Any

from tests.crashes.api_scenarios import LARGE
from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.deployment import DEAD_VISIBILITY_SECONDS, VISIBILITY_SECONDS
from tests.crashes.orders import Order
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

redriving = Catalogue("api", delay_seconds=0)
called_again = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
sent_again = Catalogue("dead_letter", delay_seconds=DEAD_VISIBILITY_SECONDS)
AFTER_MARK = CrashPoint(operation="UpdateItem", nth=2, hit=Hit.KILLED_AFTER)
"""The first update spends the budget of creations."""
RATE_SECONDS = 60


def die(stage: Stage, **options: Any) -> Order:
    """A job that runs once, of which nothing but a dead letter is left, and whose receiver is well again."""
    order = stage.clients.order({"delay_seconds": 5}, "broken", max_attempts=1, **options)
    stage.run(6)
    stage.log.heal()
    return order


def _die_once(stage: Stage) -> Order:
    """The same of a run of a recurring job."""
    order = stage.clients.order({"rate_seconds": RATE_SECONDS}, "broken", max_attempts=1)
    stage.run(RATE_SECONDS + 1)
    stage.log.heal()
    return order


@redriving("UpdateItem", "PutItem", "SendMessageBatch")
def redrives_a_dead_letter(stage: Stage) -> None:
    order = die(stage)
    original = stage.redriver.dead(order)
    stage.mark("api")
    stage.redriver.press(order, original)


@redriving("UpdateItem", "PutItem", "SendMessageBatch")
def redrives_a_dead_letter_with_a_large_request(stage: Stage) -> None:
    order = die(stage, payload=LARGE)
    original = stage.redriver.dead(order)
    stage.mark("api")
    stage.redriver.press(order, original)


@redriving("UpdateItem", "PutItem", "SendMessageBatch")
def redrives_a_run_of_a_recurring_job(stage: Stage) -> None:
    order = _die_once(stage)
    original = stage.redriver.dead(order)
    stage.mark("api")
    stage.redriver.press(order, original)


@redriving("UpdateItem", "PutItem", "SendMessageBatch")
def redrives_what_has_failed_again(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 5}, "broken", max_attempts=1)
    stage.run(6)
    original = stage.redriver.dead(order)
    stage.redriver.press(order, original)
    stage.run(2)
    stage.log.heal()
    stage.mark("api")
    stage.redriver.press(order, original)


@redriving("GetItem", "PutItem", "SendMessageBatch")
def redrives_what_another_has_chosen(stage: Stage) -> None:
    order = die(stage)
    original = stage.redriver.dead(order)
    stage.break_next("api", AFTER_MARK)
    stage.request("POST", f"/v1/executions/{original}/redrive")
    stage.mark("api")
    stage.redriver.press(order, original)


@redriving("GetItem")
def is_asked_twice_for_a_redrive(stage: Stage) -> None:
    order = die(stage)
    original = stage.redriver.dead(order)
    first = stage.redriver.press(order, original)
    stage.mark("api")
    second = stage.redriver.press(order, original)
    if first.redrive_id != second.redrive_id:
        stage.faults.append(f"doubled: {first} and {second}")


@redriving("UpdateItem", "ExecuteStatement")
def takes_a_redrive_back(stage: Stage) -> None:
    order = die(stage)
    press = stage.redriver.press(order, stage.redriver.dead(order))
    stage.mark("api")
    stage.redriver.take_back(order, press)


@redriving("GetItem", "Decrypt", "ExecuteStatement")
def reveals_what_a_dead_letter_asked_for(stage: Stage) -> None:
    order = die(stage, payload="entrusted")
    original = stage.redriver.dead(order)
    stage.mark("api")
    shown = stage.redriver.reveal(order, original)
    if shown["request"]["body"] != '"entrusted"':
        stage.faults.append(f"reveal: {shown}")


@called_again("BatchExecuteStatement", "UpdateItem")
def makes_the_call_of_a_redrive(stage: Stage) -> None:
    order = _die_once(stage)
    stage.redriver.press(order, stage.redriver.dead(order))
    stage.wait(1)
    stage.mark("executor")
    stage.execute()


@sent_again("SendMessageBatch")
def schedules_a_redrive_again(stage: Stage) -> None:
    order = die(stage)
    press = stage.redriver.press(order, stage.redriver.dead(order))
    stage.lane.send(stage.lane.wakeup({"id": press.redrive_id}), dead=True)
    stage.lane.lose()
    stage.mark("dead_letter")
    stage.rescue()
