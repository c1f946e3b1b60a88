"""Attempts that go on after their calls: where the call, a report or the sweep of a lost one is hit."""

from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.orders import Order
from tests.crashes.reports import Verb
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

going_on = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
reported = Catalogue("api", delay_seconds=0)
unheard = Catalogue("sweeper", delay_seconds=60)
BEFORE_OUTCOME = CrashPoint(operation="UpdateItem", nth=1, hit=Hit.KILLED_BEFORE)
HEARTBEAT_SECONDS, SHORTEST_DEADLINE_SECONDS, RATE_SECONDS = 20, 60, 60


def _report(stage: Stage, order: Order, verb: Verb = Verb.COMPLETE) -> None:
    """Whoever was called says what came of it; of an attempt that died before its call nobody knows."""
    for call in stage.log.arrivals(order.path)[-1:]:
        stage.receivers.report(call, verb)


def _begin(stage: Stage, order: Order, seconds: int = 10) -> Order:
    """The call that is due in so many seconds is made, and its receiver is at work."""
    stage.wait(seconds + 1)
    stage.execute()
    stage.wait(5)
    return order


@going_on("BatchExecuteStatement", "UpdateItem")
def makes_a_call_that_goes_on(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 10}, "begins")
    stage.wait(11)
    stage.mark("executor")
    stage.execute()
    stage.wait(5)
    _report(stage, order)


@going_on("PutItem", "UpdateItem")
def makes_a_call_of_a_recurring_job_that_goes_on(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": RATE_SECONDS}, "begins")
    stage.wait(RATE_SECONDS + 1)
    stage.mark("executor")
    stage.execute()
    stage.wait(5)
    _report(stage, order)


@going_on("BatchExecuteStatement")
def drops_a_message_of_what_goes_on(stage: Stage) -> None:
    order = _begin(stage, stage.clients.order({"delay_seconds": 10}, "begins"))
    stage.lane.send(stage.wakeup_of(order))
    stage.mark("executor")
    stage.execute()
    _report(stage, order)


@reported("UpdateItem")
def hears_that_a_run_goes_on(stage: Stage) -> None:
    order = _begin(stage, stage.clients.order({"delay_seconds": 10}, "begins"))
    stage.mark("api")
    _report(stage, order, Verb.HEARTBEAT)
    stage.run(HEARTBEAT_SECONDS - 2)
    _report(stage, order)


@reported("UpdateItem")
def hears_that_a_run_is_done(stage: Stage) -> None:
    order = _begin(stage, stage.clients.order({"delay_seconds": 10}, "begins"))
    stage.mark("api")
    _report(stage, order)


@reported("UpdateItem", "SendMessageBatch")
def hears_that_a_run_has_failed(stage: Stage) -> None:
    order = _begin(stage, stage.clients.order({"delay_seconds": 10}, "begins"))
    stage.mark("api")
    _report(stage, order, Verb.FAIL)


@reported("UpdateItem")
def hears_that_a_run_has_failed_for_good(stage: Stage) -> None:
    order = _begin(stage, stage.clients.order({"delay_seconds": 10}, "works"))
    stage.mark("api")
    _report(stage, order, Verb.GIVE_UP)


@reported("UpdateItem")
def hears_of_a_run_whose_worker_died(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 10}, "begins")
    stage.break_next("executor", BEFORE_OUTCOME)
    _begin(stage, order)
    stage.mark("api")
    _report(stage, order, Verb.HEARTBEAT)
    stage.run(HEARTBEAT_SECONDS - 2)
    _report(stage, order)


@unheard("Query", "SendMessageBatch", "UpdateItem")
def sends_for_the_next_attempt_of_what_nobody_heard_of(stage: Stage) -> None:
    _begin(stage, stage.clients.order({"delay_seconds": 10}, "begins"))
    stage.wait_until_second(59)
    stage.sweep()
    stage.wait(12)
    stage.mark("sweeper")
    stage.sweep()


@unheard("PutItem", "UpdateItem")
def ends_what_has_passed_its_deadline_without_attempts(stage: Stage) -> None:
    order = stage.clients.order(
        {"rate_seconds": RATE_SECONDS}, "works", max_attempts=1, deadline_seconds=SHORTEST_DEADLINE_SECONDS
    )
    _begin(stage, order, RATE_SECONDS)
    for _ in range(4):
        _report(stage, order, Verb.HEARTBEAT)
        stage.wait(15)
    _report(stage, order, Verb.HEARTBEAT)
    stage.wait_until_second(12)  # A bucket is swept ten seconds after its end.
    stage.mark("sweeper")
    stage.sweep()
