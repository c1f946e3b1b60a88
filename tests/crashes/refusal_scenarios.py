"""Batches in which an executor is hit that may claim nothing: what is refused, too early or unreadable."""

from tests.crashes.api_scenarios import AFTER_CLAIM
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

refused = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)


# A quick success is recorded before or after its successor is sent: the marked invocation sends it again, or not.
@refused("PutItem", races=True)
def drops_a_message_of_what_has_ended(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 60})
    stage.run(61)
    stage.lane.send(stage.wakeup_of(order, ended=True))
    stage.mark("executor")
    stage.execute()


@refused("SendMessageBatch")
def passes_on_a_message_of_what_waits(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 10}, "busy")
    stage.run(11)
    stage.lane.send(stage.wakeup_of(order))
    stage.mark("executor")
    stage.execute()


@refused("PutItem")
def points_again_to_what_waits_for_long(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 10}, "later")
    stage.run(11)
    stage.lane.send(stage.wakeup_of(order))
    stage.mark("executor")
    stage.execute()


@refused("ChangeMessageVisibility")
def returns_a_message_while_another_holds_the_lease(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 5}, timeout_seconds=30)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(6)
    stage.lane.send(stage.wakeup_of(order))
    stage.mark("executor")
    stage.execute()


@refused("SendMessageBatch")
def replaces_a_message_that_met_the_lease_before(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 5}, timeout_seconds=30)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(6)
    stage.lane.send(stage.wakeup_of(order))
    stage.lane.receive_in_vain()
    stage.mark("executor")
    stage.execute()


@refused("PutItem", "UpdateItem")
def ends_what_a_dead_worker_left_without_attempts(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 20}, max_attempts=1)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(21)
    stage.wait(8)
    stage.lane.send(stage.wakeup_of(order))
    stage.mark("executor")
    stage.execute()


@refused("ChangeMessageVisibility")
def puts_back_a_message_that_came_too_early(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 60})
    stage.lane.send(stage.wakeup_of(order, not_before=order.due_at))
    stage.mark("executor")
    stage.execute()


@refused("ChangeMessageVisibility")
def returns_a_message_that_nobody_can_read(stage: Stage) -> None:
    stage.lane.send(stage.parked_messages.excuse("no wake-up"))
    stage.mark("executor")
    stage.execute()
