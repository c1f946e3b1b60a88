"""What a job that was changed was promised: what is acknowledged is what is called, and when."""

from collections.abc import Iterator
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.orders import Order


def edition_faults(order: Order, records: list[dict[str, Any]], calls: list[Arrival]) -> Iterator[str]:
    """A job that runs once: a change is acknowledged only where nothing has begun, so nothing older is ever called."""
    standing = order.standing
    known = {(version.payload, version.due_at) for version in standing}
    for call in calls:
        if (call.payload, call.scheduled_at) not in known:
            yield f"edit: {order.path} stands as {standing} and was called as {call}"
    due = {version.due_at for version in standing}
    for record in records:
        if instant_ms(record["scheduled_at"]) not in due:
            yield f"edit: {order.path} stands as {standing} and is shown as {record}"
    if len(records) > 1:
        yield f"doubled: {order.path} is to run once, and has {len(records)} executions"


def series_edition_faults(order: Order, calls: list[Arrival], grace_ms: int) -> Iterator[str]:
    """A recurring one: a run that begins after the acknowledgement is of what was acknowledged, or newer."""
    asked = [version.payload for version in order.versions]
    acked = [
        (each.acked_at, number) for number, each in enumerate(order.versions) if each.acked_at is not None
    ]
    for call in calls:
        if call.attempt > 1 or call.execution_id in order.triggered:
            continue
        oldest = max((number for at, number in acked if at + grace_ms < call.began_at), default=0)
        if call.payload not in asked[oldest:]:
            yield f"edit: {order.path} was changed to {asked[oldest]}, and then called as {call}"
