"""Batches of jobs in whose creation the API's function is hit; the same batch is sent until each job has its answer."""

from tests.crashes.api_scenarios import LARGE
from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.orders import Wanted
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

batches = Catalogue("api", delay_seconds=0)
AFTER_INSERTS = CrashPoint(operation="BatchExecuteStatement", nth=1, hit=Hit.KILLED_AFTER)
SOON, LATER = {"delay_seconds": 20}, {"delay_seconds": 300}


@batches("BatchExecuteStatement", "SendMessageBatch")
def creates_a_batch(stage: Stage) -> None:
    stage.mark("api")
    stage.clients.batch(
        Wanted(schedule=SOON),
        Wanted(schedule=LATER),
        Wanted(schedule=SOON, payload=LARGE),
        Wanted(schedule=SOON),
    )


@batches("BatchExecuteStatement", "TransactWriteItems", "SendMessageBatch")
def creates_a_batch_with_a_recurring_job(stage: Stage) -> None:
    stage.mark("api")
    stage.clients.batch(Wanted(schedule={"rate_seconds": 60}), Wanted(schedule=LATER))


@batches("BatchExecuteStatement", "SendMessageBatch")
def creates_what_is_left_of_a_batch(stage: Stage) -> None:
    stage.break_next("api", AFTER_INSERTS)
    stage.mark("api")
    stage.clients.batch(Wanted(schedule=SOON), Wanted(schedule=LATER))
