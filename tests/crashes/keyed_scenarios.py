"""Jobs that are described by keys of their clients, in whose requests the API's function is hit."""

from dataclasses import replace

from tests.crashes.api_scenarios import LARGE
from tests.crashes.orders import Wanted
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

keyed = Catalogue("api", delay_seconds=0)
FIRST = Wanted(schedule={"rate_seconds": 30}, payload="first")
SECOND = replace(FIRST, payload="second")


@keyed("PutItem", "TransactWriteItems", "SendMessageBatch")
def creates_a_job_by_its_key(stage: Stage) -> None:
    stage.mark("api")
    stage.clients.put(FIRST)


@keyed("PutItem", "TransactWriteItems")
def creates_a_job_with_a_large_request_by_its_key(stage: Stage) -> None:
    stage.mark("api")
    stage.clients.put(replace(FIRST, payload=LARGE))


@keyed("PutItem", "TransactWriteItems")
def creates_the_job_of_a_key_anew(stage: Stage) -> None:
    before = stage.clients.put(FIRST)
    stage.run(35)
    stage.clients.cancel(before)
    assert before.own_key is not None
    stage.mark("api")
    stage.clients.put(SECOND, key=before.own_key.name)


@keyed("PutItem", "TransactWriteItems")
def changes_a_job_by_its_key(stage: Stage) -> None:
    order = stage.clients.put(FIRST)
    stage.run(35)
    stage.mark("api")
    stage.clients.put(SECOND, order)


@keyed("PutItem", "TransactWriteItems")
def changes_a_large_request_by_its_key(stage: Stage) -> None:
    order = stage.clients.put(replace(FIRST, payload=LARGE))
    stage.run(35)
    stage.mark("api")
    stage.clients.put(replace(FIRST, payload=f"other {LARGE}"), order)


@keyed("GetItem")
def leaves_a_job_as_its_key_describes_it(stage: Stage) -> None:
    order = stage.clients.put(FIRST)
    stage.run(35)
    stage.mark("api")
    stage.clients.put(FIRST, order)
