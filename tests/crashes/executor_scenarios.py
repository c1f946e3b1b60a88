"""Batches of messages in which an executor is hit that makes calls."""

import threading
import time

from tests.crashes.api_scenarios import LARGE
from tests.crashes.crash_points import TARGET
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.orders import Order
from tests.crashes.sandbox import GROUPS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

executor = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)


@executor("BatchExecuteStatement", "UpdateItem")
def makes_a_call(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10})
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@executor("BatchExecuteStatement", "UpdateItem")
def makes_a_call_with_a_large_request(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, payload=LARGE)
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@executor(f"{TARGET}SendMessage", "BatchExecuteStatement", "UpdateItem")
def sends_to_a_queue(stage: Stage) -> None:
    _order_message(stage, {"delay_seconds": 10})
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@executor(f"{TARGET}SendMessage", "PutItem", "SendMessageBatch", "UpdateItem")
def sends_to_a_queue_for_a_recurring_job(stage: Stage) -> None:
    _order_message(stage, {"rate_seconds": 20})
    stage.wait(21)
    stage.mark("executor")
    stage.execute()


def _order_message(stage: Stage, schedule: dict[str, int]) -> None:
    """Its time limit is long: a message that arrives beyond it would be sent again."""
    stage.clients.order(schedule, payload="sent", queue=stage.target_queue.arn, timeout_seconds=60)


@executor("PutItem", "UpdateItem")
def makes_a_call_in_a_lane_that_is_behind(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10})
    stage.wait(30)
    stage.mark("executor")
    stage.execute()


@executor("UpdateItem", "SendMessageBatch")
def makes_a_call_that_is_tried_again_soon(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, "flaky")
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@executor("UpdateItem", "PutItem")
def makes_a_call_that_is_tried_again_much_later(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, "later")
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@executor("UpdateItem")
def makes_the_last_call_in_vain(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, "fails", max_attempts=1)
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@executor("PutItem", "SendMessageBatch", "UpdateItem")
def makes_a_call_of_a_recurring_job(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": 20})
    stage.wait(21)
    stage.mark("executor")
    stage.execute()


@executor("BatchExecuteStatement", "SendMessageBatch", races=True)
def makes_calls_whose_writes_go_in_groups(stage: Stage) -> None:
    stage.deployment.environment[GROUPS] = "true"
    for _ in range(3):
        stage.clients.order({"rate_seconds": 20})
    stage.wait(21)
    stage.mark("executor")
    stage.execute()


@executor("BatchGetItem", "BatchExecuteStatement", races=True)
def makes_calls_whose_large_requests_are_read_in_a_group(stage: Stage) -> None:
    stage.deployment.environment[GROUPS] = "true"
    for _ in range(3):
        stage.clients.order({"delay_seconds": 10}, payload=LARGE)
    stage.wait(11)
    stage.mark("executor")
    stage.execute()


@executor("UpdateItem")
def makes_another_attempt_of_a_recurring_job(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": 60}, "flaky")
    stage.wait(60)
    stage.execute()
    stage.wait(3)
    stage.mark("executor")
    stage.execute()


@executor("TransactWriteItems", "UpdateItem")
def jumps_over_missed_instants(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": 20})
    stage.wait(150)
    stage.mark("executor")
    stage.execute()


@executor("UpdateItem", "SendMessageBatch", races=True)
def makes_the_calls_of_a_pack(stage: Stage) -> None:
    for behaviour in ("ok", "flaky", "ok"):
        stage.clients.order({"delay_seconds": 300}, behaviour)
    stage.wait(240)
    stage.watch()
    stage.wait(61)
    stage.mark("executor")
    stage.execute()


@executor("UpdateItem")
def is_stopped_by_a_cancel_in_mid_call(stage: Stage) -> None:
    order = stage.clients.order({"delay_seconds": 10}, "slowfails")
    stage.wait(11)
    canceller = threading.Thread(target=_cancel_in_mid_call, args=(stage, order))
    canceller.start()
    stage.mark("executor")
    stage.execute()
    canceller.join()


def _cancel_in_mid_call(stage: Stage, order: Order) -> None:
    """Wait for the call; a worker that dies before it makes none."""
    deadline = time.monotonic() + 2
    while not stage.log.arrivals(order.path) and time.monotonic() < deadline:
        time.sleep(0.02)
    stage.clients.cancel(order, stop_retries=True)
