"""Bulk operations on jobs: where whoever starts or undoes one, or works one off, is hit."""

from tests.crashes.orders import Order
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

MINUTE_SECONDS = 60
changed_at_once = Catalogue("api", delay_seconds=2 * MINUTE_SECONDS)
changed_later = Catalogue("redriver", delay_seconds=2 * MINUTE_SECONDS)
ONE_PAGE, TWO_PAGES = 2, 4


def _jobs(stage: Stage, count: int) -> list[Order]:
    orders = [stage.clients.order({"rate_seconds": 300}) for _ in range(count)]
    stage.run(5)
    return orders


def _work_off(stage: Stage) -> None:
    """Until the operation has ended, and an undo has looked twice."""
    for _ in range(5):
        stage.run(MINUTE_SECONDS)
        if stage.operations.are_at_rest():
            return


def _undo(stage: Stage) -> None:
    _work_off(stage)
    stage.operations.undo(stage.operations.all[-1])
    _work_off(stage)


@changed_at_once("PutItem", "Query", "TransactWriteItems")
def pauses_a_page_of_jobs(stage: Stage) -> None:
    orders = _jobs(stage, ONE_PAGE)
    stage.mark("api")
    stage.operations.pause(orders)
    _undo(stage)


@changed_at_once("PutItem", "TransactWriteItems")
def resumes_a_page_of_jobs_by_an_undo(stage: Stage) -> None:
    operation = stage.operations.pause(_jobs(stage, ONE_PAGE))
    _work_off(stage)
    stage.mark("api")
    stage.operations.undo(operation)
    _work_off(stage)


@changed_later("PutItem", "Query")
def pauses_the_last_page_of_jobs(stage: Stage) -> None:
    orders = _jobs(stage, TWO_PAGES)
    stage.operations.pause(orders)
    stage.mark("redriver")
    stage.redrive()
    _undo(stage)


@changed_later("PutItem", "TransactWriteItems")
def resumes_the_last_page_of_jobs_by_an_undo(stage: Stage) -> None:
    operation = stage.operations.pause(_jobs(stage, TWO_PAGES))
    _work_off(stage)
    stage.operations.undo(operation)
    stage.mark("redriver")
    stage.redrive()
    _work_off(stage)
