"""Runs of the reconciler in which it is hit."""

from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.orders import Order
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

reconciler = Catalogue("reconciler", delay_seconds=1_500)
SECONDS_TO_SETTLE = 600
MARKED_UPDATING = CrashPoint(operation="UpdateItem", nth=1, hit=Hit.KILLED_AFTER)
STUCK_SECONDS, REMEMBERED_SECONDS, RUNS_APART_SECONDS = 320, 65, 900


def _reconcile_the_present_minute(stage: Stage) -> None:
    """Go on until it has settled; the run that looks at it, and at nothing else, is the one that is marked."""
    stage.run(21)
    stage.wait(SECONDS_TO_SETTLE - 60 - 21)
    stage.reconcile()
    stage.wait(60)
    stage.mark("reconciler")
    answer = stage.reconcile_minutes()
    # Where a log gives no answer, the minute is left to the next run.
    assert answer is None or stage.workers.struck or answer["accepted"] > 0


@reconciler("FilterLogEvents", "BatchGetItem", "GetItem", "Query", "UpdateItem")
def accounts_for_what_was_acknowledged(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 5})
    stage.clients.order({"rate_seconds": 20})
    _reconcile_the_present_minute(stage)


@reconciler("FilterLogEvents", "BatchGetItem", "UpdateItem")
def tells_of_a_job_without_a_record(stage: Stage) -> None:
    stage.bereave(stage.clients.order({"delay_seconds": 5}))
    _reconcile_the_present_minute(stage)


@reconciler("TransactWriteItems", "SendMessageBatch")
def files_the_first_of_a_chain_that_has_none(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 90})
    _break_off_and_wait(stage, order, 60)
    stage.mark("reconciler")
    stage.reconcile()


@reconciler("TransactWriteItems", "SendMessageBatch")
def files_the_next_of_a_chain_that_broke_off(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 90})
    stage.run(91)
    _break_off_and_wait(stage, order, 60)
    stage.mark("reconciler")
    stage.reconcile()


@reconciler("TransactWriteItems", "SendMessageBatch")
def jumps_over_what_a_broken_chain_missed(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 20})
    stage.run(21)
    _break_off_and_wait(stage, order, 150)
    stage.mark("reconciler")
    stage.reconcile()


@reconciler("PutItem", "TransactWriteItems")
def moves_a_job_whose_calendar_has_changed(stage: Stage) -> None:
    stage.reconcile()
    stage.dated_jobs.create()
    stage.run(125)
    stage.dated_jobs.close()
    stage.wait(REMEMBERED_SECONDS)
    stage.mark("reconciler")
    stage.reconcile_definitions()
    _expect_the_next_run_to_move_it(stage)


@reconciler("PutItem", "TransactWriteItems")
def finishes_a_move_and_moves_the_job_by_a_later_change(stage: Stage) -> None:
    stage.reconcile()
    stage.dated_jobs.create()
    stage.run(125)
    stage.dated_jobs.close_tomorrow()
    stage.wait(REMEMBERED_SECONDS)
    stage.break_next("reconciler", MARKED_UPDATING)
    stage.reconcile_definitions()
    if stage.dated_jobs.state() != "updating":
        stage.faults.append(f"unfinished: its job is {stage.dated_jobs.state()}")
    stage.dated_jobs.close()
    stage.wait(STUCK_SECONDS)
    stage.mark("reconciler")
    stage.reconcile_definitions()
    _expect_the_next_run_to_move_it(stage)


def _expect_the_next_run_to_move_it(stage: Stage) -> None:
    """It completes what the struck one has left, and follows what has changed since."""
    stage.wait(RUNS_APART_SECONDS)
    stage.reconcile_definitions()
    if not stage.dated_jobs.are_at_rest():
        stage.faults.append("late: the run after the struck one has not moved the job")


def _break_off_and_wait(stage: Stage, order: Order, seconds: float) -> None:
    """The end of the chain is gone, and so is its message; another minute is there to be reconciled."""
    stage.reconcile()
    stage.break_off(order)
    stage.lane.lose()
    stage.wait(seconds)
