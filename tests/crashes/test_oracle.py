"""The oracle finds each broken promise, and finds none where there is none."""

from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.forged import DELETED, DUE_AT, T0, arrival, attempted, order, record, series, text, verdict
from tests.crashes.orders import Order

UNCALLED = {"state": "failed", "end_reason": "worker_lost", "attempts": []}
TWICE = record(attempts_begun=2, attempts=[attempted(2, "ok")])
CANCELLED = {"cancel_asked_at": T0 + 10, "cancel_acked_at": T0 + 20, "cancelled": True}


def test_a_job_that_was_called_once_is_fine() -> None:
    assert verdict(order(), [record()], [arrival()]) == []


def test_attempts_that_a_blow_used_up_are_excused() -> None:
    assert verdict(order(max_attempts=1), [record(**UNCALLED)], [], blows=1) == []


def test_a_receiver_that_is_gone_makes_an_attempt_the_last() -> None:
    refused = {"state": "failed", "end_reason": "not_retryable", "attempts": [attempted(1, "http_status")]}
    assert verdict(order(), [record(**refused)], [arrival(status=410)]) == []
    (fault,) = verdict(order(), [record(**refused)], [arrival(status=500)])
    assert fault.startswith("lost")


def test_a_second_call_after_a_success_is_excused_by_a_blow() -> None:
    assert verdict(order(), [TWICE], [arrival(), arrival(attempt=2)], blows=1) == []


def test_a_second_message_is_excused_by_a_lost_answer_and_a_second_call_is_not() -> None:
    twice = [arrival(), arrival(attempt=2)]
    assert verdict(order(has_target=True), [TWICE], twice, blows=1, deaths=0) == []
    (fault,) = verdict(order(), [TWICE], twice, blows=1, deaths=0)
    assert fault.startswith("doubled")
    (fault,) = verdict(order(has_target=True), [TWICE], twice)
    assert fault.startswith("doubled")


@pytest.mark.parametrize(
    ("word", "asked", "records", "arrivals", "blows"),
    [
        ("lost", order(), [], [], 0),
        ("lost", order(), [record(state="queued", attempts_begun=0, attempts=[])], [], 1),
        ("lost", order(max_attempts=1), [record(**UNCALLED)], [], 0),
        ("lost", order(), [record(**UNCALLED)], [], 1),
        ("lost", order(), [record(state="cancelled", attempts_begun=0, attempts=[])], [], 1),
        ("history", order(), [record()], [], 1),
        ("history", order(), [record(attempts_begun=2)], [arrival(), arrival(attempt=2)], 1),
        ("doubled", order(), [record()], [arrival(), arrival(began_at=DUE_AT + 50)], 1),
        ("doubled", order(), [record()], [arrival(), arrival(job_id="job_2", execution_id="exe_2")], 1),
        ("attempts", order(max_attempts=1), [TWICE], [arrival(), arrival(attempt=2)], 1),
        ("early", order(), [record()], [arrival(began_at=DUE_AT - 1)], 1),
        ("forged", order(), [record()], [arrival(genuine=False)], 1),
        ("cancel", order(**CANCELLED), [record()], [arrival()], 1),
        ("answer", order(acked_at=None), [], [], 1),
        ("answer", order(refusals=[500]), [record()], [arrival()], 1),
        ("stray", order(), [record()], [arrival(), arrival(path="/ok/2")], 1),
    ],
)
def test_a_broken_promise_is_found(
    word: str, asked: Order, records: list[dict[str, Any]], arrivals: list[Arrival], blows: int
) -> None:
    faults = verdict(asked, records, arrivals, blows)
    assert faults
    assert all(fault.startswith(word) for fault in faults), faults


SKIPPED = {"state": "skipped", "end_reason": "coalesced", "attempts_begun": 0, "attempts": []}


def missed(first: int, last: int, count: int) -> dict[str, Any]:
    gap = {"count": count, "first_at": text(T0 + first * 60_000), "last_at": text(T0 + last * 60_000)}
    return {**SKIPPED, "missed": gap}


def test_a_series_that_is_whole_is_fine() -> None:
    assert verdict(order(**DELETED), *series(1, 2, 3)) == []


def test_a_recorded_gap_is_fine() -> None:
    records, calls = series(1, 2, **missed(2, 3, 2))
    assert verdict(order(**DELETED), records, calls[:1]) == []


@pytest.mark.parametrize(
    ("word", "records", "calls"),
    [
        ("lost", *series(1, 3)),
        ("lost", *series(1, 2)),
        ("instants", *series(0, 1, 2, 3)),
        ("cancel", *series(1, 2, 3, 4)),
        ("doubled", *series(1, 2, 2, 3)),
        ("history", series(1, 2, **missed(2, 3, 1))[0], series(1)[1]),
    ],
)
def test_a_series_with_a_fault_is_not(word: str, records: list[dict[str, Any]], calls: list[Arrival]) -> None:
    assert any(fault.startswith(word) for fault in verdict(order(**DELETED), records, calls))


def test_a_run_beside_the_schedule_is_no_instant_of_it() -> None:
    records, calls = series(1, 2, 3)
    beside = record(id="exe_beside", scheduled_at=text(T0 + 70_000))
    beside_call = arrival(execution_id="exe_beside", scheduled_at=T0 + 70_000, began_at=T0 + 70_001)
    asked = order(**DELETED, triggered={"exe_beside"})
    assert verdict(asked, [*records, beside], [*calls, beside_call]) == []
    assert any(fault.startswith("lost") for fault in verdict(asked, records, calls))
    assert any(fault.startswith("instants") for fault in verdict(order(**DELETED), [*records, beside], calls))
