"""Checks the records of one acknowledged job: each ended, and tells what the receiver saw."""

from collections.abc import Iterator
from itertools import pairwise

from tests.simulation.bounds import MILD_LAG_MS, lag_ms
from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.oracle_patience import longest_wait_after, longest_wait_seconds
from tests.simulation.verdicts import Fault, Verdict

NEVER_CALLED = {"stopped", "too_old"}
"""Reasons of attempts that ended before any call was made."""
REFUNDED = {"unavailable", "lease_too_short"}
"""Reasons for which an attempt is refunded, where the execution is young enough for another and not stopped."""


def check_records(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """Every record of one job, and every call that has none."""
    is_checked_by_instants = order.habits is not None and order.rhythm is not None
    if not records and not is_checked_by_instants:
        yield Fault(verdict=Verdict.LOST, text="acknowledged, and has no record", job_id=order.job_id)
    recorded = {record.execution_id for record in records}
    for execution_id in dict.fromkeys(call.execution_id for call in calls):
        if execution_id not in recorded:
            yield Fault(
                verdict=Verdict.HISTORY,
                text="called, and has no record",
                job_id=order.job_id,
                execution_id=execution_id,
            )
    for record in records:
        own = [call for call in calls if call.execution_id == record.execution_id]
        yield from _one_record(evidence, order, record, own)


def _one_record(evidence: Evidence, order: Order, record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    if not record.has_ended:
        yield _fault(Verdict.LOST, f"never ended, it is {record.state}", record)
    if record.attempt > order.max_attempts:
        yield _fault(Verdict.ATTEMPTS, f"{record.attempt} of {order.max_attempts} are recorded", record)
    yield from _history(evidence, order, record, calls)
    yield from _booked(record)
    # Without the response of a claim, its worker has to read the item, and a streak throttles every read.
    is_untold = bool(evidence.weather.throttle_streak) and record.execution_id in evidence.unanswered_claims
    if not (evidence.weather.may_lose_claims or is_untold):
        yield from _uncalled(record, calls)
    if evidence.weather.is_mild and not order.async_accepted:
        yield from _retries(evidence, order, record, calls)


def _booked(record: Record) -> Iterator[Fault]:
    """What Punctual lacks for a call costs no attempt. Only the last try of an execution that is given up is shown."""
    if record.reason in ("too_old", "stopped"):
        return
    for outcome in record.outcomes:
        if outcome.reason in REFUNDED:
            yield _fault(Verdict.ATTEMPTS, f"attempt {outcome.attempt} counts for {outcome.reason}", record)


def _uncalled(record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    """Only the death of a worker costs an attempt that the receiver never saw."""
    excused = {outcome.attempt for outcome in record.outcomes if outcome.reason in NEVER_CALLED}
    if record.reason in ("too_old", "stopped"):
        excused |= {outcome.attempt for outcome in record.outcomes if outcome.reason in REFUNDED}
    called = {call.attempt for call in calls}
    for number in range(1, record.attempt + 1):
        if number not in called | excused:
            yield _fault(Verdict.ATTEMPTS, f"attempt {number} counts, and was never made", record)


def _history(evidence: Evidence, order: Order, record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    succeeds = (200, 202) if order.async_accepted else (200,)
    answered = [call for call in calls if call.ended_at is not None and call.status in succeeds]
    numbers = [outcome.attempt for outcome in record.outcomes]
    if record.state == "succeeded" and not answered and not _is_reported(evidence, record):
        yield _fault(Verdict.HISTORY, "a success that the receiver did not see", record)
    if record.state == "failed" and record.attempt == 0:
        yield _fault(Verdict.HISTORY, "failed without an attempt", record)
    if len(set(numbers)) < len(numbers) or any(not 1 <= number <= record.attempt for number in numbers):
        yield _fault(Verdict.HISTORY, f"outcomes {numbers} of {record.attempt} attempts", record)
    if record.state == "succeeded" and max(numbers, default=0) != record.attempt:
        yield _fault(Verdict.HISTORY, "the final attempt left no outcome", record)
    if record.state in ("cancelled", "skipped") and record.attempt == 0 and calls:
        yield _fault(Verdict.HISTORY, f"{record.state}, and was called", record)
    made = [outcome for outcome in record.outcomes if outcome.reason not in NEVER_CALLED]
    is_silent = order.async_accepted  # Of an attempt whose receiver dies there is nothing but its number.
    if (
        evidence.weather.is_calm
        and not is_silent
        and not (len(numbers) == record.attempt and len(made) == len(calls))
    ):
        yield _fault(Verdict.HISTORY, "incomplete though nothing failed", record)


def _is_reported(evidence: Evidence, record: Record) -> bool:
    """Whether its receiver said that it was done; the caller may have died before the call had ended."""
    return any(
        report.execution_id == record.execution_id
        and report.verb == "complete"
        and report.acked_at is not None
        for report in evidence.reports
    )


def _retries(evidence: Evidence, order: Order, record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    """Where no message is lost, the next attempt comes after its backoff, and not with a sweep."""
    for earlier, later in pairwise(sorted(calls, key=lambda call: call.attempt)):
        backoff_seconds = longest_wait_after(order, earlier) + sum(
            # an attempt that was claimed, and ended without a call, has its own
            longest_wait_seconds(order, attempt)
            for attempt in range(earlier.attempt + 1, later.attempt)
        )
        pause_ms = later.began_at - (earlier.ended_at or earlier.began_at)
        if pause_ms > backoff_seconds * 1000 + max(MILD_LAG_MS, lag_ms(evidence.weather)):
            yield _fault(Verdict.LATE, f"attempt {later.attempt}", record)


def _fault(verdict: Verdict, text: str, record: Record) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=record.job_id, execution_id=record.execution_id)
