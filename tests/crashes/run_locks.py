"""What a job whose runs must not overlap was promised."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.long_runs import RECORDED
from tests.crashes.orders import Order
from tests.crashes.reports import Report


def turn_faults(
    order: Order, records: list[dict[str, Any]], calls: list[Arrival], reports: list[Report]
) -> Iterator[str]:
    """Runs of the schedule's own; those beside it have no turns."""
    skipped = [record for record in records if record["end_reason"] == "overlap"]
    if order.overlap_policy is None:
        yield from (f"lost: {order.path} may overlap, and skipped {record['id']}" for record in skipped)
        return
    begun = [instant_ms(record["scheduled_at"]) for record in records if record["attempts_begun"]]
    for record in skipped:
        if not any(instant < instant_ms(record["scheduled_at"]) for instant in begun):
            yield f"lost: {order.path} skipped {record['id']}, before which none had begun"
    spans = sorted(_span(record, calls, reports) for record in records if record["id"] in _called(calls))
    for (_, until, earlier), (since, _, later) in pairwise(spans):
        if since < until:
            yield f"overlap: {order.path} was called for {later} at {since}, for {earlier} until {until}"


def _called(calls: list[Arrival]) -> set[str]:
    return {call.execution_id for call in calls}


def _span(record: dict[str, Any], calls: list[Arrival], reports: list[Report]) -> tuple[int, int, str]:
    """From its first call at least until its last, or until its outcome was reported."""
    began = [call.began_at for call in calls if call.execution_id == record["id"]]
    recorded = {attempt["number"]: attempt["reason"] for attempt in record["attempts"]}
    told = [
        report.asked_at
        for report in reports
        if report.execution_id == record["id"]
        and RECORDED.get(report.verb) == recorded.get(report.attempt, "")
    ]
    return min(began), max(began + told), record["id"]
