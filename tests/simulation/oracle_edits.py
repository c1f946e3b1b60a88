"""Checks a job that runs once and is edited: what was acknowledged is what is called, at the time that it says."""

from collections.abc import Iterator

from tests.simulation.bounds import CLAIM_TO_CALL_MS, WAIT_MS, lag_ms
from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.habits import FIRST_VERSION, Habits
from tests.simulation.oracle_one_offs import check_cancelled
from tests.simulation.oracle_revisions import check_revisions
from tests.simulation.verdicts import Fault, Verdict


def check_edited(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """One acknowledged job."""
    habits = order.habits
    assert habits is not None
    yield from check_cancelled(order, records, calls)
    yield from check_revisions(order, habits)
    for call in calls:
        yield from _content(habits, call)
    for record in records:
        if record.state == "skipped" and (record.reason != "late" or habits.start_deadline_seconds is None):
            yield _fault(Verdict.SKIPPED, f"skipped as {record.reason}", order)
    is_settled = all(change.acked_at is not None for change in habits.asked("edit"))
    if is_settled and order.cancel_asked_at is None:
        yield from _time(evidence, order, records, calls)


def _content(habits: Habits, call: Arrival) -> Iterator[Fault]:
    """An edit is acknowledged only where no attempt has begun: nothing older is called, before or after."""
    version = int(call.body)
    revision = habits.revision_of(version)
    if call.scheduled_at != habits.dues.get(version):
        text = f"version {version} was called for {call.scheduled_at}, not {habits.dues.get(version)}"
        yield _of_call(Verdict.UPDATE, text, call)
    for change in habits.acked("edit"):
        if revision is not None and revision < change.revision:
            yield _of_call(Verdict.UPDATE, f"version {version} was called after {change.shown}", call)


def _time(evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]) -> Iterator[Fault]:
    """Every edit was answered, so that it is certain which time stands."""
    habits = order.habits
    assert habits is not None
    edits = sorted(habits.acked("edit"), key=lambda change: change.revision)
    due_at = habits.dues[edits[-1].shown if edits else FIRST_VERSION]
    known_at = max([due_at, order.acked_at or 0, *(edit.acked_at or 0 for edit in edits)])
    allowed_ms = lag_ms(evidence.weather) + habits.jitter_seconds * 1000
    first = min(calls, key=lambda call: call.began_at, default=None)
    if evidence.weather.is_mild and habits.is_prompt:
        deadline_ms = (habits.start_deadline_seconds or 0) * 1000
        may_be_skipped = deadline_ms <= lag_ms(evidence.weather) or known_at > due_at
        is_skipped = any(record.state == "skipped" for record in records)
        if first is None and not (is_skipped and may_be_skipped):
            yield _fault(Verdict.LATE, "for ever", order)
        if first is not None and first.began_at - known_at > allowed_ms:
            yield _fault(Verdict.LATE, f"{first.began_at - known_at} ms", order)
    if habits.start_deadline_seconds is None or evidence.weather.freeze:
        return
    latest_at = due_at + (habits.start_deadline_seconds + habits.jitter_seconds) * 1000
    grace_ms = CLAIM_TO_CALL_MS + WAIT_MS + 2 * evidence.weather.clock_error_ms
    if first is not None and first.attempt == 1 and first.began_at > latest_at + grace_ms:
        yield _of_call(Verdict.LATE, "begun after its deadline", first)


def _fault(verdict: Verdict, text: str, order: Order) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=order.job_id)


def _of_call(verdict: Verdict, text: str, call: Arrival) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=call.job_id, execution_id=call.execution_id)
