"""Bulk redrives: where whoever starts or undoes one, or works one off, is hit."""

from tests.crashes.bulk_redrives import Bulk
from tests.crashes.orders import Wanted
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

MINUTE_SECONDS = 60
started = Catalogue("api", delay_seconds=MINUTE_SECONDS)
worked_off = Catalogue("redriver", delay_seconds=2 * MINUTE_SECONDS)
ONE_PAGE, TWO_PAGES = 2, 4
UNDONE_AFTER_MINUTES = 6


def _die(stage: Stage, count: int) -> None:
    criteria = Wanted(schedule={"delay_seconds": 5}, behaviour="broken", max_attempts=1)
    stage.clients.batch(*[criteria] * count)
    stage.run(6)
    stage.log.heal()


def _undo(stage: Stage, count: int) -> None:
    """It is taken back before anything that it filed is called."""
    _die(stage, count)
    bulk = stage.redriver.start()
    stage.redrive()
    stage.redriver.undo(bulk)


def _let_it_be_undone(stage: Stage) -> None:
    """No worker comes before that is done, so that nothing is too late."""
    for _ in range(UNDONE_AFTER_MINUTES):
        stage.wait(MINUTE_SECONDS)
        stage.redrive()


def _expect_undone(stage: Stage, bulk: Bulk) -> None:
    if bulk.id is not None and not stage.redriver.bulks_are_at_rest():
        stage.faults.append(f"undone: {bulk.shown}")


@started("PutItem", "Query", "BatchExecuteStatement", "BatchWriteItem", "SendMessageBatch")
def starts_a_bulk_redrive(stage: Stage) -> None:
    _die(stage, ONE_PAGE)
    stage.mark("api")
    stage.redriver.start()


@started("UpdateItem", "PutItem")
def undoes_a_bulk_redrive(stage: Stage) -> None:
    _die(stage, ONE_PAGE)
    bulk = stage.redriver.start()
    stage.mark("api")
    stage.redriver.undo(bulk)
    _let_it_be_undone(stage)
    _expect_undone(stage, bulk)


@worked_off("PutItem", "Query", "BatchExecuteStatement", "BatchWriteItem", "SendMessageBatch")
def works_off_the_last_page_of_a_bulk_redrive(stage: Stage) -> None:
    _die(stage, TWO_PAGES)
    stage.redriver.start()
    stage.mark("redriver")
    stage.redrive()


@worked_off("PutItem", "Query", "UpdateItem")
def undoes_the_last_page_of_a_bulk_redrive(stage: Stage) -> None:
    _undo(stage, TWO_PAGES)
    stage.mark("redriver")
    stage.redrive()
    _let_it_be_undone(stage)
    _expect_undone(stage, stage.redriver.bulks[-1])


@worked_off("Query", "PutItem")
def looks_once_more_at_what_it_has_undone(stage: Stage) -> None:
    _undo(stage, ONE_PAGE)
    for _ in range(3):
        stage.redrive()
        stage.wait(MINUTE_SECONDS)
    stage.mark("redriver")
    stage.redrive()
    _let_it_be_undone(stage)
    _expect_undone(stage, stage.redriver.bulks[-1])
