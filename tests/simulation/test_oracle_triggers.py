"""The judge of triggers convicts each broken promise: honest evidence of a run passes, and no forgery of it does."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.simulation.evidence import Arrival
from tests.simulation.faults import FaultMix
from tests.simulation.trigger_evidence import (
    Acknowledged,
    Answer,
    Ask,
    Change,
    EventLog,
    JobLog,
    MatchShown,
    RunShown,
    Spec,
    TriggerEvidence,
    TriggerLog,
)
from tests.simulation.trigger_judge import judge
from tests.simulation.verdicts import Verdict

SECOND = 1_000
URL = "https://acme.example.com/0"
BURST = Spec(kinds=("a",), job=0, debounce_seconds=20, debounce_max_seconds=60)
FEW = Spec(kinds=("a",), job=0, throttle=(1, 60))
ANY = Spec(kinds=("a",), job=0)


class Log:
    """One job with one trigger from the start, and what events for it were answered. Nothing goes wrong."""

    def __init__(self, spec: Spec) -> None:
        self.job = JobLog(tenant="acme", number=0, url=URL, own_body='{"own":1}', job_id="job_1")
        put = Change(spec=spec, asks=[Ask(1, 10)], acked_at=10)
        self.trigger = TriggerLog(tenant="acme", name="t0", changes=[put])
        self.evidence = TriggerEvidence(
            jobs=[self.job], triggers=[self.trigger], events=[], runs=[], calls=[], weather=FaultMix()
        )

    def event(self, at_s: int, *, deliver_at: int | None = None) -> EventLog:
        number = len(self.evidence.events)
        ask = Ask(at_s * SECOND, at_s * SECOND + 50)
        event = EventLog(
            tenant="acme",
            id=f"e{number}",
            source="com.example.acme",
            kind="a",
            padding=0,
            deliver_at=deliver_at,
            asks=[ask],
            acked_at=ask.ended_at,
        )
        self.evidence.events.append(event)
        return event

    def told(self, event: EventLog, outcome: str, run: str | None = None, *, until_s: int = 0) -> None:
        match = MatchShown(
            trigger="t0",
            job_id="job_1",
            outcome=outcome,
            execution_id=run,
            due_at=None,
            throttled_until=until_s * SECOND or None,
            is_durable=True,
        )
        event.answers.append(Answer(event.asks[-1], (match,)))

    def run(self, name: str, event: EventLog, *, scheduled_s: int, due_s: int) -> None:
        """A run that was called once, when it was due."""
        run = RunShown(
            execution_id=name,
            tenant="acme",
            job_id="job_1",
            state="succeeded",
            reason=None,
            scheduled_at=scheduled_s * SECOND,
            due_at=due_s * SECOND,
            trigger="t0",
            source=event.source,
            event=event.id,
        )
        self.evidence.runs.append(run)
        self.call(run, event)

    def call(self, run: RunShown, event: EventLog) -> None:
        body = f'{{"event":{_json(event)},"body":{{"own":1}}}}'
        at_ms = run.due_at + 100
        self.evidence.calls.append(
            Arrival(
                execution_id=run.execution_id,
                job_id="job_1",
                attempt=1,
                scheduled_at=run.scheduled_at,
                url=URL,
                began_at=at_ms,
                caller_began_at=at_ms,
                ended_at=at_ms + 10,
                status=200,
                body=body,
            )
        )

    def change(self, **changes: object) -> None:
        """Another last run."""
        self.evidence.runs[-1] = replace(self.evidence.runs[-1], **changes)  # type: ignore[arg-type]

    def verdicts(self) -> set[Verdict]:
        return {fault.verdict for fault in judge(self.evidence)}


def _json(event: EventLog) -> str:
    return json.dumps(event.document)


def simple() -> Log:
    """Two events with a run each."""
    log = Log(ANY)
    for at_s in (100, 200):
        event = log.event(at_s)
        log.told(event, "filed", f"x{at_s}")
        log.run(f"x{at_s}", event, scheduled_s=at_s, due_s=at_s)
    return log


def burst() -> Log:
    """Two events that share a run, and one that comes later."""
    log = Log(BURST)
    first, second, third = log.event(100), log.event(110), log.event(200)
    log.told(first, "filed", "x1")
    log.told(second, "debounced", "x1")
    log.told(third, "filed", "x2")
    log.run("x2", third, scheduled_s=220, due_s=220)
    log.run("x1", second, scheduled_s=120, due_s=130)
    return log


def window() -> Log:
    """One run in a window, a throttled event, and a run in the next window."""
    log = Log(FEW)
    first, second, third = log.event(100), log.event(110), log.event(170)
    log.told(first, "filed", "x1")
    log.told(second, "throttled", until_s=160)
    log.told(third, "filed", "x2")
    log.run("x1", first, scheduled_s=100, due_s=100)
    log.run("x2", third, scheduled_s=170, due_s=170)
    return log


@pytest.mark.parametrize("honest", [simple, burst, window])
def test_honest_evidence_of_triggers_passes(honest: Callable[[], Log]) -> None:
    assert honest().verdicts() == set()


def unmatched(log: Log) -> None:
    log.evidence.events[0].answers = [Answer(log.evidence.events[0].asks[0], ())]


def refused(log: Log) -> None:
    log.evidence.events[0].answers = []
    log.told(log.evidence.events[0], "refused")


def refused_as_a_whole(log: Log) -> None:
    log.evidence.events[0].refusals = [log.evidence.events[0].asks[0]]


def without_a_record(log: Log) -> None:
    log.evidence.runs.pop()
    log.evidence.calls.pop()


def started_twice(log: Log) -> None:
    event = log.evidence.events[1]
    log.run("x201", event, scheduled_s=200, due_s=200)


def of_an_event_that_was_never_sent(log: Log) -> None:
    log.change(event="e9")


def of_a_deleted_trigger(log: Log) -> None:
    log.trigger.changes.append(Change(spec=None, asks=[Ask(150_000, 150_010)], acked_at=150_010))


def of_a_deleted_job(log: Log) -> None:
    log.job.deletion = Acknowledged(asks=[Ask(150_000, 150_010)], acked_at=150_010)


def never_ended(log: Log) -> None:
    log.change(state="waiting")


def with_other_data(log: Log) -> None:
    log.evidence.calls[-1].body = log.evidence.calls[0].body


def called_early(log: Log) -> None:
    log.evidence.calls[-1].caller_began_at -= 200


def called_late(log: Log) -> None:
    log.evidence.calls[-1].began_at += 60_000


def due_at_another_time(log: Log) -> None:
    log.change(due_at=203_000)
    log.evidence.calls[-1].began_at = log.evidence.calls[-1].caller_began_at = 203_100


def called_for_no_run(log: Log) -> None:
    log.evidence.calls[-1].execution_id = "x9"


@pytest.mark.parametrize(
    ("forge", "verdict"),
    [
        (unmatched, Verdict.LOST),
        (refused, Verdict.LOST),
        (refused_as_a_whole, Verdict.LOST),
        (without_a_record, Verdict.LOST),
        (started_twice, Verdict.DOUBLED),
        (of_an_event_that_was_never_sent, Verdict.TRIGGER),
        (of_a_deleted_trigger, Verdict.TRIGGER),
        (of_a_deleted_job, Verdict.CANCEL),
        (never_ended, Verdict.LOST),
        (with_other_data, Verdict.PAYLOAD),
        (called_early, Verdict.EARLY),
        (called_late, Verdict.LATE),
        (due_at_another_time, Verdict.INSTANTS),
        (called_for_no_run, Verdict.TRIGGER),
    ],
)
def test_forged_evidence_of_an_event_is_convicted(forge: Callable[[Log], None], verdict: Verdict) -> None:
    log = simple()
    forge(log)
    assert verdict in log.verdicts()


def test_run_with_an_earlier_event_of_its_burst_is_convicted() -> None:
    log = burst()
    log.change(event="e0")
    log.evidence.calls[-1].body = log.evidence.calls[-1].body.replace("e1", "e0")
    assert log.verdicts() == {Verdict.LOST}


def test_run_that_is_due_before_its_burst_is_over_is_convicted() -> None:
    log = burst()
    log.change(due_at=125 * SECOND)
    assert Verdict.EARLY in log.verdicts()


def test_run_that_is_due_long_after_its_burst_is_convicted() -> None:
    log = burst()
    log.change(due_at=140 * SECOND)
    assert Verdict.LATE in log.verdicts()


def test_run_that_a_burst_postpones_beyond_the_longest_wait_is_convicted() -> None:
    log = Log(BURST)
    for at_s in range(100, 180, 10):
        log.told(log.event(at_s), "debounced" if at_s > 100 else "filed", "x1")
    log.run("x1", log.evidence.events[-1], scheduled_s=120, due_s=160)
    assert log.verdicts() == set()
    log.change(due_at=190 * SECOND)
    assert Verdict.LATE in log.verdicts()


def test_two_runs_for_one_burst_are_convicted() -> None:
    log = burst()
    log.evidence.events[1].answers = []
    log.told(log.evidence.events[1], "filed", "x3")
    log.run("x3", log.evidence.events[1], scheduled_s=130, due_s=130)
    log.evidence.runs[1] = replace(log.evidence.runs[1], event="e0", due_at=120 * SECOND)
    log.evidence.calls[1].body = log.evidence.calls[1].body.replace("e1", "e0")
    assert Verdict.DOUBLED in log.verdicts()


def test_window_with_too_many_runs_is_convicted() -> None:
    log = window()
    event = log.evidence.events[1]
    event.answers = []
    log.told(event, "filed", "x3")
    log.run("x3", event, scheduled_s=110, due_s=110)
    assert log.verdicts() == {Verdict.LIMIT}


def test_event_that_is_throttled_without_need_is_convicted() -> None:
    log = Log(FEW)
    log.told(log.event(100), "throttled", until_s=90)
    assert log.verdicts() == {Verdict.LIMIT}
