"""Changes of recurring jobs in which the API's function is hit."""

from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

lifecycle = Catalogue("api", delay_seconds=0)


@lifecycle("PutItem")
def pauses_a_recurring_job(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 30})
    stage.run(35)
    stage.mark("api")
    stage.clients.pause(order)
    stage.run(70)
    stage.clients.resume(order)


@lifecycle("TransactWriteItems", "SendMessageBatch")
def resumes_a_paused_job(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 30})
    stage.run(35)
    stage.clients.pause(order)
    stage.run(70)
    stage.mark("api")
    stage.clients.resume(order)


@lifecycle("PutItem", "TransactWriteItems")
def updates_a_recurring_job(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 30})
    stage.run(35)
    revision = stage.clients.revision(order)
    stage.mark("api")
    stage.clients.change(order, revision, payload="changed")


@lifecycle("TransactWriteItems", "SendMessageBatch")
def triggers_a_recurring_job(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 300})
    stage.run(35)
    stage.mark("api")
    stage.clients.trigger(order)
    stage.run(1)
