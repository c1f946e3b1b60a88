"""Dead letters in whose rescue the function is hit."""

from tests.crashes.api_scenarios import AFTER_CLAIM
from tests.crashes.deployment import DEAD_VISIBILITY_SECONDS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

dead_letter = Catalogue("dead_letter", delay_seconds=DEAD_VISIBILITY_SECONDS)


@dead_letter("SendMessageBatch")
def schedules_again_what_has_not_started(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 30})
    stage.lane.send(stage.wakeup_of(order), dead=True)
    stage.lane.lose()
    stage.mark("dead_letter")
    stage.rescue()


@dead_letter("PutItem")
def schedules_again_what_waits_for_long(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 10}, "later")
    stage.run(11)
    stage.lane.send(stage.wakeup_of(order), dead=True)
    stage.mark("dead_letter")
    stage.rescue()


@dead_letter("SendMessageBatch")
def schedules_again_what_a_dead_worker_left(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 10})
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(11)
    stage.wait(10)
    stage.lane.send(stage.wakeup_of(order), dead=True)
    stage.mark("dead_letter")
    stage.rescue()


@dead_letter("PutItem", "UpdateItem")
def ends_what_a_dead_worker_left_without_attempts(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 20}, max_attempts=1)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(21)
    stage.wait(10)
    stage.lane.send(stage.wakeup_of(order), dead=True)
    stage.mark("dead_letter")
    stage.rescue()


@dead_letter("PutItem")
def looks_after_the_successor_of_what_has_ended(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 60})
    stage.run(61)
    stage.lane.send(stage.wakeup_of(order, ended=True), dead=True)
    stage.mark("dead_letter")
    stage.rescue()


@dead_letter("PutItem")
def parks_what_another_worker_holds(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 5}, timeout_seconds=30)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(6)
    stage.lane.send(stage.parked_messages.excuse(stage.wakeup_of(order)), dead=True)
    stage.mark("dead_letter")
    stage.rescue()


@dead_letter("PutItem")
def parks_what_nobody_can_read(stage: Stage) -> None:
    stage.lane.send(stage.parked_messages.expect("no wake-up"), dead=True)
    stage.mark("dead_letter")
    stage.rescue()


@dead_letter("UpdateItem")
def fails_an_item_that_is_broken(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 30})
    message = stage.parked_messages.excuse(stage.wakeup_of(order))
    stage.damage(order)
    stage.lane.send(message, dead=True)
    stage.mark("dead_letter")
    stage.rescue()
