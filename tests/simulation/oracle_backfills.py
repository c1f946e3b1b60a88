"""Checks backfills: each instant of the range has its run, once and in turn, and none when it was deleted.

The range is counted out by hand from the rhythm of its job, as are the moments at which its runs are due.
"""

from collections.abc import Iterator, Mapping

from tests.simulation.bounds import CATCH_UP_MS, CLAIM_TO_CALL_MS, WAIT_MS, lag_ms
from tests.simulation.evidence import Arrival, Evidence, Hold, Order, Record
from tests.simulation.oracle_series import check_deleted
from tests.simulation.verdicts import Fault, Verdict


def check_backfill(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """One acknowledged backfill."""
    criteria = _range(order)
    yield from _instants(order, criteria, records, calls)
    yield from _in_turn(evidence, order, criteria, records)
    yield from _contents(order, calls)
    yield from _held(evidence, order, calls)
    yield from check_deleted(evidence, order, calls)
    if not _holds(order):
        yield from _times(evidence, order, criteria, calls)


def check_origins(evidence: Evidence, known: Mapping[str, Order]) -> Iterator[Fault]:
    """Whose backfill a call says it is of; and that nothing is made up for any more once that job was deleted."""
    grace_ms = CLAIM_TO_CALL_MS + WAIT_MS + 2 * evidence.weather.clock_error_ms
    for call in evidence.calls:
        order, parent = known.get(call.job_id), known.get(call.backfill_of or "")
        if order is not None and (order.backfill.of.job_id if order.backfill else None) != call.backfill_of:
            yield _of_call(Verdict.BACKFILL, f"called as a backfill of {call.backfill_of}", call)
        deleted_at = parent.cancel_acked_at if parent is not None else None
        if deleted_at is not None and call.began_at > deleted_at + grace_ms:
            yield _of_call(Verdict.CANCEL, "a backfill of a deleted job was called", call)


def _range(order: Order) -> list[int]:
    """The instants that it makes up for; a rate has one in the second in which its job was made, too."""
    asked, rhythm = order.backfill, order.rhythm
    assert asked is not None
    assert rhythm is not None
    created_at = asked.of.created_at or 0
    before = asked.from_at - 1 if rhythm.every_seconds is None else created_at - rhythm.every_seconds * 1000
    return [instant for instant in rhythm.instants(before, asked.to_at - 1) if instant >= asked.from_at]


def _instants(
    order: Order, criteria: list[int], records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    seen: set[int] = set()
    for record in records:
        if record.nominal_at not in criteria:
            yield _fault(Verdict.INSTANTS, f"{record.nominal_at} is none of its range", order)
        if record.nominal_at in seen:
            yield _fault(Verdict.DOUBLED, f"{record.nominal_at} has two records", order)
        seen.add(record.nominal_at)
    for call in calls:
        if call.scheduled_at not in criteria:
            yield _of_call(Verdict.INSTANTS, f"called for {call.scheduled_at}, none of its range", call)


def _in_turn(evidence: Evidence, order: Order, criteria: list[int], records: list[Record]) -> Iterator[Fault]:
    """No instant is left out behind which there is a record, and none that was due before anybody ended it."""
    told = {record.nominal_at for record in records}
    gaps = [record.missed for record in records if record.missed is not None]
    last_at = max(told, default=0)
    until = min(_ends(evidence, order)) - evidence.weather.clock_error_ms
    for number, instant in enumerate(criteria):
        is_told = instant in told or any(first <= instant <= last for first, last in gaps)
        is_due = not _holds(order) and _due_at(order, number) < until
        if not is_told and (instant < last_at or is_due):
            yield _fault(Verdict.LOST, f"nothing tells of {instant}", order)
            return
    unrun = [record.nominal_at for record in records if not record.has_begun]
    if any(record.attempt and record.nominal_at > min(unrun, default=last_at) for record in records):
        yield _fault(Verdict.SKIPPED, f"{min(unrun)} was left out, and later ones were not", order)


def _contents(order: Order, calls: list[Arrival]) -> Iterator[Fault]:
    """One description for all of its runs, and none that was out of date when it was asked for."""
    assert order.backfill is not None
    habits = order.backfill.of.habits
    if len({call.body for call in calls}) > 1:
        yield _of_call(Verdict.BACKFILL, "called with two descriptions", calls[0])
    if habits is None:
        return
    for call in calls:
        revision = habits.revision_of(int(call.body))
        for update in habits.acked("update"):
            is_older = revision is not None and revision < update.revision
            if is_older and (update.acked_at or 0) < order.asked_at:
                yield _of_call(Verdict.BACKFILL, f"version {call.body} was out of date", call)


def _held(evidence: Evidence, order: Order, calls: list[Arrival]) -> Iterator[Fault]:
    """No run begins between the answer to a pause and the next request to go on."""
    holds = _holds(order)
    grace_ms = CLAIM_TO_CALL_MS + WAIT_MS + 2 * evidence.weather.clock_error_ms
    for pause in holds:
        if pause.verb != "pause" or pause.acked_at is None or pause.state != "paused":
            continue
        later = [hold.asked_at or 0 for hold in holds if hold.verb == "resume" and _may_follow(hold, pause)]
        for call in calls:
            is_held = pause.acked_at + grace_ms < call.began_at < min(later, default=evidence.ended_at)
            if is_held and call.attempt == 1 and not evidence.weather.freeze:
                yield _of_call(Verdict.PAUSE, f"called after the pause of {pause.acked_at}", call)


def _times(evidence: Evidence, order: Order, criteria: list[int], calls: list[Arrival]) -> Iterator[Fault]:
    """At the pace that was asked for, from the moment of the request on."""
    for call in calls:
        if call.scheduled_at not in criteria:
            continue
        due_at = _due_at(order, criteria.index(call.scheduled_at))
        if call.due_clock_at < due_at:
            yield _of_call(Verdict.EARLY, f"{due_at - call.due_clock_at} ms before its turn", call)
        is_known = due_at >= (order.acked_at or 0) + CATCH_UP_MS
        late_ms = call.began_at - due_at
        if evidence.weather.is_mild and is_known and call.attempt == 1 and late_ms > lag_ms(evidence.weather):
            yield _of_call(Verdict.LATE, f"a run of a backfill, {late_ms} ms", call)


def _due_at(order: Order, number: int) -> int:
    assert order.backfill is not None
    return (order.created_at or 0) + number * order.backfill.every_seconds * 1000


def _ends(evidence: Evidence, order: Order) -> Iterator[int]:
    """When somebody may first have ended it."""
    assert order.backfill is not None
    yield evidence.ended_at
    for deletion in (order, order.backfill.of):
        if deletion.cancel_asked_at is not None:
            yield deletion.cancel_asked_at


def _holds(order: Order) -> list[Hold]:
    assert order.backfill is not None
    return [hold for hold in order.backfill.holds if hold.asked_at is not None]


def _may_follow(resume: Hold, pause: Hold) -> bool:
    """Whether a resumption may have had its effect after a pause."""
    return resume.acked_at is None or resume.acked_at > (pause.asked_at or 0)


def _fault(verdict: Verdict, text: str, order: Order) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=order.job_id)


def _of_call(verdict: Verdict, text: str, call: Arrival) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=call.job_id, execution_id=call.execution_id)
