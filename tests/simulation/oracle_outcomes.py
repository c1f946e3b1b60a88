"""Checks the end of each record against its own outcomes, and its outcomes against the answers of receivers."""

from collections.abc import Iterator

from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.verdicts import Fault, Verdict

ANSWERED = {"ok", "http_status", "target_access_denied", "target_failed", "target_throttled"}
"""Reasons of outcomes that a receiver decided by the status of its answer."""


def check_outcomes(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """Every record of one job with its calls."""
    for record in records:
        own = [call for call in calls if call.execution_id == record.execution_id]
        yield from _end(order, record)
        if (
            not order.async_accepted
        ):  # The outcome of such an attempt comes from a report, not from the answer.
            yield from _answers(record, own)
            yield from _heard(evidence, record, own)
        for call in own:
            if call.attempt > record.attempt:
                text = f"attempt {call.attempt} was called, and {record.attempt} are recorded"
                yield _fault(Verdict.ATTEMPTS, text, record)


def _end(order: Order, record: Record) -> Iterator[Fault]:
    """What the outcomes of a record say of its state and its reason."""
    successes = [outcome.attempt for outcome in record.outcomes if outcome.reason == "ok"]
    last = max((outcome.attempt for outcome in record.outcomes), default=0)
    if len(successes) > 1:
        yield _fault(Verdict.HISTORY, f"attempts {successes} succeeded", record)
    if successes and record.state != "succeeded":
        yield _fault(Verdict.HISTORY, f"{record.state} though attempt {successes[0]} succeeded", record)
    if record.state == "succeeded" and last not in successes:
        yield _fault(Verdict.HISTORY, "succeeded by an attempt that did not", record)
    if record.reason == "attempts_used_up" and not last == record.attempt == order.max_attempts:
        text = f"attempts used up after {record.attempt} of {order.max_attempts}, the last outcome is {last}"
        yield _fault(Verdict.HISTORY, text, record)
    if record.reason == "worker_lost" and last == record.attempt:
        yield _fault(Verdict.HISTORY, "the worker is lost that recorded its outcome", record)


def _answers(record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    """A worker records the answer that it was given, whatever becomes of other workers."""
    for outcome in record.outcomes:
        answers = [call.status for call in calls if call.attempt == outcome.attempt and call.ended_at]
        if (answers or outcome.reason in ANSWERED) and outcome.status not in answers:
            text = f"attempt {outcome.attempt} is recorded with {outcome.status}, its answers are {answers}"
            yield _fault(Verdict.HISTORY, text, record)


def _heard(evidence: Evidence, record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    """A worker that lives, and whose writes succeed, records the success that it was given."""
    if evidence.weather.may_lose_outcomes:
        return
    heard = [call.attempt for call in calls if call.status == 200]
    if heard and record.state != "succeeded":
        yield _fault(Verdict.HISTORY, f"{record.state} though attempt {heard[0]} was answered 200", record)


def _fault(verdict: Verdict, text: str, record: Record) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=record.job_id, execution_id=record.execution_id)
