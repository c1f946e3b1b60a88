"""The oracle of alerts finds what it is there to find: a forged log for each fault."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.changed_evidence import DUE_AT, call, evidence, order, record
from tests.simulation.evidence import Arrival, Evidence, Order, Outcome, Record
from tests.simulation.oracle import verdict
from tests.simulation.oracle_alerts import check_alerts
from tests.simulation.verdicts import Fault

JOB, RUN, ALERT = "job_1told", "exe_run", "exe_alert"
EVERY = frozenset({"failed", "recovered", "late", "skipped", "gone"})
FAILURE = Outcome(attempt=1, status=500, reason="http_status")


def called(at: int = DUE_AT + 50, **fields: Any) -> Arrival:
    times = {"began_at": at, "caller_began_at": at, "ended_at": at + 200, "scheduled_at": DUE_AT}
    made: dict[str, Any] = {"execution_id": RUN, "job_id": JOB, "attempt": 1, "status": 500, **times}
    return call(1, **made | fields)


def ran(**fields: Any) -> Record:
    made: dict[str, Any] = {
        "execution_id": RUN,
        "job_id": JOB,
        "nominal_at": DUE_AT,
        "state": "failed",
        "attempt": 1,
        "outcomes": (FAILURE,),
        "reason": "attempts_used_up",
    }
    return record(1, **made | fields)


def body(*events: str, **fields: Any) -> str:
    data: dict[str, Any] = {
        "events": list(events or ("failed",)),
        "job_id": JOB,
        "execution_id": RUN,
        "outcome": "failed",
        "end_reason": "attempts_used_up",
        "lag_ms": 50,
    }
    return json.dumps({"data": data | fields})


def alert(at: int = DUE_AT + 300, **fields: Any) -> Arrival:
    made = {"execution_id": ALERT, "status": 200, "url": "https://acme.example.com/alerts/1", "body": body()}
    return called(at, **{**made, **fields})


def subscribed(*events: str) -> Order:
    once = order(rhythm=None, delay_seconds=60, job_id=JOB, due_at=DUE_AT, max_attempts=1)
    once.number, once.alerted_of = 1, frozenset(events) if events else EVERY
    return once


def honest(*events: str) -> Evidence:
    """Failed at its only attempt, and announced."""
    once = subscribed(*events)
    case = evidence(once, [called(url=once.url)], [ran()])
    case.dead_letters["acme"] = [ran()]
    case.kept = case.leftovers = case.history
    case.alerts = [alert(url=once.alerts_url)]
    return case


def found(case: Evidence) -> list[Fault]:
    return list(check_alerts(case, {JOB: case.orders[0]}))


def test_honest_log_is_judged_honest_by_all_judges() -> None:
    assert verdict(honest()) == []


def with_record(case: Evidence, **fields: Any) -> None:
    case.history[JOB] = [replace(case.history[JOB][0], **fields)]


def nothing(case: Evidence) -> None:
    case.alerts = []


def unheard(case: Evidence) -> None:
    case.alerts = [alert(status=500)]


def twice(case: Evidence) -> None:
    case.alerts = [alert(), alert(DUE_AT + 90_000)]


def by_two(case: Evidence) -> None:
    case.alerts = [alert(), alert(execution_id="exe_other")]


def elsewhere(case: Evidence) -> None:
    case.alerts = [alert(url="https://globex.example.com/alerts/1")]


def of_nothing(case: Evidence) -> None:
    case.alerts.append(alert(body=body(execution_id="exe_none")))


def of_a_success(case: Evidence) -> None:
    with_record(case, state="succeeded", reason=None)


def unasked(case: Evidence) -> None:
    case.orders[0].alerted_of = frozenset({"skipped"})


def saying(*events: str, **fields: Any) -> Callable[[Evidence], None]:
    def forge(case: Evidence) -> None:
        case.alerts = [alert(body=body(*events, **fields))]

    return forge


def skipped_in_silence(case: Evidence) -> None:
    nothing(case)
    with_record(case, state="skipped", reason="late", outcomes=(), attempt=0)


def late_in_silence(case: Evidence) -> None:
    nothing(case)
    case.calls = [called(DUE_AT + 60_000)]
    with_record(case, state="succeeded", reason=None)


def recovered_in_silence(case: Evidence) -> None:
    success = ran(execution_id="exe_next", state="succeeded", reason=None)
    case.history[JOB] = [*case.history[JOB], success]
    case.calls = [*case.calls, called(DUE_AT + 60_000, execution_id="exe_next", status=200)]
    case.orders[0].alerted_of = frozenset({"failed", "recovered"})


def recovered_from_nothing(case: Evidence) -> None:
    with_record(case, state="succeeded", reason=None)
    case.alerts = [alert(body=body("recovered", outcome="succeeded", end_reason=None))]


@pytest.mark.parametrize(
    "forge",
    [
        nothing,
        unheard,
        twice,
        by_two,
        elsewhere,
        of_nothing,
        of_a_success,
        unasked,
        saying("failed", "late"),
        saying("late", lag_ms=20_001),
        saying("failed", lag_ms=20_001),
        saying("failed", "recovered"),
        saying("failed", "gone"),
        saying("failed", outcome="succeeded"),
        saying("failed", job_id="job_other"),
        skipped_in_silence,
        late_in_silence,
        recovered_in_silence,
        recovered_from_nothing,
    ],
)
def test_oracle_finds_every_fault_of_an_alert(forge: Callable[[Evidence], None]) -> None:
    case = honest()
    forge(case)
    assert found(case), forge


def test_success_without_alerts_and_a_gone_receiver_are_honest() -> None:
    quiet = honest()
    nothing(quiet)
    with_record(quiet, state="succeeded", reason=None, outcomes=(replace(FAILURE, status=200, reason="ok"),))
    assert found(quiet) == []
