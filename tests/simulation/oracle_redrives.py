"""Checks redrives: one at a time for each dead letter, none after a success, and each as good as a job's own run."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from tests.simulation.bounds import CLAIM_TO_CALL_MS, WAIT_MS, lag_ms
from tests.simulation.evidence import Arrival, Evidence, Order, Press, Record
from tests.simulation.oracle_series import check_deleted
from tests.simulation.verdicts import Fault, Verdict


def beside_of(evidence: Evidence) -> set[str]:
    """The ids of all redrives that anybody was shown."""
    shown = [record for records in evidence.history.values() for record in records]
    return {record.execution_id for record in (*shown, *evidence.strays) if record.redrive_of is not None}


def check_redrives(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """The redrives of one acknowledged job."""
    by_id = {record.execution_id: record for record in records}
    redrives: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.redrive_of is not None:
            redrives[record.redrive_of[0]].append(record)
    for original_id, found in redrives.items():
        original = by_id.get(original_id)
        if original is None or original.state != "failed" or original.redrive_of is not None:
            yield _fault(f"redriven, and not a dead letter: {original}", found[0])
        else:
            yield from _lineage(evidence, original, found, calls)
    if order.rhythm is not None:
        made = [call for call in calls if by_id.get(call.execution_id, _NONE).redrive_of is not None]
        yield from check_deleted(evidence, order, made)
    for press in evidence.presses:
        if press.execution_id in by_id:
            yield from _answered(evidence, order, press, by_id, calls)


def _lineage(
    evidence: Evidence, original: Record, redrives: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    in_order = sorted(redrives, key=lambda record: record.redrive_of[1] if record.redrive_of else 0)
    numbers = [record.redrive_of[1] for record in in_order if record.redrive_of]
    if numbers != list(range(1, len(in_order) + 1)):
        yield _fault(f"redrives {numbers} of one dead letter", original)
    for earlier, later in pairwise(in_order):
        if earlier.state not in ("failed", "cancelled"):
            yield _fault(f"redriven though the one before has {earlier.state}", later)
        yield from _one_after_the_other(evidence, earlier, later, calls)
    bodies = {call.body for call in calls if call.execution_id == original.execution_id}
    for record in in_order:
        if record.nominal_at != original.nominal_at:
            yield _fault(f"for {record.nominal_at}, not {original.nominal_at}", record)
        own = {call.body for call in calls if call.execution_id == record.execution_id}
        if bodies and not own <= bodies:
            yield _fault(f"another request: {own}", record)


def _one_after_the_other(
    evidence: Evidence, earlier: Record, later: Record, calls: list[Arrival]
) -> Iterator[Fault]:
    ends = [call.ended_at or call.began_at for call in calls if call.execution_id == earlier.execution_id]
    begun = [call.began_at for call in calls if call.execution_id == later.execution_id]
    if evidence.weather.is_calm and ends and begun and min(begun) < max(ends):
        yield _fault("two redrives of one dead letter at once", later)


def _gave_up(order: Order, record: Record) -> bool:
    """It may have had to wait for a limit until it was too old, which a job without such an age never is."""
    return order.give_up_seconds is not None and record.reason == "too_old"


def _answered(
    evidence: Evidence, order: Order, press: Press, records: dict[str, Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """What was acknowledged stands there, began in time, or was taken back for good."""
    for answer, answered_at in press.answers.items():
        record = records.get(answer)
        if record is None or record.redrive_of is None:
            yield _fault(f"was answered with {answer}, which has no record", records[press.execution_id])
            continue
        begun = [call.began_at for call in calls if call.execution_id == answer]
        grace_ms = CLAIM_TO_CALL_MS + WAIT_MS + 2 * evidence.weather.clock_error_ms
        cancelled_at = press.cancelled.get(answer)
        if cancelled_at is not None and any(began > cancelled_at + grace_ms for began in begun):
            yield Fault(verdict=Verdict.CANCEL, text="a cancelled redrive was called", execution_id=answer)
        if cancelled_at is not None and record.state != "cancelled":
            yield Fault(verdict=Verdict.CANCEL, text=f"it is {record.state}", execution_id=answer)
        is_ours = (
            record.state != "cancelled" and order.cancel_asked_at is None and not _gave_up(order, record)
        )
        late_ms = min(begun, default=evidence.ended_at) - answered_at
        if is_ours and evidence.weather.is_mild and not press.is_paced and late_ms > lag_ms(evidence.weather):
            yield Fault(verdict=Verdict.LATE, text=f"a redrive, {late_ms} ms", execution_id=answer)


_NONE = Record(execution_id="", job_id="", nominal_at=0, state="", attempt=0)


def _fault(text: str, record: Record) -> Fault:
    return Fault(verdict=Verdict.REDRIVE, text=text, job_id=record.job_id, execution_id=record.execution_id)
