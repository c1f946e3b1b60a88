"""What the cancellation of a job that runs once was answered, and what it must have come to."""

from collections.abc import Iterator
from typing import Any

from tests.crashes.arrivals import Arrival
from tests.crashes.orders import Order


def cancel_faults(order: Order, record: dict[str, Any], calls: list[Arrival]) -> Iterator[str]:
    """Where it was granted nothing begins any more; where it came too late, at most what had begun."""
    late = [call for call in calls if call.began_at > (order.cancel_acked_at or call.began_at)]
    if order.cancelled:
        if late or record["state"] != "cancelled":
            yield f"cancel: {order.path} was cancelled, is {record['state']}, called {late}"
    elif order.stopped:
        if len({call.attempt for call in late}) > 1:
            yield f"cancel: {order.path} was stopped and called {late}"
    elif record["state"] == "cancelled" and order.cancel_asked_at is None:
        yield f"lost: {order.path} was cancelled by nobody"
