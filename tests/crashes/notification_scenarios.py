"""Outcomes that somebody is told of: where whoever writes one, files what tells of it, or tells, is hit."""

from tests.crashes.api_scenarios import AFTER_CLAIM
from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.deployment import DEAD_VISIBILITY_SECONDS, VISIBILITY_SECONDS
from tests.crashes.orders import Order
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage
from tests.crashes.tick_scenarios import sweep_for_the_lost

telling = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
told_by_report = Catalogue("api", delay_seconds=60)
told_by_sweep = Catalogue("sweeper", delay_seconds=60)
told_by_rescue = Catalogue("dead_letter", delay_seconds=DEAD_VISIBILITY_SECONDS)
AFTER_OUTCOME = CrashPoint(operation="UpdateItem", nth=1, hit=Hit.KILLED_AFTER)


def _fall_silent(stage: Stage, *, delay_seconds: int = 10) -> Order:
    """The outcome stands, and its worker died before it could tell of it."""
    order = stage.clients.order({"delay_seconds": delay_seconds}, on_success="ok")
    stage.break_next("executor", AFTER_OUTCOME)
    stage.wait(delay_seconds + 1)
    stage.execute()
    return order


def _be_about_to_tell(stage: Stage, listener: str = "ok") -> Order:
    """The notification waits to be called."""
    order = stage.clients.order({"delay_seconds": 10}, on_success=listener)
    stage.wait(11)
    stage.execute()
    stage.wait(1)
    return order


@telling("BatchExecuteStatement", "UpdateItem", "PutItem", "SendMessageBatch")
def tells_of_a_success(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, on_success="ok", on_failure="ok")
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@telling("UpdateItem", "PutItem", "SendMessageBatch")
def tells_of_a_failure(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, "fails", max_attempts=1, on_success="ok", on_failure="ok")
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@telling("PutItem", "UpdateItem", "SendMessageBatch")
def tells_of_a_run_of_a_recurring_job(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": 60}, on_success="ok")
    stage.wait(61)
    stage.mark("executor")
    stage.execute()


@telling("BatchExecuteStatement", "GetItem", "UpdateItem")
def makes_the_call_of_a_notification(stage: Stage) -> None:
    _be_about_to_tell(stage)
    stage.mark("executor")
    stage.execute()


@telling("BatchExecuteStatement", "UpdateItem", "SendMessageBatch")
def makes_the_call_of_a_notification_that_is_tried_again(stage: Stage) -> None:
    _be_about_to_tell(stage, "flaky")
    stage.mark("executor")
    stage.execute()


@telling("PutItem", "SendMessageBatch")
def tells_of_what_another_ended(stage: Stage) -> None:
    order = _fall_silent(stage)
    stage.lane.send(stage.wakeup_of(order, ended=True))
    stage.mark("executor")
    stage.execute()


@told_by_report("UpdateItem", "PutItem", "SendMessageBatch")
def tells_of_a_run_that_is_reported_as_done(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 10}, "begins", on_success="ok")
    stage.wait(11)
    stage.execute()
    stage.wait(5)
    stage.mark("api")
    stage.receivers.complete(stage.log.arrivals(order.path)[-1])


@told_by_sweep("Query", "BatchGetItem", "GetItem", "PutItem", "SendMessageBatch")
def tells_of_what_a_dead_worker_ended(stage: Stage) -> None:
    _fall_silent(stage)
    sweep_for_the_lost(stage)


@told_by_sweep("UpdateItem", "PutItem", "SendMessageBatch")
def tells_of_what_a_dead_worker_left_without_attempts(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, max_attempts=1, on_failure="ok")
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(11)
    sweep_for_the_lost(stage)


@told_by_rescue("GetItem", "PutItem", "SendMessageBatch")
def tells_of_what_has_ended(stage: Stage) -> None:
    order = _fall_silent(stage)
    stage.lane.send(stage.wakeup_of(order, ended=True), dead=True)
    stage.lane.lose()
    stage.mark("dead_letter")
    stage.rescue()


@told_by_rescue("GetItem", "SendMessageBatch")
def schedules_a_notification_again(stage: Stage) -> None:
    order = _be_about_to_tell(stage)
    (record,) = stage.clients.history(order)
    stage.lane.send(stage.lane.wakeup(record["notification"]), dead=True)
    stage.lane.lose()
    stage.mark("dead_letter")
    stage.rescue()
