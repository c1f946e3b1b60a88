"""Checks the calls of one job by themselves: early, doubled, overlapping, too many, to the wrong tenant."""

from collections import defaultdict
from collections.abc import Iterator, Set
from itertools import pairwise

from tests.simulation.bounds import CLAIM_TO_CALL_MS, WAIT_MS
from tests.simulation.evidence import Arrival, Evidence, Order
from tests.simulation.verdicts import Fault, Verdict


def check_calls(
    evidence: Evidence, order: Order | None, calls: list[Arrival], beside: Set[str] = frozenset()
) -> Iterator[Fault]:
    """Every call of one job; `order` is None where no client ordered a call of its URL.

    `beside` are executions for an instant that has another one.
    """
    by_execution: dict[str, list[Arrival]] = defaultdict(list)
    by_instant: dict[int, set[str]] = defaultdict(set)
    apart = beside | _triggered(order)
    for call in calls:
        by_execution[call.execution_id].append(call)
        if call.execution_id not in apart:
            by_instant[call.scheduled_at].add(call.execution_id)
        if order is not None and call.url != order.url:
            yield _fault(Verdict.LEAK, f"{order.url} was ordered and {call.url} was called", call)
        if order is not None and call.signer != order.signer:
            yield _fault(Verdict.LEAK, f"signed by {call.signer}, not {order.signer}", call)
        if call.due_clock_at < call.scheduled_at:
            yield _fault(Verdict.EARLY, "a call began before its time", call)
        if len(by_instant[call.scheduled_at]) > 1 and not _may_be_two_triggers(order, call):
            yield _fault(Verdict.DOUBLED, "one instant has two executions", call)
    preempted = _preempted(evidence, calls)
    for attempts in by_execution.values():
        yield from _one_execution(evidence, order, attempts, preempted)


def _preempted(evidence: Evidence, calls: list[Arrival]) -> set[str]:
    """Executions that a worker with a fast clock may have claimed under a live lease, and refunded without a call."""
    if not calls or not evidence.weather.wrong_clocks:
        return set()
    records = evidence.history.get(calls[0].job_id, ())
    return {record.execution_id for record in records if record.refunded}


def _one_execution(
    evidence: Evidence, order: Order | None, calls: list[Arrival], preempted: set[str]
) -> Iterator[Fault]:
    numbers = [call.attempt for call in calls]
    if len(set(numbers)) != len(numbers):
        yield _fault(Verdict.DOUBLED, f"attempts {numbers}", calls[0])
    if order is not None and (max(numbers) > order.max_attempts or min(numbers) < 1):
        yield _fault(Verdict.ATTEMPTS, f"{numbers} of {order.max_attempts}", calls[0])
    for earlier, later in pairwise(sorted(calls, key=lambda call: call.attempt)):
        if later.execution_id not in preempted and _share_a_lease(evidence, order, earlier, later):
            yield _fault(Verdict.OVERLAP, "two calls of one execution within one lease", later)
        if earlier.status == 200 and evidence.weather.is_calm:
            yield _fault(Verdict.DOUBLED, "called again after a success", later)


def _share_a_lease(evidence: Evidence, order: Order | None, earlier: Arrival, later: Arrival) -> bool:
    lease_ms = (order.timeout_seconds if order else 0) * 1000 + CLAIM_TO_CALL_MS
    errors_ms = sum(max(call.clock_error_ms, evidence.weather.skew_ms) for call in (earlier, later))
    slack_ms = WAIT_MS + CLAIM_TO_CALL_MS + errors_ms
    overlap = earlier.ended_at is None or later.began_at < earlier.ended_at
    return overlap and later.began_at < earlier.began_at + lease_ms - slack_ms


def _triggered(order: Order | None) -> set[str]:
    """What triggers were answered with. The instant of a trigger may be one of the schedule."""
    triggers = order.habits.asked("trigger") if order is not None and order.habits is not None else []
    return {answer for trigger in triggers for answer in trigger.answers}


def _may_be_two_triggers(order: Order | None, call: Arrival) -> bool:
    """Two clients without an answer may trigger a job in the same millisecond, and no instant is within a second."""
    is_triggered = order is not None and order.habits is not None and bool(order.habits.asked("trigger"))
    return is_triggered and call.scheduled_at % 1000 != 0


def _fault(verdict: Verdict, text: str, call: Arrival) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=call.job_id, execution_id=call.execution_id)
