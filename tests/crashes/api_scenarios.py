"""Requests of clients in which the API's function is hit; its client asks again until it is answered."""

from shared.domain.schedules.instants import format_instant
from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

api = Catalogue("api", delay_seconds=0)
LARGE = "x" * 5_000
"""Too large to stand in an execution's own item."""
AFTER_CLAIM = CrashPoint(operation="BatchExecuteStatement", nth=1, hit=Hit.KILLED_AFTER)


@api("PutItem", "SendMessageBatch")
def creates_a_job_due_soon(stage: Stage) -> None:
    stage.mark("api")
    stage.clients.order({"delay_seconds": 20})


@api("PutItem")
def creates_a_job_due_later_without_a_key(stage: Stage) -> None:
    stage.mark("api")
    stage.clients.order({"delay_seconds": 300}, keyed=False)


@api("PutItem", "SendMessageBatch")
def creates_a_job_with_a_large_request(stage: Stage) -> None:
    stage.mark("api")
    stage.clients.order({"delay_seconds": 5}, payload=LARGE)


@api("UpdateItem", "PutItem", "SendMessageBatch")
def creates_a_job_due_in_a_bucket_that_has_ended(stage: Stage) -> None:
    stage.wait_until_second(30)
    stage.mark("api")
    stage.clients.order({"at": format_instant(stage.clock.now_ms() - 50_000)})


@api("TransactWriteItems", "SendMessageBatch")
def creates_a_recurring_job(stage: Stage) -> None:
    stage.mark("api")
    stage.clients.order({"rate_seconds": 20})


@api("PutItem", "TransactWriteItems")
def creates_a_rare_recurring_job_with_a_large_request(stage: Stage) -> None:
    stage.mark("api")
    order = stage.clients.order({"rate_seconds": 400}, payload=LARGE)
    for _ in range(22):
        stage.run(20)
    assert order.job_id


@api("UpdateItem")
def cancels_a_job(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 30})
    stage.mark("api")
    stage.clients.cancel(order)


@api("UpdateItem")
def cancels_a_job_between_attempts(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 5}, "later", payload=LARGE)
    stage.run(6)
    stage.mark("api")
    stage.clients.cancel(order)


@api("UpdateItem")
def stops_the_retries_of_a_running_job(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 5}, timeout_seconds=30)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(6)
    stage.mark("api")
    stage.clients.cancel(order, stop_retries=True)


@api("BatchGetItem", "PutItem", "UpdateItem")
def deletes_a_recurring_job(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 30}, payload=LARGE)
    stage.run(35)
    stage.mark("api")
    stage.clients.cancel(order)


@api("BatchGetItem", "PutItem", "UpdateItem")
def deletes_a_recurring_job_between_attempts(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 30}, "busy")
    stage.run(31)
    stage.mark("api")
    stage.clients.cancel(order)


@api("BatchGetItem", "PutItem", "UpdateItem")
def deletes_a_recurring_job_that_runs(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 30}, timeout_seconds=30)
    stage.break_next("executor", AFTER_CLAIM)
    stage.run(31)
    stage.mark("api")
    stage.clients.cancel(order)


@api("BatchGetItem", "PutItem", "UpdateItem")
def deletes_a_recurring_job_that_fell_behind(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 30})
    stage.wait(150)
    stage.mark("api")
    stage.clients.cancel(order)


@api("GetItem")
def shows_a_job(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 20})
    stage.mark("api")
    stage.request("GET", f"/v1/jobs/{order.job_id}")


@api("BatchGetItem")
def lists_the_executions_of_a_job(stage: Stage) -> None:
    order = stage.clients.order({"rate_seconds": 20})
    stage.run(21)
    stage.mark("api")
    stage.clients.history(order)


@api("Query", "BatchGetItem")
def lists_dead_letters(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 5}, "fails", max_attempts=1)
    stage.run(6)
    stage.mark("api")
    stage.request("GET", "/v1/dead-letters")
