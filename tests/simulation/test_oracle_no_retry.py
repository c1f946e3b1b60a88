"""The oracle finds what becomes of the wishes of receivers: a forged log for each that is not heeded."""

from typing import Any

import pytest

from tests.simulation.bounds import CALM_LAG_MS
from tests.simulation.evidence import Arrival, Evidence, Outcome, Record
from tests.simulation.faults import FaultMix
from tests.simulation.honest_evidence import ONCE, SERIES, STEP_MS, call, honest, record, set_record
from tests.simulation.oracle import verdict
from tests.simulation.verdicts import Fault, Verdict

ENDED_AT = call().ended_at or 0
GONE: dict[str, Any] = {"status": 410}
GAVE_UP: dict[str, Any] = {"status": 422, "gave_up": True}
FINAL = [
    pytest.param(GONE, "http_status", id="gone"),
    pytest.param(GAVE_UP, "receiver_gave_up", id="gave up"),
]
FIRST_FAILED = Outcome(attempt=1, status=500, reason="http_status")


def found(evidence: Evidence) -> list[str]:
    faults = verdict(evidence)
    assert {fault.verdict for fault in faults} <= {Verdict.PATIENCE}
    return [fault.text for fault in faults]


def retried(waited_ms: int, asked: int, **order: Any) -> Evidence:
    """A one-off whose first answer asked for time, and that was called again after so long."""
    evidence = honest(FaultMix(refuse=0.1))
    for name, value in order.items():
        setattr(evidence.orders[0], name, value)
    at = ENDED_AT + waited_ms
    again = call(attempt=2, began_at=at, caller_began_at=at, ended_at=at + 200)
    evidence.calls[0:1] = [call(status=500, asked_seconds=asked), again]
    done = Outcome(attempt=2, status=200, reason="ok")
    set_record(evidence, ONCE, 0, attempt=2, outcomes=(FIRST_FAILED, done))
    return evidence


@pytest.mark.parametrize(
    ("asked", "least", "order"),
    [
        (20, 20, {}),
        (30, 30, {}),
        (31, 30, {}),
        (90_000, 30, {}),
        (1_000, 1_000, {"cap_seconds": 2_400}),
        (31, 31, {"delays_seconds": (2, 2)}),
    ],
)
def test_no_attempt_begins_before_what_its_receiver_asked_for_up_to_the_cap(
    asked: int, least: int, order: dict[str, Any]
) -> None:
    assert found(retried(least * 1000, asked, **order)) == []
    assert found(retried(least * 1000 - 100, asked, **order)) == [
        "attempt 2 did not wait as its receiver asked"
    ]


def test_a_wait_that_its_receiver_asked_for_is_not_late_and_a_longer_one_is() -> None:
    evidence = retried(1_000_000 + 2_000, 1_000, cap_seconds=2_400)
    assert verdict(evidence) == []
    late = retried(1_000_000 + 120_000, 1_000, cap_seconds=2_400)
    assert [fault.verdict for fault in verdict(late)] == [Verdict.LATE]


def test_oracle_accepts_giving_up_an_execution_that_would_be_too_old_after_the_wait() -> None:
    evidence = honest(FaultMix(refuse=0.1))
    evidence.orders[0].give_up_seconds = 15
    evidence.calls[0] = call(status=500, asked_seconds=20)
    failed: dict[str, Any] = {"state": "failed", "outcomes": (FIRST_FAILED,), "reason": "too_old"}
    set_record(evidence, ONCE, 0, **failed)
    evidence.dead_letters["acme"] = [evidence.history[ONCE][0]]
    assert found(evidence) == []
    evidence.calls[0].asked_seconds = 10
    assert found(evidence) == ["given up though another attempt would have begun in time"]


def refused(answer: dict[str, Any], word: str, **fields: Any) -> Evidence:
    """A one-off whose receiver asked for no more calls, and got none."""
    evidence = honest(FaultMix(refuse=0.1))
    evidence.calls[0] = call(**answer)
    outcome = Outcome(attempt=1, status=answer["status"], reason=word)
    failed = {"state": "failed", "outcomes": (outcome,), "reason": "not_retryable"} | fields
    set_record(evidence, ONCE, 0, **failed)
    shown = evidence.history[ONCE][0]
    evidence.dead_letters["acme"] = [shown] if shown.state == "failed" else []
    return evidence


@pytest.mark.parametrize(("answer", "word"), FINAL)
def test_a_receiver_that_asks_for_no_more_is_heeded(answer: dict[str, Any], word: str) -> None:
    assert found(refused(answer, word)) == []
    assert found(refused(answer, word, reason="stopped")) == ["no retry helps, and it is failed, stopped"]
    used_up = verdict(refused(answer, word, reason="attempts_used_up"))
    assert "no retry helps, and it is failed, attempts_used_up" in {fault.text for fault in used_up}


@pytest.mark.parametrize(("answer", "word"), FINAL)
def test_a_receiver_that_is_called_again_was_not_heeded(answer: dict[str, Any], word: str) -> None:
    evidence = refused(answer, word)
    at = ENDED_AT + 900
    evidence.calls.insert(1, call(attempt=2, began_at=at, caller_began_at=at, ended_at=at + 200))
    outcomes = (*evidence.history[ONCE][0].outcomes, Outcome(attempt=2, status=200, reason="ok"))
    set_record(evidence, ONCE, 0, state="succeeded", attempt=2, outcomes=outcomes, reason=None)
    evidence.dead_letters["acme"] = []
    assert found(evidence) == [
        "called again though attempt 1 was answered that no retry helps",
        "no retry helps, and it is succeeded, None",
    ]


def test_oracle_accepts_an_attempt_after_an_answer_that_died_with_its_worker() -> None:
    evidence = refused(GAVE_UP, "receiver_gave_up")
    evidence.weather = FaultMix(crash=0.1)
    at = ENDED_AT + 60_000
    evidence.calls.insert(1, call(attempt=2, began_at=at, caller_began_at=at, ended_at=at + 200))
    done = Outcome(attempt=2, status=200, reason="ok")
    set_record(evidence, ONCE, 0, state="succeeded", attempt=2, outcomes=(done,), reason=None)
    evidence.dead_letters["acme"] = []
    assert found(evidence) == []


def test_oracle_finds_a_missing_retry_that_the_receiver_did_not_forbid() -> None:
    evidence = refused({"status": 500}, "http_status")
    assert found(evidence) == ["not retried, which its receiver did not ask for"]


def gone(series_calls: int, weather: FaultMix) -> Evidence:
    """A job that recurs whose first run found its receiver gone; so many of the runs after it began all the same."""
    evidence = honest(weather)
    first = evidence.calls[1]
    first.status = 410
    del evidence.calls[2 + series_calls :]
    kept: list[Record] = evidence.history[SERIES][: 1 + series_calls]
    outcome = Outcome(attempt=1, status=410, reason="http_status")
    evidence.history[SERIES] = [*kept]
    evidence.kept[SERIES] = list(evidence.history[SERIES])
    failed = {"state": "failed", "outcomes": (outcome,), "reason": "not_retryable"}
    set_record(evidence, SERIES, 0, **failed)
    evidence.dead_letters["globex"] = [evidence.history[SERIES][0]]
    return evidence


def test_a_job_whose_receiver_is_gone_owes_no_more_instants_and_runs_no_more() -> None:
    for weather in (FaultMix(refuse=0.1), FaultMix(crash=0.1)):
        assert found(gone(0, weather)) == []
    assert STEP_MS > CALM_LAG_MS
    again = found(gone(1, FaultMix(refuse=0.1)))
    assert again == ["a run began though the receiver of its job is gone"]
    assert found(gone(1, FaultMix(crash=0.1))) == []


def test_an_instant_before_the_receiver_was_gone_is_owed() -> None:
    evidence = honest()
    second: Arrival = evidence.calls[2]
    second.status = 410
    outcome = Outcome(attempt=1, status=410, reason="http_status")
    set_record(evidence, SERIES, 1, state="failed", outcomes=(outcome,), reason="not_retryable")
    evidence.dead_letters["globex"] = [evidence.history[SERIES][1]]
    del evidence.calls[1], evidence.history[SERIES][0], evidence.kept[SERIES][0]
    faults: list[Fault] = verdict(evidence)
    assert [fault.verdict for fault in faults] == [Verdict.LOST]


def test_a_redrive_may_begin_though_the_receiver_is_gone() -> None:
    evidence = gone(0, FaultMix(refuse=0.1))
    original = evidence.history[SERIES][0]
    at = evidence.calls[1].began_at + 60_000
    ids = {"execution_id": "exe_1redrive", "job_id": SERIES}
    again = call(
        **ids,
        scheduled_at=original.nominal_at,
        url=evidence.orders[1].url,
        began_at=at,
        caller_began_at=at,
        ended_at=at + 200,
    )
    evidence.calls.append(again)
    redrive = record(**ids, nominal_at=original.nominal_at, redrive_of=(original.execution_id, 1))
    evidence.history[SERIES].append(redrive)
    evidence.kept[SERIES].append(redrive)
    assert found(evidence) == []
