"""Bulk redrives: where whoever starts or undoes one, or works one off, is hit."""

from shared.domain.workflows.run import RunState
from tests.crashes.bulk_redrives import Bulk
from tests.crashes.orders import Wanted
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage
from tests.crashes.workflow_scenarios import MAPPED

MINUTE_SECONDS = 60
started = Catalogue("api", delay_seconds=MINUTE_SECONDS)
started_with_runs = Catalogue("api", delay_seconds=3 * MINUTE_SECONDS)
"""The redriver works off the page a minute later and finds the next epoch: a lost message is left to the first sweep of
its minute."""
worked_off = Catalogue("redriver", delay_seconds=2 * MINUTE_SECONDS)
ONE_PAGE, FULL_PAGE, TWO_PAGES = 2, 3, 4
UNDONE_AFTER_MINUTES = 6


def _die(stage: Stage, count: int, *, run_ends: RunState | None = None) -> None:
    """With `run_ends`, a run dies behind the jobs because of one item of a map, and ends so when it is redriven."""
    criteria = Wanted(schedule={"delay_seconds": 5}, behaviour="broken", max_attempts=1)
    stage.clients.batch(*[criteria] * count)
    stage.run(6)
    if run_ends is not None:
        never_called = "" if run_ends is RunState.SUCCEEDED else ["join"]
        stage.workflow_runs.start(
            *MAPPED, fails=["each"], receiver="picky", ends=run_ends, never_called=never_called
        )
        stage.run(3)
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


@started_with_runs(
    "GetItem", "BatchGetItem", "PutItem", "UpdateItem", "BatchExecuteStatement", "SendMessageBatch"
)
def starts_a_bulk_redrive_with_a_run(stage: Stage) -> None:
    _die(stage, 1, run_ends=RunState.SUCCEEDED)
    stage.workflow_runs.expect_redrive()
    stage.mark("api")
    stage.redriver.start(runs=1)


@worked_off("GetItem", "BatchGetItem", "PutItem", "UpdateItem", "SendMessageBatch")
def redrives_a_run_in_bulk(stage: Stage) -> None:
    _die(stage, FULL_PAGE, run_ends=RunState.SUCCEEDED)
    stage.workflow_runs.expect_redrive()
    stage.redriver.start(runs=1)
    stage.mark("redriver")
    stage.redrive()


@worked_off("GetItem", "BatchGetItem", "PutItem", "UpdateItem")
def undoes_a_bulk_redrive_of_a_run(stage: Stage) -> None:
    _die(stage, FULL_PAGE, run_ends=RunState.CANCELLED)
    bulk = stage.redriver.start(runs=1)
    stage.redrive()
    stage.redriver.undo(bulk)
    stage.mark("redriver")
    stage.redrive()
    _let_it_be_undone(stage)
    _expect_undone(stage, bulk)
