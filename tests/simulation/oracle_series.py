"""Checks a recurring job: every instant is accounted for, no other is, and a deletion ends it."""

from collections.abc import Iterator

from tests.simulation.bounds import CATCH_UP_MS, CLAIM_TO_CALL_MS, WAIT_MS, lag_ms
from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.oracle_no_retry import accounted_until
from tests.simulation.verdicts import Fault, Verdict


def check_series(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """One acknowledged recurring job."""
    assert order.rhythm is not None
    due = list(order.rhythm.instants(order.created_at or 0, evidence.ended_at + order.rhythm.ahead_ms))
    yield from _instants(set(due), records, calls)
    yield from _accounted(evidence, order, due, records)
    yield from check_deleted(evidence, order, calls)
    if evidence.weather.is_mild:
        yield from _punctual(evidence, order, calls)


def _instants(due: set[int], records: list[Record], calls: list[Arrival]) -> Iterator[Fault]:
    seen: set[int] = set()
    for record in records:
        if record.nominal_at not in due:
            yield _fault(Verdict.INSTANTS, f"{record.nominal_at} is none of its instants", record)
        if record.nominal_at in seen:
            yield _fault(Verdict.DOUBLED, "one instant has two records", record)
        seen.add(record.nominal_at)
    for call in calls:
        if call.scheduled_at not in due and call.attempt == 1:
            yield _fault(Verdict.INSTANTS, f"called for {call.scheduled_at}, none of its instants", call)


def _accounted(evidence: Evidence, order: Order, due: list[int], records: list[Record]) -> Iterator[Fault]:
    """Each instant between creation and deletion has a record or lies in a recorded gap."""
    seen = {record.nominal_at for record in records}
    gaps = [record.missed for record in records if record.missed is not None]
    end = (order.cancel_asked_at or evidence.ended_at) - evidence.weather.clock_error_ms
    end = min(end, accounted_until([call for call in evidence.calls if call.job_id == order.job_id], end))
    for instant in due:
        covered = instant in seen or any(first <= instant <= last for first, last in gaps)
        if instant < end and not covered:
            yield Fault(verdict=Verdict.LOST, text=f"no record for {instant}", job_id=order.job_id)
            return


def check_deleted(evidence: Evidence, order: Order, calls: list[Arrival]) -> Iterator[Fault]:
    """Nothing begins any more once a deletion was acknowledged."""
    if order.cancel_acked_at is None:
        return
    grace_ms = CLAIM_TO_CALL_MS + WAIT_MS + 2 * evidence.weather.clock_error_ms
    for call in calls:
        if call.began_at > order.cancel_acked_at + grace_ms:
            yield _fault(Verdict.CANCEL, "a deleted job was called", call)
            return


def _punctual(evidence: Evidence, order: Order, calls: list[Arrival]) -> Iterator[Fault]:
    """Until the acknowledgement the job was promised to nobody; then it may have to catch up."""
    from_at = (order.acked_at or 0) + CATCH_UP_MS
    for call in calls:
        late_ms = call.began_at - call.scheduled_at
        if call.attempt == 1 and call.scheduled_at >= from_at and late_ms > lag_ms(evidence.weather):
            yield _fault(Verdict.LATE, f"an occurrence, {late_ms} ms", call)
            return


def _fault(verdict: Verdict, text: str, about: Record | Arrival) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=about.job_id, execution_id=about.execution_id)
