"""What holds for every call, of a job or of a notification, acknowledged or not."""

from collections import defaultdict
from collections.abc import Iterator

from tests.crashes.arrivals import Arrival
from tests.crashes.orders import Order


def call_faults(order: Order, calls: list[Arrival], blows: int) -> Iterator[str]:
    """Each blow that hid a success from its worker may have cost the receiver one attempt more."""
    attempts: dict[str, list[Arrival]] = defaultdict(list)
    for call in calls:
        attempts[call.execution_id].append(call)
        if call.began_at < call.scheduled_at:
            yield f"early: {call}"
        if call.began_at in order.suspended:
            yield f"suspended: {call}"
        if not call.genuine:
            yield f"forged: {call}"
    for execution, made in attempts.items():
        numbers = [call.attempt for call in made]
        if len(set(numbers)) < len(numbers):
            yield f"doubled: {order.path} {execution} was called with attempts {numbers}"
        if max(numbers) > order.max_attempts:
            yield f"attempts: {order.path} {execution} had {max(numbers)}"
        if sum(call.status == 200 for call in made) > 1 + blows:
            yield f"doubled: {order.path} {execution} succeeded {numbers}"
    if order.key is not None and len({call.job_id for call in calls}) > 1:
        yield f"doubled: {order.path} became two jobs under one Idempotency-Key"
