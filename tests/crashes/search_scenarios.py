"""Searches of executions: where the API is hit that starts one, or the redriver that writes its files."""

from tests.crashes.orders import Wanted
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

MINUTE_SECONDS = 60
searched = Catalogue("api", delay_seconds=MINUTE_SECONDS)
written = Catalogue("redriver", delay_seconds=2 * MINUTE_SECONDS)
SEVERAL_PAGES = 8


def _run(stage: Stage) -> None:
    criteria = Wanted(schedule={"delay_seconds": 5})
    stage.clients.batch(*[criteria] * SEVERAL_PAGES)
    stage.run(6)
    stage.run(MINUTE_SECONDS)


def _let_it_end(stage: Stage) -> None:
    for _ in range(4):
        stage.wait(MINUTE_SECONDS)
        stage.redrive()


@searched("PutItem", "TransactWriteItems")
def starts_a_search(stage: Stage) -> None:
    _run(stage)
    stage.mark("api")
    stage.searches.start()
    _let_it_end(stage)


@written("Query", "PutItem", "BatchGetItem", "PutObject", "GetObject", "TransactWriteItems")
def writes_the_files_of_a_search(stage: Stage) -> None:
    _run(stage)
    stage.searches.start()
    stage.mark("redriver")
    stage.redrive()
    _let_it_end(stage)
