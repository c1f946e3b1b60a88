"""What the receiver reports of a batch of events."""

from collections import Counter
from collections.abc import Sequence

from shared.domain.triggers.queued_event import Cause
from shared.names import Metric
from shared.observability import count, logger
from shared.usecases.triggers.receive_queued_events import Settled, SettledEvent
from shared.usecases.triggers.route_event import Routed

_METRICS = {
    Routed.RECEIVED: Metric.EVENTS_RECEIVED,
    Routed.UNMAPPED: Metric.EVENTS_UNMAPPED,
    Routed.NO_TENANT: Metric.EVENTS_NO_TENANT,
    Settled.REFUSED: Metric.EVENTS_REFUSED,
    Settled.LATER: Metric.EVENTS_DELAYED,
    Settled.GIVEN_UP: Metric.EVENTS_GIVEN_UP,
}


def emit(settled: Sequence[SettledEvent]) -> None:
    """Counts of the batch, and a line for each event that is not received. Events that are dropped for one reason share
    a line for each source: their sender decides how many there are."""
    for result, number in Counter(each.result for each in settled).items():
        count(_METRICS[result], number)
    failing = (Cause.UNAVAILABLE, Cause.FAILED)
    count(
        Metric.EVENTS_FAILED,
        sum(each.result is Settled.LATER and each.cause in failing for each in settled),
    )
    for (dropped, account, source), number in Counter(map(_dropped, settled)).items():
        if dropped is not None:
            logger.warning(
                "events dropped",
                extra={"reason": dropped, "account": account, "source": source, "events": number},
            )
    for each in settled:
        _log(each)


def _dropped(each: SettledEvent) -> tuple[Routed | None, str | None, str | None]:
    if each.bus_event is None or each.result not in (Routed.UNMAPPED, Routed.NO_TENANT):
        return None, None, None
    return Routed(each.result), each.bus_event.account, each.bus_event.source


def _log(each: SettledEvent) -> None:
    message, returned = each.event.id, each.is_returned or None
    account = None if each.bus_event is None else each.bus_event.account
    source = None if each.bus_event is None else each.bus_event.source
    reason = each.dead.reason if each.dead is not None else type(each.error).__name__
    if each.result is Settled.REFUSED:
        logger.error(
            "event refused",
            extra={
                "sqs_message": message,
                "account": account,
                "source": source,
                "reason": reason,
                "returned": returned,
            },
        )
    elif each.dead is not None:
        logger.error(
            "event given up",
            extra={
                "sqs_message": message,
                "account": account,
                "source": source,
                "reason": reason,
                "first_received_at": each.dead.first_at,
                "returned": returned,
            },
        )
    elif each.cause is Cause.FAILED:
        logger.error(
            "event failed",
            exc_info=each.error,
            extra={"sqs_message": message, "account": account, "source": source, "returned": returned},
        )
    elif each.result is Settled.LATER:
        logger.warning(
            "event delivered again",
            extra={
                "sqs_message": message,
                "account": account,
                "source": source,
                "reason": reason if each.error else each.cause,
                "returned": returned,
            },
        )
