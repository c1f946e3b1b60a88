"""Runs of the reconciler in which it is hit."""

from tests.crashes.orders import Order
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

reconciler = Catalogue("reconciler", delay_seconds=1_500)
SECONDS_TO_SETTLE = 600


def _reconcile_the_present_minute(stage: Stage) -> None:
    """Go on until it has settled; the run that looks at it, and at nothing else, is the one that is marked."""
    stage.run(21)
    stage.wait(SECONDS_TO_SETTLE - 60 - 21)
    stage.reconcile()
    stage.wait(60)
    stage.mark("reconciler")
    answer = stage.reconcile_minutes()
    assert answer is None or answer["accepted"] > 0


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


@reconciler("UpdateItem", "TransactWriteItems", "SendMessageBatch")
def jumps_over_what_a_broken_chain_missed(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 20})
    stage.run(21)
    _break_off_and_wait(stage, order, 150)
    stage.mark("reconciler")
    stage.reconcile()


def _break_off_and_wait(stage: Stage, order: Order, seconds: float) -> None:
    """The end of the chain is gone, and so is its message; another minute is there to be reconciled."""
    stage.reconcile()
    stage.break_off(order)
    stage.lane.lose()
    stage.wait(seconds)
