"""Changes of jobs that run once, and what meets the place that such a job has left."""

from tests.crashes.api_scenarios import LARGE
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.orders import Order
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

edits = Catalogue("api", delay_seconds=0)
moved = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
NEAR_SECONDS, FAR_SECONDS = 20, 300


def _change(
    stage: Stage,
    order: Order,
    *,
    payload: str | None = None,
    seconds: float | None = None,
    name: str | None = None,
) -> None:
    """Its client has looked at the job; the request that follows is the one that is marked."""
    revision = stage.clients.revision(order)
    stage.mark("api")
    at = None if seconds is None else stage.clock.now_ms() + round(seconds * 1000)
    stage.clients.change(order, revision, payload=payload, at=at, name=name)


@edits("PutItem")
def edits_what_a_job_sends(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": NEAR_SECONDS}, payload="first")
    _change(stage, order, payload="second")


@edits("PutItem")
def edits_a_large_request(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": FAR_SECONDS}, payload=f"first {LARGE}")
    _change(stage, order, payload=f"second {LARGE}")


@edits("TransactWriteItems")
def moves_a_job_further_off(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": NEAR_SECONDS}, payload="first")
    _change(stage, order, payload="second", seconds=FAR_SECONDS)


@edits("TransactWriteItems", "SendMessageBatch")
def moves_a_job_closer(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": FAR_SECONDS})
    _change(stage, order, seconds=NEAR_SECONDS)


@edits("TransactWriteItems", "SendMessageBatch")
def moves_a_job_that_was_moved_before(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": NEAR_SECONDS})
    stage.clients.change(order, stage.clients.revision(order), at=stage.clock.now_ms() + FAR_SECONDS * 1000)
    _change(stage, order, payload="second", seconds=NEAR_SECONDS)


@edits("TransactWriteItems")
def renames_a_job_that_was_moved(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": FAR_SECONDS}, payload="first")
    stage.clients.change(order, stage.clients.revision(order), at=stage.clock.now_ms() + NEAR_SECONDS * 1000)
    _change(stage, order, payload="second", name="renamed")


@edits("UpdateItem")
def cancels_a_job_that_was_moved(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": FAR_SECONDS})
    stage.clients.change(order, stage.clients.revision(order), at=stage.clock.now_ms() + NEAR_SECONDS * 1000)
    stage.mark("api")
    stage.clients.cancel(order)


@moved("BatchExecuteStatement")
def drops_a_message_of_a_place_that_was_left(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": NEAR_SECONDS}, payload="first")
    left = stage.wakeup_of(order)
    stage.lane.lose()
    stage.clients.change(
        order, stage.clients.revision(order), payload="second", at=stage.clock.now_ms() + FAR_SECONDS * 1000
    )
    stage.wait(NEAR_SECONDS + 1)
    stage.lane.send(left)
    stage.mark("executor")
    stage.execute()
