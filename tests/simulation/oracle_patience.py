"""Checks how patiently failed attempts were tried again, and from when on no more."""

from collections.abc import Iterator, Set
from itertools import pairwise

from tests.simulation.bounds import BACKOFF_FACTOR, UNSEEN_LEAD_MS
from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.verdicts import Fault, Verdict

TABLE_LEAST = 0.9
"""A wait is no shorter than this part of its entry."""
TABLE_CAP_SECONDS = 86_400
"""A receiver may ask for so much time at most of a job with a table, and of any other for as much as its cap."""
CLOCKS_MS = 50
"""Between the end of an attempt as its receiver has it, and as its worker has."""


def longest_wait_seconds(order: Order, attempt: int) -> int:
    """How long the wait after an attempt may be."""
    if order.delays_seconds:
        return order.delays_seconds[attempt - 1]
    return min(order.cap_seconds, order.base_seconds * BACKOFF_FACTOR ** (attempt - 1))


def honoured_seconds(order: Order, call: Arrival) -> int:
    """How much of the time that its receiver asked for has to be waited."""
    return min(call.asked_seconds or 0, TABLE_CAP_SECONDS if order.delays_seconds else order.cap_seconds)


def longest_wait_after(order: Order, call: Arrival) -> int:
    """How long the wait after a call may be, in seconds."""
    return max(longest_wait_seconds(order, call.attempt), honoured_seconds(order, call))


def check_patience(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival], beside: Set[str]
) -> Iterator[Fault]:
    """Every record of one job with its calls; `beside` are redrives, which are due at instants of their own."""
    for record in records:
        own = [call for call in calls if call.execution_id == record.execution_id]
        yield from _waited(evidence, order, record, own)
        if order.give_up_seconds is None:
            if record.reason == "too_old":
                yield _fault("given up, which nobody asked for", record)
        elif record.execution_id not in beside:
            yield from _gave_up(order, record, own)


def _waited(evidence: Evidence, order: Order, record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    recorded = {outcome.attempt for outcome in record.outcomes}
    for earlier, later in pairwise(sorted(calls, key=lambda call: call.attempt)):
        if (
            earlier.attempt not in recorded
            or earlier.ended_at is None
            or later.attempt != earlier.attempt + 1
        ):
            continue
        waited_ms = later.began_at - earlier.ended_at + CLOCKS_MS + 2 * evidence.weather.clock_error_ms
        if waited_ms < TABLE_LEAST * 1000 * _table_seconds(order, earlier.attempt):
            yield _fault(f"attempt {later.attempt} did not wait as its table says", record)
        if waited_ms < 1000 * honoured_seconds(order, earlier):
            yield _fault(f"attempt {later.attempt} did not wait as its receiver asked", record)


def _table_seconds(order: Order, attempt: int) -> int:
    return order.delays_seconds[attempt - 1] if order.delays_seconds else 0


def _gave_up(order: Order, record: Record, calls: list[Arrival]) -> Iterator[Fault]:
    due_at = order.due_at if order.rhythm is None else record.nominal_at
    latest_at = (due_at or 0) + (order.give_up_seconds or 0) * 1000
    for call in calls:
        if call.caller_began_at - _wrong_ms(call) > latest_at:
            yield _fault(f"attempt {call.attempt} began when it was too old", record)
    if record.reason != "too_old" or not calls:
        return
    last = max(calls, key=lambda call: call.attempt)
    is_last_of_all = last.attempt == record.attempt == record.outcomes[-1].attempt
    if is_last_of_all and last.ended_at is not None and last.attempt < order.max_attempts:
        latest_retry_at = last.ended_at + longest_wait_after(order, last) * 1000
        if latest_retry_at + CLOCKS_MS < latest_at - _skew_ms(last):
            yield _fault("given up though another attempt would have begun in time", record)


def _wrong_ms(call: Arrival) -> int:
    """What a wrong clock adds to the age at which a call is given up: the caller may judge by the queue's clock."""
    return call.clock_error_ms if call.clock_error_ms > UNSEEN_LEAD_MS else 0


def _skew_ms(call: Arrival) -> int:
    return abs(call.caller_began_at - call.began_at)


def _fault(text: str, record: Record) -> Fault:
    return Fault(verdict=Verdict.PATIENCE, text=text, job_id=record.job_id, execution_id=record.execution_id)
