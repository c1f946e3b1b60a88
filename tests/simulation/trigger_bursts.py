"""Judges triggers that debounce: one run for each burst, due when the burst is over, and not later than it may be."""

from collections.abc import Iterator
from itertools import combinations

from tests.simulation.trigger_evidence import NEVER, EventLog, RunShown, Spec, TriggerEvidence, TriggerLog
from tests.simulation.trigger_starts import Start, members, starts_of
from tests.simulation.verdicts import Fault, Verdict

EARLY_MS = 1_500
"""How long before it is due a run may be claimed: from then on it takes no events."""


def check_bursts(evidence: TriggerEvidence, log: TriggerLog) -> Iterator[Fault]:
    for number in range(len(log.changes)):
        spec = log.spec(number)
        if spec is None or not spec.debounce_seconds:
            continue
        starts = starts_of(evidence, log, number)
        for start in starts:
            yield from _check_quiet(evidence, log, spec, start.run)
            yield from _check_longest(evidence, log, spec, start.run)
        for one, other in combinations(starts, 2):
            if not _may_follow(evidence, log, one, other) and not _may_follow(evidence, log, other, one):
                text = f"{one.run.execution_id} waited when {log.name} started another run"
                yield _fault(Verdict.DOUBLED, other.run, text)


def _may_follow(evidence: TriggerEvidence, log: TriggerLog, later: Start, earlier: Start) -> bool:
    """Whether the earlier run may have begun when the later one was started. If none of its events had been answered
    by then, it need not have stood, and another run is started once the instant of its ID has passed."""
    stood_at = min((at for at, _ in _told_of(evidence, log, earlier.run)), default=later.from_ms)
    due_at = earlier.run.due_at if stood_at < later.from_ms else earlier.run.scheduled_at
    return later.until_ms + evidence.weather.clock_error_ms >= due_at - EARLY_MS


def _told_of(evidence: TriggerEvidence, log: TriggerLog, run: RunShown) -> Iterator[tuple[int, EventLog]]:
    """The answers that name a run: when they came, and to which events."""
    for event in evidence.events:
        for answer in event.answers if event.tenant == log.tenant else ():
            if any(match.execution_id == run.execution_id for match in answer.matches):
                yield answer.ask.ended_at or NEVER, event


def _check_quiet(evidence: TriggerEvidence, log: TriggerLog, spec: Spec, run: RunShown) -> Iterator[Fault]:
    """It is due a debounce after each of its events, unless the longest wait is over by then."""
    error_ms = evidence.weather.clock_error_ms
    longest_at = run.scheduled_at + (spec.debounce_max_seconds - spec.debounce_seconds) * 1000 - 2 * error_ms
    for _, event in _told_of(evidence, log, run):
        quiet_at = (event.begun_at or 0) - error_ms + spec.debounce_seconds * 1000
        if run.due_at < min(quiet_at, longest_at):
            early_ms = min(quiet_at, longest_at) - run.due_at
            yield _fault(Verdict.EARLY, run, f"due {early_ms} ms before its burst is over")


def _check_longest(evidence: TriggerEvidence, log: TriggerLog, spec: Spec, run: RunShown) -> Iterator[Fault]:
    """No event postpones it by more than a debounce, nor beyond the longest wait since it stands."""
    error_ms, sharing = evidence.weather.clock_error_ms, members(evidence, log, run)
    last_at = max(event.ended_at for event in sharing) + error_ms + len(sharing)
    stood_at = min((at for at, _ in _told_of(evidence, log, run)), default=last_at)
    latest_at = max(
        run.scheduled_at,
        min(last_at + spec.debounce_seconds * 1000, stood_at + error_ms + spec.debounce_max_seconds * 1000),
    )
    if run.due_at > latest_at:
        yield _fault(Verdict.LATE, run, f"due {run.due_at - latest_at} ms after its burst is over")


def _fault(verdict: Verdict, run: RunShown, text: str) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=run.job_id, execution_id=run.execution_id)
