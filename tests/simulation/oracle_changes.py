"""Checks a recurring job that is changed. What was not acknowledged may have happened or not, at any time since."""

from collections.abc import Iterator

from tests.simulation.bounds import lag_ms
from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.habits import Habits
from tests.simulation.oracle_instants import verify_instants
from tests.simulation.oracle_overlap import check_overlap
from tests.simulation.oracle_pauses import check_pauses, check_updates
from tests.simulation.oracle_revisions import check_revisions
from tests.simulation.oracle_series import check_deleted
from tests.simulation.verdicts import Fault, Verdict


def check_changed(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """One acknowledged job."""
    habits = order.habits
    assert habits is not None
    due = _due(evidence, habits)
    every = set[int]().union(*due.values())
    answered = {answer for change in habits.changes for answer in change.answers}
    beside = [one for one in records if one.execution_id in answered or one.nominal_at not in every]
    apart = {record.execution_id for record in beside} | answered
    planned = [record for record in records if record.execution_id not in apart]
    made = [call for call in calls if call.execution_id not in apart]
    yield from check_revisions(order, habits)
    yield from _versions(due, made)
    yield from check_pauses(evidence, habits, made)
    yield from check_updates(evidence, habits, planned, made)
    yield from verify_instants(evidence, order, planned, made)
    yield from check_overlap(evidence, habits, planned, made)
    yield from check_deleted(evidence, order, calls)
    yield from _triggered(evidence, order, beside, calls)


def _due(evidence: Evidence, habits: Habits) -> dict[int, set[int]]:
    """The instants of each version that was ever sent."""
    due = {}
    for version in habits.versions.values():
        ahead = evidence.ended_at + version.rhythm.ahead_ms
        until = min(ahead, habits.end_at or ahead)
        due[version.number] = set(version.rhythm.instants(version.since, until))
    return due


def _versions(due: dict[int, set[int]], calls: list[Arrival]) -> Iterator[Fault]:
    for call in calls:
        if call.scheduled_at not in due.get(int(call.body), ()):
            text = f"version {call.body} was called for {call.scheduled_at}, none of its instants"
            yield Fault(
                verdict=Verdict.INSTANTS, text=text, job_id=call.job_id, execution_id=call.execution_id
            )


def _triggered(
    evidence: Evidence, order: Order, beside: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """One run for each key that was answered, and none that nobody asked for."""
    habits = order.habits
    assert habits is not None
    asked = habits.asked("trigger")
    if len(beside) > len(asked):
        yield _fault(
            Verdict.TRIGGER, f"{len(beside)} runs beside the schedule, {len(asked)} asked for", order
        )
    shown = {record.execution_id: record for record in beside}
    for change in habits.acked("trigger"):
        if len(change.answers) > 1:
            yield _fault(Verdict.TRIGGER, f"one key, {len(change.answers)} runs", order)
        for answer in change.answers:
            record = shown.get(answer)
            if record is None:
                yield _fault(Verdict.TRIGGER, f"{answer} was acknowledged, and has no record", order)
            elif record.state == "skipped" or (record.state == "cancelled" and order.cancel_asked_at is None):
                yield _fault(Verdict.TRIGGER, f"{answer} is {record.state}", order)
            elif evidence.weather.is_mild and record.state != "cancelled":
                begun = [call.began_at for call in calls if call.execution_id == answer]
                until = (change.acked_at or 0) + lag_ms(evidence.weather)
                is_stopped = order.cancel_asked_at is not None and order.cancel_asked_at <= until
                if begun[0] > until if begun else not is_stopped:
                    yield _fault(Verdict.LATE, f"{answer} was triggered", order)


def _fault(verdict: Verdict, text: str, order: Order) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=order.job_id)
