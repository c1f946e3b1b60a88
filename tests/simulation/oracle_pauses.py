"""Checks what is called after an acknowledged pause or update: nothing that had not started, nothing old."""

from collections.abc import Iterator

from tests.simulation.bounds import CLAIM_TO_CALL_MS, WAIT_MS
from tests.simulation.evidence import Arrival, Evidence, Record
from tests.simulation.habits import Habits
from tests.simulation.verdicts import Fault, Verdict


def check_pauses(evidence: Evidence, habits: Habits, calls: list[Arrival]) -> Iterator[Fault]:
    """From the answer on until somebody asks for a resumption; what was due in between is not caught up with."""
    for pause in habits.acked("pause"):
        if pause.state != "paused" or pause.acked_at is None:
            continue
        resumed_at = min(
            (
                resume.asked_at or 0
                for resume in habits.asked("resume")
                if resume.acked_at is None or resume.revision > pause.revision
            ),
            default=evidence.ended_at,
        )
        for call in calls:
            is_passed = call.scheduled_at < resumed_at - 2 * evidence.weather.clock_error_ms
            is_within = call.began_at < resumed_at
            if (is_passed or is_within) and _had_not_started(
                evidence, call, pause.acked_at, before=resumed_at
            ):
                yield _fault(Verdict.PAUSE, f"called after the pause of {pause.acked_at}", call)


def check_updates(
    evidence: Evidence, habits: Habits, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """What had not started runs under the new description; a refunded run had started before its first call."""
    refunded = {record.execution_id for record in records if record.refunded}
    for call in calls:
        if call.execution_id in refunded:
            continue
        revision = habits.revision_of(int(call.body))
        for update in habits.acked("update"):
            is_older = revision is not None and revision < update.revision
            if is_older and _had_not_started(evidence, call, update.acked_at or 0):
                text = f"version {call.body} was called after {update.shown} was acknowledged"
                yield _fault(Verdict.UPDATE, text, call)


def _had_not_started(evidence: Evidence, call: Arrival, acked_at: int, before: int | None = None) -> bool:
    """Whether the execution cannot have been claimed when the answer was there.

    A worker claims a little ahead, and may call late; one that freezes after its claim calls any time later.
    """
    skew_ms = 2 * evidence.weather.clock_error_ms
    if call.scheduled_at > acked_at + WAIT_MS + skew_ms:
        return True
    if evidence.weather.freeze or call.attempt > 1:
        return False
    is_within = before is None or call.began_at < before
    return is_within and call.began_at > acked_at + CLAIM_TO_CALL_MS + WAIT_MS + skew_ms


def _fault(verdict: Verdict, text: str, call: Arrival) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=call.job_id, execution_id=call.execution_id)
