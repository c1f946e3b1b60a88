"""Whether each acknowledged job was called exactly once with success, by the log of its receiver and its history."""

import time
from collections.abc import Callable

from tests.crashes.oracle import Oracle
from tests.crashes.orders import Order, Press
from tests.drills.laptop import Laptop

PATIENCE_SECONDS = 1_200
"""A message that a failed executor holds is visible again after at most 7.5 minutes."""
POLL_SECONDS = 5.0


def verdict(laptop: Laptop, say: Callable[[str], None], *, stalls: int = 0) -> list[str]:
    """Wait until every job has ended, and return what is lost, doubled, early or untrue; empty if nothing is.

    A worker that a busy machine stalls for longer than its lease calls again, as one that died: `stalls` times at most.
    """
    orders = laptop.clients.orders
    _await_rest(laptop, orders)
    history = {str(order.job_id): laptop.clients.history(order) for order in orders}
    for order in orders:
        # The page redrives each dead letter once; a second redrive of one is a fault.
        order.presses = [
            Press(original=record["id"], redrive_id=record["redriven_by"])
            for record in history[str(order.job_id)]
            if record.get("redriven_by")
        ]
    oracle = Oracle(orders=orders, history=history, arrivals=laptop.log.arrivals(), blows=0, deaths=stalls)
    faults = oracle.verdict()
    unmade = [f"late: {path} was never called with success" for path in laptop.overdue()]
    calls = len(oracle.arrivals)
    say(
        f"{len(orders)} jobs acknowledged, {calls} calls received, {len(faults + unmade)} lost, doubled or early"
    )
    return faults + unmade


def _await_rest(laptop: Laptop, orders: list[Order]) -> None:
    left, end = list(orders), time.monotonic() + PATIENCE_SECONDS
    while left and time.monotonic() < end:
        left = [order for order in left if order.job_id and not laptop.clients.is_at_rest(order)]
        if left:
            time.sleep(POLL_SECONDS)
