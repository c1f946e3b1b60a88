"""Checks the stages of each record against its calls: they begin with the due time, and add up to the lag."""

from collections.abc import Iterator

from tests.simulation.evidence import Arrival, Evidence, Order, Record, StageTimes
from tests.simulation.verdicts import Fault, Verdict

ERROR = 0.032
"""How far off a stored duration may be."""
SEND_MS = 1_000
"""From the due time or the creation, whichever is later, to the message, where nothing of ours fails."""
SWEPT_AFTER_MS = 10_000
"""No sweep sends a message earlier than this after the minute of the due time."""
MINUTE_MS = 60_000
UNEXPLAINED_MS = 2_000
"""A shorter wait needs no cause: messages of one batch wait for each other."""


def check_stages(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """Every ended record of one job whose attempts were called."""
    for record in records:
        own = {call.attempt: call for call in calls if call.execution_id == record.execution_id}
        if not record.has_ended or order.async_accepted:
            continue
        for outcome in record.outcomes:
            call = own.get(outcome.attempt)
            if call is not None and outcome.started_at not in (None, call.caller_began_at):
                text = f"attempt {outcome.attempt} began at {call.caller_began_at}, not {outcome.started_at}"
                yield _fault(text, record)
        if record.first is not None and 1 in own and not record.refunded:
            yield from _first(evidence, order, record, record.first, own[1])
        has_outcome = any(outcome.attempt == record.attempt for outcome in record.outcomes)
        if record.latest is not None and has_outcome and record.attempt in own:
            yield from _latest(evidence, record, record.latest, own[record.attempt])


def _latest(evidence: Evidence, record: Record, latest: StageTimes, call: Arrival) -> Iterator[Fault]:
    """A retry that was planned after the latest call, and cancelled, has left its due time in its place."""
    late_ms = None if record.next_attempt_at is None else call.caller_began_at - record.next_attempt_at
    if late_ms is None or late_ms < 0:
        return
    if sum(latest.before_call_ms) > late_ms + tolerance_ms(latest) + 2 * evidence.weather.clock_error_ms:
        yield _fault(f"stages {latest.before_call_ms} of a lag of {late_ms} ms", record)


def _first(
    evidence: Evidence, order: Order, record: Record, first: StageTimes, call: Arrival
) -> Iterator[Fault]:
    known_ms, error_ms = sum(first.before_call_ms), tolerance_ms(first)
    late_ms = max(0, call.caller_began_at - max(record.due_at, record.created_at))
    # Three clocks take part: those of the creator, the queue and the caller.
    if known_ms > late_ms + error_ms + 2 * evidence.weather.clock_error_ms:
        yield _fault(f"stages {first.before_call_ms} of a lag of {late_ms} ms", record)
    swept_at = (record.due_at // MINUTE_MS + 1) * MINUTE_MS + SWEPT_AFTER_MS
    if not evidence.weather.is_calm or record.created_at > record.due_at or call.began_at >= swept_at:
        return
    is_short = known_ms < late_ms - SEND_MS - error_ms
    is_sent_again = _is_changed(order, record.due_at, call.began_at) or _is_redriven_again(
        evidence, record, call.began_at
    )
    if is_short and not is_sent_again:
        yield _fault(f"stages {first.before_call_ms} do not add up to {late_ms} ms", record)
    if first.wait_ms > UNEXPLAINED_MS and first.cause is None:
        yield _fault(f"a wait of {first.wait_ms} ms without a cause", record)


def _is_redriven_again(evidence: Evidence, record: Record, began_at: int) -> bool:
    """Whether a request for a redrive that exists sent its message once more before the call."""
    return any(
        press.answers.get(record.execution_id, began_at) < began_at
        and (press.tries > 1 or press.answers[record.execution_id] > record.created_at + SEND_MS)
        for press in evidence.presses
    )


def _is_changed(order: Order, due_at: int, began_at: int) -> bool:
    """Whether a change sent a message between the due time and the call: it does not know how long another waited."""
    changes = order.habits.asked("resume", "update", "edit") if order.habits else []
    return any(
        (change.asked_at or 0) <= began_at and (change.acked_at is None or due_at <= change.acked_at)
        for change in changes
    )


def tolerance_ms(stages: StageTimes) -> int:
    """How far the sum of the stored durations may be off."""
    return round(sum(ERROR * (1 + duration) + 1 for duration in stages.before_call_ms)) + 1


def _fault(text: str, record: Record) -> Fault:
    return Fault(verdict=Verdict.HISTORY, text=text, job_id=record.job_id, execution_id=record.execution_id)
