"""Changes of recurring jobs whose maker died half-way and never asked again: whoever meets one finishes it."""

from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.orders import Order, Pause
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

finished = Catalogue("api", delay_seconds=0)
left = Catalogue("reconciler", delay_seconds=1_500)
AFTER_TOMBSTONE = CrashPoint(operation="PutItem", nth=1, hit=Hit.KILLED_AFTER)
RATE_SECONDS = 120
STUCK_SECONDS = 320


def _leave(stage: Stage, verb: str) -> Order:
    """A job that is marked as being changed, and whose chain has the first of its tombstones."""
    order = stage.clients.order({"rate_seconds": RATE_SECONDS}, payload="first")
    stage.run(RATE_SECONDS + 5)
    revision = stage.clients.revision(order)
    stage.break_next("api", AFTER_TOMBSTONE)
    path = f"/v1/jobs/{order.job_id}"
    if verb == "pause":
        order.pauses.append(Pause())
        stage.request("POST", f"{path}/pause")
    else:
        order.propose("second", None)
        stage.request("PATCH", path, {"request": {"json": "second"}}, {"if-match": f'"{revision}"'})
    _expect(stage, order, "pausing" if verb == "pause" else "updating")
    return order


def _expect(stage: Stage, order: Order, state: str) -> None:
    shown = stage.clients.show(order).get("state")
    if shown != state:
        stage.faults.append(f"unfinished: {order.path} is {shown}, not {state}")


def _let_it_be_found(stage: Stage, order: Order, state: str) -> None:
    """The reconciler is struck in one run; within a quarter of an hour the next one comes, and it is finished."""
    stage.wait(STUCK_SECONDS)
    stage.mark("reconciler")
    stage.reconcile()
    stage.wait(900)
    stage.reconcile()
    _expect(stage, order, state)


@left("PutItem", "UpdateItem")
def finishes_a_pause(stage: Stage) -> None:
    stage.reconcile()
    order = _leave(stage, "pause")
    _let_it_be_found(stage, order, "paused")
    stage.clients.resume(order)


@left("TransactWriteItems", "SendMessageBatch")
def finishes_an_update(stage: Stage) -> None:
    stage.reconcile()
    order = _leave(stage, "update")
    _let_it_be_found(stage, order, "active")


@finished("TransactWriteItems", "SendMessageBatch")
def finishes_the_update_of_another_before_a_run_beside_it(stage: Stage) -> None:
    order = _leave(stage, "update")
    stage.mark("api")
    stage.clients.trigger(order)


@finished("PutItem", "UpdateItem")
def finishes_the_pause_of_another_before_its_own(stage: Stage) -> None:
    order = _leave(stage, "pause")
    stage.mark("api")
    stage.clients.pause(order)
    stage.run(2 * RATE_SECONDS)
    stage.clients.resume(order)
