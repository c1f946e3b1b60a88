"""Ticks in which a watcher or the sweeper is hit."""

from tests.crashes.api_scenarios import AFTER_CLAIM
from tests.crashes.behaviours import FAR_RETRY_SECONDS
from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

watcher = Catalogue("watcher", delay_seconds=60)
sweeper = Catalogue("sweeper", delay_seconds=60)
AFTER_FIRST_PAGE = CrashPoint(operation="SendMessageBatch", nth=1, hit=Hit.KILLED_AFTER)
FIRST_SWEEP_SECOND = 11


@watcher("Query", "SendMessageBatch", "UpdateItem")
def sends_for_what_is_due_soon(stage: Stage) -> None:
    for _ in range(5):
        stage.clients.order({"delay_seconds": 300})
    stage.wait(240)
    stage.mark("watcher")
    stage.watch()


@watcher("Query", "SendMessageBatch", "UpdateItem", delay_seconds=120)
def goes_on_where_another_died(stage: Stage) -> None:
    for _ in range(5):
        stage.clients.order({"delay_seconds": 300})
    stage.wait(220)
    stage.break_next("watcher", AFTER_FIRST_PAGE)
    stage.watch()
    stage.wait(57)
    stage.mark("watcher")
    stage.watch()


@watcher("Query", "SendMessageBatch", "UpdateItem")
def sends_for_the_target_of_a_pointer(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, "later")
    stage.run(11)
    stage.wait(FAR_RETRY_SECONDS - 60)
    stage.mark("watcher")
    stage.watch()


def sweep_on(stage: Stage, minutes: int) -> None:
    """Only sweepers tick; afterwards the bucket before the last of these minutes is due for its first sweep."""
    for _ in range(minutes):
        stage.wait_until_second(FIRST_SWEEP_SECOND - 2)
        stage.sweep()
    stage.wait_until_second(FIRST_SWEEP_SECOND)


def sweep_for_the_lost(stage: Stage) -> None:
    """All messages go astray; the sweep that comes upon it is the one to be struck."""
    stage.lane.lose()
    sweep_on(stage, 1)
    stage.mark("sweeper")
    stage.sweep()


@sweeper("Query", "SendMessageBatch", "UpdateItem")
def sends_for_what_no_watcher_found(stage: Stage) -> None:
    for _ in range(4):
        stage.clients.order({"delay_seconds": 200})
    sweep_on(stage, 5)
    stage.mark("sweeper")
    stage.sweep()


@sweeper("UpdateItem", "Query", "DeleteItem")
def lists_and_closes_what_nobody_watched(stage: Stage) -> None:
    stage.wait(180)
    stage.mark("sweeper")
    stage.sweep()


@sweeper("Query", "DeleteItem")
def closes_what_has_ended(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10})
    stage.run(11)
    sweep_on(stage, 1)
    stage.mark("sweeper")
    stage.sweep()


@sweeper("Query", "SendMessageBatch", "UpdateItem")
def sends_for_what_a_dead_worker_left(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10})
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(11)
    sweep_for_the_lost(stage)


@sweeper("Query", "SendMessageBatch", "UpdateItem")
def sends_for_a_retry_whose_message_was_lost(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, "flaky")
    stage.wait(11)
    stage.execute()
    sweep_for_the_lost(stage)


@sweeper("PutItem", "UpdateItem")
def ends_what_a_dead_worker_left_without_attempts(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": 40}, max_attempts=1)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(41)
    sweep_for_the_lost(stage)


@sweeper("TransactWriteItems", "SendMessageBatch", "UpdateItem")
def jumps_over_what_a_dead_worker_made_miss(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": 40}, max_attempts=1)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(41)
    stage.lane.lose()
    stage.wait(180)
    stage.mark("sweeper")
    stage.sweep()


@sweeper("GetItem", "SendMessageBatch", "UpdateItem")
def sends_for_the_target_of_a_pointer_that_no_watcher_found(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, "later")
    stage.run(11)
    sweep_on(stage, FAR_RETRY_SECONDS // 60 + 1)
    stage.mark("sweeper")
    stage.sweep()


@sweeper("GetItem", "UpdateItem")
def ends_a_pointer_whose_target_has_gone_on(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, "later")
    stage.run(11)
    sweep_on(stage, FAR_RETRY_SECONDS // 60 - 1)
    stage.watch()
    stage.wait(120)
    stage.work()
    stage.mark("sweeper")
    stage.sweep()
