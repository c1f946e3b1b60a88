"""The oracle compares ends, outcomes, answers and ids: forged logs in which two of them disagree."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.simulation.evidence import Evidence, Outcome
from tests.simulation.faults import FaultMix
from tests.simulation.honest_evidence import (
    DUE_AT,
    ONCE,
    SERIES,
    call,
    honest,
    order,
    record,
    set_record,
)
from tests.simulation.oracle import verdict
from tests.simulation.verdicts import Verdict

REFUSED = Outcome(attempt=1, status=500, reason="http_status")
OK_THEN_REFUSED = (Outcome(attempt=1, status=200, reason="ok"), replace(REFUSED, attempt=2))
LATER = {"began_at": DUE_AT + 60_000, "caller_began_at": DUE_AT + 60_000, "ended_at": DUE_AT + 60_100}


def failed(evidence: Evidence, reason: str, attempt: int, *outcomes: Outcome) -> None:
    set_record(evidence, ONCE, 0, state="failed", reason=reason, attempt=attempt, outcomes=outcomes)
    evidence.dead_letters["acme"] = [evidence.history[ONCE][0]]


def success_recorded_as_a_failure(evidence: Evidence) -> None:
    """The last of three calls was answered 200, and is recorded with 500."""
    evidence.orders[0].max_attempts = 1
    failed(evidence, "attempts_used_up", 1, REFUSED)


def failure_after_a_success(evidence: Evidence) -> None:
    evidence.orders[0].max_attempts = 2
    evidence.calls.append(call(attempt=2, status=500, **LATER))
    failed(evidence, "attempts_used_up", 2, *OK_THEN_REFUSED)


def attempts_used_up_too_soon(evidence: Evidence) -> None:
    evidence.calls[0].status = 500
    failed(evidence, "attempts_used_up", 1, REFUSED)


def attempts_used_up_without_the_last_outcome(evidence: Evidence) -> None:
    evidence.orders[0].max_attempts = 2
    evidence.calls[0].status = 500
    evidence.calls.append(call(attempt=2, **LATER))
    failed(evidence, "attempts_used_up", 2, REFUSED)


def lost_worker_with_an_outcome(evidence: Evidence) -> None:
    evidence.orders[0].max_attempts = 1
    evidence.calls[0].status = 500
    failed(evidence, "worker_lost", 1, REFUSED)


def lost_worker_that_lived(evidence: Evidence) -> None:
    evidence.weather = FaultMix(lose_message=0.1)
    evidence.orders[0].max_attempts = 1
    failed(evidence, "worker_lost", 1)


def two_successes(evidence: Evidence) -> None:
    evidence.calls.append(call(attempt=2, **LATER))
    outcomes = tuple(Outcome(attempt=number, status=200, reason="ok") for number in (1, 2))
    set_record(evidence, ONCE, 0, attempt=2, outcomes=outcomes)


def success_by_a_failed_attempt(evidence: Evidence) -> None:
    evidence.calls.append(call(attempt=2, status=500, **LATER))
    set_record(evidence, ONCE, 0, attempt=2, outcomes=OK_THEN_REFUSED)


def answer_that_nobody_gave(evidence: Evidence) -> None:
    outcomes = (REFUSED, Outcome(attempt=2, status=200, reason="ok"))
    evidence.calls[0].attempt = 2
    set_record(evidence, ONCE, 0, attempt=2, outcomes=outcomes)


def attempt_beyond_the_recorded_ones(evidence: Evidence) -> None:
    evidence.calls.append(call(attempt=2, **LATER))


def call_of_an_unknown_job_without_an_order(evidence: Evidence) -> None:
    evidence.calls.append(call(execution_id="exe_1x", job_id="job_1x", url="https://acme.example.com/77"))


def unknown_job_with_too_many_attempts(evidence: Evidence) -> None:
    calls = (call(execution_id="exe_1x", job_id="job_1x", attempt=number) for number in range(1, 5))
    evidence.calls.extend(calls)


def unknown_job_though_every_answer_arrived(evidence: Evidence) -> None:
    evidence.weather = FaultMix()
    evidence.calls.append(call(execution_id="exe_1x", job_id="job_1x"))


def two_jobs_by_one_key(evidence: Evidence) -> None:
    evidence.orders[0] = order(key="k")
    evidence.calls.append(call(execution_id="exe_1x", job_id="job_1x"))


def attempt_that_counts_for_a_fault_of_the_deployment(evidence: Evidence) -> None:
    evidence.orders[0].max_attempts = 2
    evidence.calls[0].status, evidence.calls[0].attempt = 500, 2
    unavailable = replace(REFUSED, status=None, reason="unavailable")
    failed(evidence, "attempts_used_up", 2, unavailable, replace(REFUSED, attempt=2))


def one_webhook_id_for_two_jobs(evidence: Evidence) -> None:
    evidence.calls.append(replace(evidence.calls[1], job_id="job_1x"))


def one_webhook_id_in_two_records(evidence: Evidence) -> None:
    again = record(nominal_at=evidence.history[SERIES][0].nominal_at, job_id=SERIES)
    evidence.history[SERIES][0] = evidence.kept[SERIES][0] = again


FORGED: dict[Callable[[Evidence], None], tuple[Verdict, str]] = {
    success_recorded_as_a_failure: (Verdict.HISTORY, "recorded with 500, its answers are [200]"),
    failure_after_a_success: (Verdict.HISTORY, "failed though attempt 1 succeeded"),
    attempts_used_up_too_soon: (Verdict.HISTORY, "used up after 1 of 3"),
    attempts_used_up_without_the_last_outcome: (Verdict.HISTORY, "the last outcome is 1"),
    lost_worker_with_an_outcome: (Verdict.HISTORY, "the worker is lost that recorded its outcome"),
    lost_worker_that_lived: (Verdict.HISTORY, "failed though attempt 1 was answered 200"),
    two_successes: (Verdict.HISTORY, "attempts [1, 2] succeeded"),
    success_by_a_failed_attempt: (Verdict.HISTORY, "succeeded by an attempt that did not"),
    answer_that_nobody_gave: (Verdict.HISTORY, "recorded with 500, its answers are []"),
    attempt_beyond_the_recorded_ones: (Verdict.ATTEMPTS, "attempt 2 was called, and 1 are recorded"),
    call_of_an_unknown_job_without_an_order: (Verdict.LEAK, "which no client ordered"),
    unknown_job_with_too_many_attempts: (Verdict.ATTEMPTS, "[1, 2, 3, 4] of 3"),
    unknown_job_though_every_answer_arrived: (Verdict.HISTORY, "every answer reached its client"),
    two_jobs_by_one_key: (Verdict.DOUBLED, "one idempotency key made 2 jobs"),
    attempt_that_counts_for_a_fault_of_the_deployment: (
        Verdict.ATTEMPTS,
        "attempt 1 counts for unavailable",
    ),
    one_webhook_id_for_two_jobs: (Verdict.DOUBLED, "one webhook-id for two jobs"),
    one_webhook_id_in_two_records: (Verdict.DOUBLED, "one webhook-id in two records"),
}


@pytest.mark.parametrize("forge", FORGED, ids=lambda forge: forge.__name__)
def test_forged_outcome_or_id_gets_its_verdict(forge: Callable[[Evidence], None]) -> None:
    evidence = honest()
    forge(evidence)
    expected, text = FORGED[forge]
    assert [fault for fault in verdict(evidence) if fault.verdict is expected and text in fault.text]


def test_honest_failure_is_nothing_to_find() -> None:
    evidence = honest()
    evidence.orders[0].max_attempts = 1
    evidence.calls[0].status = 500
    failed(evidence, "attempts_used_up", 1, REFUSED)
    assert verdict(evidence) == []


def test_success_that_a_dying_worker_did_not_record_is_nothing_to_find() -> None:
    evidence = honest()
    evidence.orders[0].max_attempts = 1
    failed(evidence, "worker_lost", 1)
    assert verdict(evidence) == []
