"""The oracle of redrives finds what it is there to find: a forged log for each verdict."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.changed_evidence import DUE_AT, STEP_MS, call, evidence, order, record
from tests.simulation.evidence import Arrival, Evidence, Outcome, Press, Record
from tests.simulation.oracle import verdict
from tests.simulation.oracle_redrives import beside_of, check_redrives
from tests.simulation.verdicts import Fault, Verdict

JOB = "job_1dead"
DEAD, FIRST, SECOND = "exe_dead", "exe_first", "exe_second"
PRESSED_AT = DUE_AT + STEP_MS
FAILURE: dict[str, Any] = {
    "state": "failed",
    "outcomes": (Outcome(attempt=1, status=500, reason="http_status"),),
}


def told(execution_id: str, number: int = 0, **fields: Any) -> Record:
    of = {"redrive_of": (DEAD, number)} if number else {}
    made: dict[str, Any] = {"execution_id": execution_id, "job_id": JOB, "nominal_at": DUE_AT, **of}
    return record(1, **made | fields)


def called(execution_id: str, at: int, **fields: Any) -> Arrival:
    times = {"began_at": at, "caller_began_at": at, "ended_at": at + 200, "scheduled_at": DUE_AT}
    return call(1, execution_id=execution_id, job_id=JOB, **times | fields)


def honest() -> Evidence:
    """Failed, redriven, failed again, redriven again with success."""
    once = order(rhythm=None, delay_seconds=60, job_id=JOB, due_at=DUE_AT)
    case = evidence(
        once,
        [
            called(DEAD, DUE_AT + 50, status=500),
            called(FIRST, PRESSED_AT + 50, status=500),
            called(SECOND, PRESSED_AT + STEP_MS, status=200),
        ],
        [told(SECOND, 2), told(FIRST, 1, **FAILURE), told(DEAD, **FAILURE)],
    )
    answers = {FIRST: PRESSED_AT, SECOND: PRESSED_AT + STEP_MS - 50}
    case.presses.append(Press(execution_id=DEAD, tenant="acme", tries=2, answers=answers))
    case.dead_letters["acme"] = [told(FIRST, 1, **FAILURE), told(DEAD, **FAILURE)]
    case.kept = case.leftovers = case.history
    return case


def faults(case: Evidence) -> list[Fault]:
    return list(check_redrives(case, case.orders[0], case.history[JOB], case.calls))


def test_an_honest_log_is_judged_honest_by_all_judges() -> None:
    assert verdict(honest()) == []
    assert beside_of(honest()) == {FIRST, SECOND}


def with_record(execution_id: str, **fields: Any) -> Evidence:
    case = honest()
    case.history = {
        JOB: [
            replace(one, **fields) if one.execution_id == execution_id else one for one in case.history[JOB]
        ]
    }
    return case


def with_call(execution_id: str, **fields: Any) -> Evidence:
    case = honest()
    case.calls = [replace(one, **fields) if one.execution_id == execution_id else one for one in case.calls]
    return case


def without_record(execution_id: str) -> Evidence:
    case = honest()
    case.history = {JOB: [one for one in case.history[JOB] if one.execution_id != execution_id]}
    return case


def cancelled(**fields: Any) -> Evidence:
    case = with_record(SECOND, **fields)
    case.presses[0].cancelled[SECOND] = PRESSED_AT + 100
    return case


FORGED: dict[str, tuple[Callable[[], Evidence], Verdict]] = {
    "a success that was redriven": (lambda: with_record(FIRST, state="succeeded"), Verdict.REDRIVE),
    "one that was open and redriven": (lambda: with_record(FIRST, state="running"), Verdict.REDRIVE),
    "two of the same number": (lambda: with_record(SECOND, redrive_of=(DEAD, 1)), Verdict.REDRIVE),
    "a number that is missing": (lambda: without_record(FIRST), Verdict.REDRIVE),
    "an original that has succeeded": (lambda: with_record(DEAD, state="succeeded"), Verdict.REDRIVE),
    "an original that nobody was shown": (lambda: without_record(DEAD), Verdict.REDRIVE),
    "one of a redrive": (lambda: with_record(SECOND, redrive_of=(FIRST, 1)), Verdict.REDRIVE),
    "one for another instant": (lambda: with_record(SECOND, nominal_at=DUE_AT + 1), Verdict.REDRIVE),
    "another request": (lambda: with_call(SECOND, body="2"), Verdict.REDRIVE),
    "two at once": (lambda: with_call(SECOND, began_at=PRESSED_AT + 60), Verdict.REDRIVE),
    "an answer without a record": (lambda: without_record(SECOND), Verdict.REDRIVE),
    "one that comes late": (
        lambda: with_call(SECOND, began_at=PRESSED_AT + 9 * STEP_MS, ended_at=PRESSED_AT + 10 * STEP_MS),
        Verdict.LATE,
    ),
    "a cancelled one that was called": (lambda: cancelled(state="cancelled"), Verdict.CANCEL),
    "one that was cancelled and succeeded": (cancelled, Verdict.CANCEL),
}


@pytest.mark.parametrize(("forge", "found"), FORGED.values(), ids=FORGED)
def test_oracle_finds_every_forged_redrive(forge: Callable[[], Evidence], found: Verdict) -> None:
    assert found in {fault.verdict for fault in faults(forge())}


def test_a_redrive_for_the_same_instant_doubles_nothing_and_an_unknown_execution_does() -> None:
    case = honest()
    case.calls.append(called("exe_other", DUE_AT + 90))
    assert Verdict.DOUBLED in {fault.verdict for fault in verdict(case)}


def test_redrives_of_jobs_that_no_client_knows_are_beside_them() -> None:
    case = honest()
    case.strays.append(told("exe_stray", 1))
    assert "exe_stray" in beside_of(case)


@pytest.mark.parametrize(("give_up_seconds", "is_excused"), [(None, False), (3, True)])
def test_a_redrive_that_waited_until_it_was_too_old_need_not_have_begun(
    give_up_seconds: int | None, is_excused: bool
) -> None:
    case = with_record(FIRST, state="failed", reason="too_old", outcomes=())
    case.calls = [one for one in case.calls if one.execution_id != FIRST]
    case.orders[0] = replace(case.orders[0], give_up_seconds=give_up_seconds)
    found = [fault.execution_id for fault in faults(case) if fault.verdict is Verdict.LATE]
    assert found == ([] if is_excused else [FIRST])
