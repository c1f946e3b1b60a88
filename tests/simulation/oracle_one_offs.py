"""Checks a one-off job: called in time, or cancelled for good."""

from collections.abc import Iterator

from tests.simulation.bounds import lag_ms
from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.verdicts import Fault, Verdict


def check_one_off(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """One acknowledged one-off job."""
    yield from check_cancelled(order, records, calls)
    due_at = max(order.due_at or 0, order.acked_at or 0)
    is_checked = evidence.weather.is_mild and order.cancel_asked_at is None
    if order.give_up_seconds is not None and order.give_up_seconds * 1000 < lag_ms(evidence.weather):
        is_checked = is_checked and not (records and records[0].reason == "too_old")
    if is_checked and (not calls or calls[0].began_at - due_at > lag_ms(evidence.weather)):
        began = f"{calls[0].began_at - due_at} ms" if calls else "for ever"
        yield _fault(Verdict.LATE, began, order)


def check_cancelled(order: Order, records: list[Record], calls: list[Arrival]) -> Iterator[Fault]:
    """Cancelled if that was acknowledged, and by nobody else."""
    if len(records) > 1:
        yield _fault(Verdict.DOUBLED, f"{len(records)} records", order)
    state = records[0].state if records else "gone"
    if order.cancelled and order.cancel_acked_at is not None:
        if any(call.began_at > order.cancel_acked_at for call in calls):
            yield _fault(Verdict.CANCEL, "called after the acknowledgement", order)
        if state != "cancelled":
            yield _fault(Verdict.CANCEL, f"acknowledged, and it is {state}", order)
    elif order.cancel_asked_at is None and state == "cancelled":
        yield _fault(Verdict.LOST, "cancelled by nobody", order)


def _fault(verdict: Verdict, text: str, order: Order) -> Fault:
    execution_id = (order.job_id or "").replace("job_", "exe_", 1)
    return Fault(verdict=verdict, text=text, job_id=order.job_id, execution_id=execution_id)
