"""A suspended tenant: where an executor is hit that has an execution wait, ends one, or has a chain go on."""

from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

ROUNDS_SECONDS = 360
"""What waits goes on once in a step of the clock, and those are of two minutes when a message comes back late."""
suspended = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS + ROUNDS_SECONDS)
DUE_SECONDS, SPAN_SECONDS = 10, 20
RATE_SECONDS = 60
SPAN_OF_A_CHAIN_SECONDS = 2 * RATE_SECONDS + 5


@suspended("BatchGetItem", "SendMessageBatch")
def has_a_job_wait_for_the_end_of_a_suspension(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": DUE_SECONDS}, when_suspended="run")
    stage.wait(DUE_SECONDS + 1)
    stage.suspend(SPAN_SECONDS)
    stage.mark("executor")
    stage.execute()
    stage.wait(SPAN_SECONDS)


@suspended("BatchGetItem", "UpdateItem")
def ends_a_job_that_is_due_in_a_suspension(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": DUE_SECONDS})
    stage.wait(DUE_SECONDS + 1)
    stage.suspend(SPAN_SECONDS)
    stage.mark("executor")
    stage.execute()
    stage.wait(SPAN_SECONDS)


@suspended("BatchGetItem", "UpdateItem", "TransactWriteItems")
def has_a_chain_go_on_after_a_suspension(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": RATE_SECONDS})
    stage.wait(RATE_SECONDS + 1)
    stage.suspend(SPAN_OF_A_CHAIN_SECONDS)
    stage.wait(SPAN_OF_A_CHAIN_SECONDS)
    stage.mark("executor")
    stage.execute()
