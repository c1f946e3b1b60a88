"""The oracles of notifications and of patience find what they are there to find: a forged log for each fault."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.changed_evidence import DUE_AT, call, evidence, order, record
from tests.simulation.evidence import Arrival, Evidence, Outcome, Record
from tests.simulation.oracle import verdict
from tests.simulation.oracle_notifications import check_notifications
from tests.simulation.oracle_patience import check_patience, longest_wait_seconds
from tests.simulation.verdicts import Fault, Verdict

JOB, RUN, TELLING = "job_1told", "exe_run", "exe_telling"
ENDED_AT = DUE_AT + 250
FAILURE = Outcome(attempt=1, status=500, reason="http_status")
SECOND = Outcome(attempt=2, status=500, reason="http_status")


def called(attempt: int = 1, at: int = DUE_AT + 50, **fields: Any) -> Arrival:
    times = {"began_at": at, "caller_began_at": at, "ended_at": at + 200, "scheduled_at": DUE_AT}
    made: dict[str, Any] = {"execution_id": RUN, "job_id": JOB, "attempt": attempt, "status": 500, **times}
    return call(1, **made | fields)


def ran(*outcomes: Outcome, **fields: Any) -> Record:
    made: dict[str, Any] = {
        "execution_id": RUN,
        "job_id": JOB,
        "nominal_at": DUE_AT,
        "state": "failed",
        "attempt": len(outcomes),
        "outcomes": outcomes,
        "reason": "attempts_used_up",
    }
    return record(1, **made | fields)


def body(**fields: Any) -> str:
    data: dict[str, Any] = {
        "job_id": JOB,
        "execution_id": RUN,
        "outcome": "failed",
        "end_reason": "attempts_used_up",
        "attempts_begun": 1,
        "attempts": [{"number": 1, "status": 500, "reason": "http_status"}],
    }
    return json.dumps({"data": data | fields})


def tells(at: int = ENDED_AT + 20, **fields: Any) -> Arrival:
    made = {"execution_id": TELLING, "status": 200, "url": "https://acme.example.com/told/1/failed"}
    return called(1, at, **{"body": body(), **made, **fields})


def honest() -> Evidence:
    """Failed at its only attempt, and told of."""
    once = order(rhythm=None, delay_seconds=60, job_id=JOB, due_at=DUE_AT, max_attempts=1)
    once.number, once.told_of = 1, frozenset({"failed"})
    case = evidence(once, [called(url=once.url)], [ran(FAILURE)])
    case.dead_letters["acme"] = [ran(FAILURE)]
    case.kept = case.leftovers = case.history
    case.told = [tells(url=once.told_url("failed"))]
    return case


def found(case: Evidence) -> list[Fault]:
    return list(check_notifications(case, {JOB: case.orders[0]}))


def test_an_honest_log_is_judged_honest_by_all_judges() -> None:
    assert verdict(honest()) == []


def nobody(case: Evidence) -> None:
    case.told = []


def unheard(case: Evidence) -> None:
    case.told = [tells(status=500)]


def twice(case: Evidence) -> None:
    case.told = [tells(), tells(ENDED_AT + 90_000)]


def by_two(case: Evidence) -> None:
    case.told = [tells(), tells(execution_id="exe_other")]


def too_soon(case: Evidence) -> None:
    case.told = [tells(DUE_AT + 100)]


def uninvited(case: Evidence) -> None:
    case.orders[0].told_of = frozenset({"succeeded"})


def of_nothing(case: Evidence) -> None:
    case.told.append(tells(body=body(execution_id="exe_none")))


def elsewhere(case: Evidence) -> None:
    case.told = [tells(url="https://globex.example.com/told/1/failed")]


def untrue(**fields: Any) -> Callable[[Evidence], None]:
    def forge(case: Evidence) -> None:
        case.told = [tells(body=body(**fields))]

    return forge


@pytest.mark.parametrize(
    "forge",
    [
        nobody,
        unheard,
        twice,
        by_two,
        too_soon,
        uninvited,
        of_nothing,
        elsewhere,
        untrue(outcome="succeeded"),
        untrue(attempts_begun=2),
        untrue(attempts=[]),
        untrue(end_reason=None),
        untrue(job_id="job_other"),
    ],
)
def test_oracle_finds_every_fault_of_a_notification(forge: Callable[[Evidence], None]) -> None:
    case = honest()
    forge(case)
    assert {fault.verdict for fault in found(case)} == {Verdict.NOTIFICATION}


def patience(case: Evidence, beside: frozenset[str] = frozenset()) -> list[Fault]:
    one = case.orders[0]
    return list(check_patience(case, one, case.history[JOB], case.calls, beside))


def retried(second_at: int, **fields: Any) -> Evidence:
    """Tried again by a table of one entry of ten seconds."""
    case = honest()
    case.orders[0].delays_seconds, case.orders[0].max_attempts = (10,), 2
    case.calls = [called(), called(2, second_at)]
    case.history[JOB] = [ran(FAILURE, SECOND, **fields)]
    return case


def test_a_table_is_followed_or_the_judge_says_so() -> None:
    assert patience(retried(ENDED_AT + 9_000)) == []
    assert [fault.verdict for fault in patience(retried(ENDED_AT + 8_500))] == [Verdict.PATIENCE]


def test_oracle_finds_an_attempt_that_begins_too_late_unless_a_redrive() -> None:
    case = retried(ENDED_AT + 9_500)
    case.orders[0].give_up_seconds = 60
    assert patience(case) == []
    case.orders[0].give_up_seconds = 5
    assert [fault.verdict for fault in patience(case)] == [Verdict.PATIENCE]
    assert patience(case, frozenset({RUN})) == []


def test_oracle_accepts_giving_up_only_beyond_the_requested_age() -> None:
    case = retried(ENDED_AT + 9_500)
    case.calls = case.calls[:1]
    case.history[JOB] = [ran(FAILURE, reason="too_old")]
    assert [fault.text for fault in patience(case)] == ["given up, which nobody asked for"]
    case.orders[0].give_up_seconds = 8
    assert patience(case) == []
    case.orders[0].give_up_seconds = 600
    assert [fault.verdict for fault in patience(case)] == [Verdict.PATIENCE]


def test_the_bounds_of_a_wait_are_those_of_the_table_or_of_the_backoff() -> None:
    one = replace(honest().orders[0], base_seconds=5, cap_seconds=30)
    assert [longest_wait_seconds(one, attempt) for attempt in (1, 2, 3, 4)] == [5, 10, 20, 30]
    table = replace(one, delays_seconds=(7, 1))
    assert [longest_wait_seconds(table, attempt) for attempt in (1, 2)] == [7, 1]
