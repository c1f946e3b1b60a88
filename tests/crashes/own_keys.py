"""What a job with a key of its client was promised: it is the only one, and each description changes it once."""

from collections.abc import Iterator

from tests.crashes.arrivals import Arrival
from tests.crashes.orders import Order


def own_key_faults(order: Order, calls: list[Arrival]) -> Iterator[str]:
    """Of an order without such a key, nothing."""
    key = order.own_key
    if key is None:
        return
    jobs = key.jobs | {call.job_id for call in calls}
    if len(jobs) > 1:
        yield f"doubled: {order.path} became the jobs {sorted(jobs)} under one key"
    if order.acked_at is not None and key.revision != len(order.versions):
        yield f"edit: {order.path} was described {len(order.versions)} times, and is at revision {key.revision}"
