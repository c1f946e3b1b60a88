"""Events of the event bus in whose receipt the function is hit. SQS delivers them again."""

from tests.crashes.api_scenarios import LARGE
from tests.crashes.bus_events import STEP_SECONDS
from tests.crashes.deployment import EVENTS_VISIBILITY_SECONDS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

received = Catalogue("event_receiver", delay_seconds=EVENTS_VISIBILITY_SECONDS + STEP_SECONDS)
OFTEN = {"rate_seconds": 60}
LONG_DEBOUNCE_SECONDS, SHORT_DEBOUNCE_SECONDS = EVENTS_VISIBILITY_SECONDS + 60, 60
"""An event that is delivered again still joins the run, or comes after its time."""
ONE_IN_AN_HOUR = (1, 3_600)


@received("GetItem", "Query", "PutItem", "TransactWriteItems", "SendMessageBatch")
def receives_an_event(stage: Stage) -> None:
    job = stage.events.trigger(stage.clients.order(OFTEN, payload="own"))
    stage.events.send(job)
    stage.mark("event_receiver")
    stage.receive()


@received("PutItem", "TransactWriteItems", "SendMessageBatch")
def receives_an_event_twice_in_a_batch(stage: Stage) -> None:
    job = stage.events.trigger(stage.clients.order(OFTEN))
    stage.events.send(job, times=2)
    stage.mark("event_receiver")
    stage.receive()


@received("PutItem", "TransactWriteItems", "SendMessageBatch")
def receives_an_event_for_a_large_request(stage: Stage) -> None:
    job = stage.events.trigger(stage.clients.order(OFTEN, payload=LARGE))
    stage.events.send(job)
    stage.mark("event_receiver")
    stage.receive()


@received("UpdateItem", "PutItem", "TransactWriteItems")
def receives_the_first_event_of_a_burst(stage: Stage) -> None:
    order = stage.clients.order(OFTEN)
    job = stage.events.trigger(order, debounce_seconds=SHORT_DEBOUNCE_SECONDS)
    stage.events.send(job)
    stage.mark("event_receiver")
    stage.receive()


@received("PutItem")
def postpones_a_run_by_an_event(stage: Stage) -> None:
    order = stage.clients.order(OFTEN)
    job = stage.events.trigger(order, debounce_seconds=LONG_DEBOUNCE_SECONDS)
    stage.events.send(job)
    stage.run(5)
    stage.events.send(job)
    stage.mark("event_receiver")
    stage.receive()


@received("SendMessageBatch")
def refuses_an_event_for_good(stage: Stage) -> None:
    job = stage.events.trigger(stage.clients.order(OFTEN))
    stage.events.send_refused()
    stage.mark("event_receiver")
    stage.receive()
    stage.events.send(job)


@received("SendMessageBatch")
def sends_an_event_again_that_is_over_its_quota(stage: Stage) -> None:
    job = stage.events.trigger(stage.clients.order(OFTEN))
    stage.allow(creates_per_second=0)
    stage.events.send(job)
    stage.mark("event_receiver")
    stage.receive()
    stage.allow(creates_per_second=1_000)


@received("UpdateItem", "PutItem", "TransactWriteItems")
def receives_the_one_event_that_a_throttle_lets_through(stage: Stage) -> None:
    """Sent again, it finds the start that was counted for it."""
    job = stage.events.trigger(stage.clients.order(OFTEN), throttle=ONE_IN_AN_HOUR)
    stage.events.send(job)
    stage.mark("event_receiver")
    stage.receive()
