"""Checks that a receiver which asked for no more calls gets none: of one execution, or of a job that recurs."""

from collections.abc import Iterator, Set

from tests.simulation.bounds import lag_ms
from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.verdicts import Fault, Verdict

GONE = 410


def asked_for_no_more(call: Arrival) -> bool:
    """Whether its receiver answered that another call would not help."""
    return call.gave_up or call.status == GONE


def accounted_until(calls: list[Arrival], until: int) -> int:
    """Up to which instant a job that recurs owes records: a receiver that is gone pauses it, and nobody resumes it."""
    return min((call.scheduled_at for call in calls if call.status == GONE), default=until)


def check_no_retry(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival], beside: Set[str]
) -> Iterator[Fault]:
    """Every record of one job with its calls; `beside` are redrives."""
    for record in records:
        own = [call for call in calls if call.execution_id == record.execution_id]
        yield from _one_record(order, record, own)
    if order.rhythm is not None and evidence.weather.is_mild:
        yield from _gone(evidence, records, calls, beside)


def _one_record(order: Order, record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    """Where the worker lived to record the answer; one that died with it may be followed by another attempt."""
    recorded = {outcome.attempt for outcome in record.outcomes}
    final = [call for call in calls if asked_for_no_more(call) and call.attempt in recorded]
    for call in final:
        if any(later.attempt > call.attempt for later in calls):
            yield _fault(
                f"called again though attempt {call.attempt} was answered that no retry helps", record
            )
        if (record.state, record.reason) != ("failed", "not_retryable"):
            yield _fault(f"no retry helps, and it is {record.state}, {record.reason}", record)
    if record.reason == "not_retryable" and not final and not order.async_accepted:
        yield _fault("not retried, which its receiver did not ask for", record)


def _gone(
    evidence: Evidence, records: list[Record], calls: list[Arrival], beside: Set[str]
) -> Iterator[Fault]:
    """Where no worker dies, the job is paused at once: what began later would have to be another's."""
    recorded = {(one.execution_id, outcome.attempt) for one in records for outcome in one.outcomes}
    ends = [
        call.ended_at
        for call in calls
        if call.status == GONE and call.ended_at is not None and (call.execution_id, call.attempt) in recorded
    ]
    if not ends:
        return
    until = min(ends) + lag_ms(evidence.weather)
    for call in calls:
        if call.attempt == 1 and call.execution_id not in beside and call.began_at > until:
            text = "a run began though the receiver of its job is gone"
            yield Fault(
                verdict=Verdict.PATIENCE, text=text, job_id=call.job_id, execution_id=call.execution_id
            )
            return


def _fault(text: str, record: Record) -> Fault:
    return Fault(verdict=Verdict.PATIENCE, text=text, job_id=record.job_id, execution_id=record.execution_id)
