"""The oracle of reports finds what it is there to find: a forged log for each verdict."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.evidence import Arrival, Evidence, Order, Outcome, Record, Report
from tests.simulation.faults import FaultMix
from tests.simulation.honest_evidence import DUE_AT, ONCE, call, honest, order
from tests.simulation.oracle_reports import check_reports
from tests.simulation.verdicts import Verdict

RUN = "exe_1once"
GRAVE = FaultMix(crash=0.1)


def report(attempt: int, verb: str, **fields: Any) -> Report:
    told: dict[str, Any] = {"asked_at": DUE_AT + 2_000, "acked_at": DUE_AT + 2_050}
    return Report(execution_id=RUN, attempt=attempt, verb=verb, **told | fields)


def attempt(number: int, reason: str) -> Outcome:
    return Outcome(attempt=number, status=202, reason=reason)


def record(*outcomes: Outcome, state: str = "succeeded") -> Record:
    return Record(execution_id=RUN, job_id=ONCE, nominal_at=DUE_AT, state=state, attempt=2, outcomes=outcomes)


class Case:
    """Of two attempts the first failed and the second was completed; a heartbeat came too late to matter."""

    def __init__(self) -> None:
        self.evidence: Evidence = honest()
        self.evidence.reports = [
            report(1, "fail"),
            report(2, "heartbeat", acked_at=None, refused_at=DUE_AT),
            report(2, "complete"),
        ]
        self.order: Order = order(async_accepted=True)
        self.record = record(attempt(1, "receiver_failed"), attempt(2, "ok"))
        self.calls: list[Arrival] = [call(attempt=1, status=202), call(attempt=2, status=202)]

    def verdicts(self) -> set[Verdict]:
        return {
            fault.verdict for fault in check_reports(self.evidence, self.order, [self.record], self.calls)
        }


def completion_lost(case: Case) -> None:
    case.record = record(attempt(1, "receiver_failed"), state="failed")


def failure_lost(case: Case) -> None:
    case.record = record(attempt(2, "ok"))


def told_otherwise(case: Case) -> None:
    case.record = record(attempt(1, "receiver_failed"), attempt(2, "receiver_failed"), state="failed")


def not_ended(case: Case) -> None:
    case.record = replace(case.record, state="running")


def refused_in_time(case: Case) -> None:
    case.evidence.weather = FaultMix()
    case.evidence.reports[2] = report(2, "complete", acked_at=None, refused_at=DUE_AT)


def called_again(case: Case) -> None:
    case.calls.append(call(attempt=3, status=202))


def success_of_nobody(case: Case) -> None:
    case.evidence.reports.pop()


def failure_of_nobody(case: Case) -> None:
    case.evidence.reports.pop(0)


def success_that_was_a_failure(case: Case) -> None:
    case.evidence.reports[0] = report(1, "complete", asked_at=None, acked_at=None)


def test_an_honest_log_has_no_fault() -> None:
    assert Case().verdicts() == set()


@pytest.mark.parametrize(
    ("expected", "forge"),
    [
        (Verdict.LOST, completion_lost),
        (Verdict.LOST, failure_lost),
        (Verdict.LOST, told_otherwise),
        (Verdict.LOST, not_ended),
        (Verdict.LOST, refused_in_time),
        (Verdict.DOUBLED, called_again),
        (Verdict.HISTORY, success_of_nobody),
        (Verdict.HISTORY, failure_of_nobody),
        (Verdict.HISTORY, success_that_was_a_failure),
    ],
)
def test_forged_log_gets_its_verdict(expected: Verdict, forge: Callable[[Case], None]) -> None:
    case = Case()
    forge(case)
    assert expected in case.verdicts()


def test_oracle_accepts_a_late_report_and_a_lost_acknowledgement() -> None:
    """A report may come too late in bad weather, and its acknowledgement may be lost while it counts."""
    case = Case()
    case.evidence.weather = GRAVE
    case.evidence.reports[2] = report(2, "complete", acked_at=None, refused_at=DUE_AT)
    assert case.verdicts() == set()
    case = Case()
    case.evidence.reports[0] = report(1, "fail", acked_at=None)
    assert case.verdicts() == set()
