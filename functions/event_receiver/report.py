"""What the receiver reports of a batch of events."""

from collections import Counter

from shared.names import Metric
from shared.observability import count
from shared.usecases.triggers.route_event import Routed

REFUSED, LATER = "refused", "later"
"""What becomes of an event that is not received: no repetition helps, or SQS delivers it again."""


def emit(results: Counter[str]) -> None:
    count(Metric.EVENTS_RECEIVED, results[Routed.RECEIVED])
    count(Metric.EVENTS_UNMAPPED, results[Routed.UNMAPPED] + results[Routed.NO_TENANT])
    count(Metric.EVENTS_REFUSED, results[REFUSED])
    count(Metric.EVENTS_DELAYED, results[LATER])
