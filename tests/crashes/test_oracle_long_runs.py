"""The oracle of attempts that go on after their calls, and of runs that must not overlap."""

from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.forged import DELETED, DUE_AT, T0, arrival, attempted, order, record, series, verdict
from tests.crashes.reports import Report, Verb

BEGUN = arrival(status=202)
LOST = record(state="failed", end_reason="worker_lost", attempts=[])
FAILED = record(state="failed", end_reason="attempts_used_up", attempts=[attempted(1, "receiver_failed")])
GIVEN_UP = record(state="failed", end_reason="not_retryable", attempts=[attempted(1, "receiver_gave_up")])


def report(verb: Verb, **changes: Any) -> Report:
    asked_at = DUE_AT + 5_000
    given: dict[str, Any] = {"execution_id": "exe_1", "attempt": 1, "verb": verb, "status": 200}
    return Report(**given | {"asked_at": asked_at, "answered_at": asked_at + 3} | changes)


COMPLETE, FAIL, GIVE_UP, HEARTBEAT = (
    report(verb) for verb in (Verb.COMPLETE, Verb.FAIL, Verb.GIVE_UP, Verb.HEARTBEAT)
)
TOO_LATE = report(Verb.COMPLETE, status=409)
NO_ANSWER = report(Verb.COMPLETE, status=502)
SECOND = [attempted(2, "ok")]
HEARD = report(Verb.HEARTBEAT, lease_until=DUE_AT + 20_000)


@pytest.mark.parametrize(
    ("one", "arrivals", "reports"),
    [
        (record(), [BEGUN], [HEARTBEAT, COMPLETE]),
        (record(), [BEGUN], [COMPLETE, COMPLETE, report(Verb.FAIL, status=409)]),
        (record(attempts=[attempted(1, "ok", duration_ms=3_000)]), [BEGUN], [COMPLETE]),
        (FAILED, [BEGUN], [FAIL]),
        (GIVEN_UP, [BEGUN], [GIVE_UP]),
        (LOST, [BEGUN], []),
        (LOST, [BEGUN], [TOO_LATE]),
        (
            record(attempts_begun=2, attempts=SECOND),
            [BEGUN, arrival(attempt=2, began_at=DUE_AT + 20_000)],
            [HEARD, TOO_LATE],
        ),
    ],
)
def test_an_attempt_that_went_on_and_ended_as_it_was_reported_is_fine(
    one: dict[str, Any], arrivals: list[Arrival], reports: list[Report]
) -> None:
    assert verdict(order(max_attempts=one["attempts_begun"]), [one], arrivals, reports=reports) == []


@pytest.mark.parametrize(
    ("word", "one", "arrivals", "reports"),
    [
        ("history", record(), [BEGUN], []),
        ("history", record(), [BEGUN], [HEARTBEAT]),
        ("history", FAILED, [BEGUN], []),
        ("history", record(attempts=[attempted(1, "ok", duration_ms=2_999)]), [BEGUN], [COMPLETE]),
        ("lost", record(state="running", attempts=[]), [BEGUN], []),
        ("report", LOST, [BEGUN], [COMPLETE]),
        ("report", FAILED, [BEGUN], [FAIL, COMPLETE]),
        ("report", record(), [BEGUN], [COMPLETE, FAIL]),
        ("report", record(), [BEGUN], [TOO_LATE]),
        ("answer", record(), [BEGUN], [NO_ANSWER]),
        ("answer", record(), [BEGUN], [report(Verb.COMPLETE, status=404)]),
        (
            "lease",
            record(attempts_begun=2, attempts=SECOND),
            [BEGUN, arrival(attempt=2, began_at=DUE_AT + 19_999)],
            [HEARD],
        ),
        (
            "doubled",
            record(attempts_begun=2, attempts=[attempted(1, "ok"), *SECOND]),
            [BEGUN, arrival(attempt=2)],
            [COMPLETE],
        ),
    ],
)
def test_a_report_that_was_lost_made_up_or_turned_round_is_found(
    word: str, one: dict[str, Any], arrivals: list[Arrival], reports: list[Report]
) -> None:
    faults = verdict(order(max_attempts=one["attempts_begun"]), [one], arrivals, reports=reports)
    assert faults
    assert all(fault.startswith(word) for fault in faults), faults


def test_oracle_finds_a_give_up_that_the_receiver_did_not_report() -> None:
    faults = verdict(order(max_attempts=3), [GIVEN_UP], [BEGUN])
    assert {fault.split(":")[0] for fault in faults} == {"history", "lost"}


ONE_AT_A_TIME = {**DELETED, "overlap_policy": "queue_one"}
FIRST, SECOND_CALL = T0 + 60_000, T0 + 120_009


@pytest.mark.parametrize(("reported_at", "is_broken"), [(SECOND_CALL, False), (SECOND_CALL + 1, True)])
def test_runs_that_overlap_are_found(reported_at: int, is_broken: bool) -> None:
    records, calls = series(1, 2, 3)
    calls[0] = arrival(execution_id=records[0]["id"], scheduled_at=FIRST, began_at=FIRST + 9, status=202)
    records[0].update(attempts=[attempted(1, "ok", duration_ms=reported_at - DUE_AT)])
    told = report(Verb.COMPLETE, execution_id=records[0]["id"], asked_at=reported_at)
    faults = verdict(order(**ONE_AT_A_TIME), records, calls, reports=[told])
    assert [fault.startswith("overlap") for fault in faults] == [True] * is_broken
    assert verdict(order(**DELETED), records, calls, reports=[told]) == []


@pytest.mark.parametrize(
    ("policy", "minutes", "is_broken"),
    [("skip", (1, 2, 3), False), (None, (1, 2, 3), True), ("skip", (3, 2, 1), True)],
)
def test_a_run_is_skipped_only_where_another_may_be_at_work(
    policy: str | None, minutes: tuple[int, ...], is_broken: bool
) -> None:
    records, calls = series(*minutes, state="skipped", end_reason="overlap", attempts_begun=0, attempts=[])
    faults = verdict(order(**DELETED, overlap_policy=policy), records, calls[:-1])
    assert [fault.startswith("lost") for fault in faults] == [True] * is_broken
