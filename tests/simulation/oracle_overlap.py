"""Checks the runs of a job whose policy forbids that they overlap, by what its receiver saw."""

from collections.abc import Iterator
from itertools import pairwise

from tests.simulation.bounds import lag_ms
from tests.simulation.evidence import Arrival, Evidence, Record
from tests.simulation.habits import Habits
from tests.simulation.verdicts import Fault, Verdict

Span = tuple[int, int, str]


def check_overlap(
    evidence: Evidence, habits: Habits, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """In calm weather; in any other a worker may die while its call goes on."""
    skipped = [one for one in records if one.state == "skipped" and one.missed is None]
    for record in skipped:
        if record.reason != "overlap" or habits.overlap_policy == "allow":
            yield _fault(Verdict.SKIPPED, f"skipped as {record.reason}", record)
    if not evidence.weather.is_calm or habits.overlap_policy == "allow":
        return
    spans = sorted(_spans(calls))
    for earlier, later in pairwise(spans):
        if later[0] < earlier[1]:
            text = f"began while {earlier[2]} had not ended"
            yield Fault(verdict=Verdict.OVERLAP, text=text, execution_id=later[2])
    stopped = {one.execution_id for one in records if one.state == "cancelled"}
    open_spans = [
        (began_at, evidence.ended_at if one in stopped else ended_at, one)
        for began_at, ended_at, one in spans
    ]
    for record in skipped:
        yield from _had_reason(evidence, habits, record, open_spans)


def _spans(calls: list[Arrival]) -> Iterator[Span]:
    """From the first call of each run to the end of its last."""
    for execution_id in dict.fromkeys(call.execution_id for call in calls):
        own = [call for call in calls if call.execution_id == execution_id]
        ended_at = max(call.ended_at or call.began_at for call in own)
        yield min(call.began_at for call in own), ended_at, execution_id


def _had_reason(evidence: Evidence, habits: Habits, record: Record, spans: list[Span]) -> Iterator[Fault]:
    """Another run was open when it came due, or was just about to begin or had just ended.

    One that was cancelled between two attempts was open for longer than its calls show.
    """
    slack_ms = lag_ms(evidence.weather)
    from_at = record.nominal_at - slack_ms
    until = record.nominal_at + habits.jitter_seconds * 1000 + slack_ms
    if not any(began_at <= until and ended_at >= from_at for began_at, ended_at, _ in spans):
        yield _fault(Verdict.SKIPPED, "skipped as overlap while nothing ran", record)


def _fault(verdict: Verdict, text: str, record: Record) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=record.job_id, execution_id=record.execution_id)
