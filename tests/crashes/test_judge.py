"""The judge finds each broken promise, and finds none where there is none."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.judge import Judge
from tests.crashes.orders import Order

T0 = 1_800_000_000_000
DUE_AT = T0 + 60_000


def order(**changes: Any) -> Order:
    given: dict[str, Any] = {"path": "/ok/1", "max_attempts": 3, "key": "k", "job_id": "job_1"}
    return Order(**given | {"created_at": T0, "due_at": DUE_AT, "acked_at": T0 + 5} | changes)


def arrival(**changes: Any) -> Arrival:
    given: dict[str, Any] = {"path": "/ok/1", "job_id": "job_1", "execution_id": "exe_1", "attempt": 1}
    times = {"scheduled_at": DUE_AT, "began_at": DUE_AT + 20}
    return Arrival(**given | times | {"status": 200, "genuine": True} | changes)


def record(**changes: Any) -> dict[str, Any]:
    attempts = [{"number": 1, "reason": "ok"}]
    given = {"id": "exe_1", "state": "succeeded", "attempts_begun": 1, "attempts": attempts}
    return given | {"end_reason": None, "missed": None, "scheduled_at": _text(DUE_AT)} | changes


def _text(instant_ms: int) -> str:
    return datetime.fromtimestamp(instant_ms / 1000, UTC).isoformat()


def verdict(
    asked: Order, records: list[dict[str, Any]], arrivals: list[Arrival], blows: int = 0
) -> list[str]:
    return Judge(
        orders=[asked], history={"job_1": records}, arrivals=arrivals, blows=blows, deaths=blows
    ).verdict()


UNCALLED = {"state": "failed", "end_reason": "worker_lost", "attempts": []}
TWICE = record(attempts_begun=2, attempts=[{"number": 2, "reason": "ok"}])
CANCELLED = {"cancel_asked_at": T0 + 10, "cancel_acked_at": T0 + 20, "cancelled": True}


def test_a_job_that_was_called_once_is_fine() -> None:
    assert verdict(order(), [record()], [arrival()]) == []


def test_attempts_that_a_blow_used_up_are_excused() -> None:
    assert verdict(order(max_attempts=1), [record(**UNCALLED)], [], blows=1) == []


def test_a_second_call_after_a_success_is_excused_by_a_blow() -> None:
    assert verdict(order(), [TWICE], [arrival(), arrival(attempt=2)], blows=1) == []


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


DELETED = {"rate_seconds": 60, "cancel_asked_at": T0 + 185_000, "cancel_acked_at": T0 + 185_020}


def series(*minutes: int, **last: Any) -> tuple[list[dict[str, Any]], list[Arrival]]:
    """A record and a call for each of these instants of a job that fires each minute."""
    instants = [T0 + minute * 60_000 for minute in minutes]
    records = [record(id=f"exe_{instant}", scheduled_at=_text(instant)) for instant in instants]
    records[-1].update(last)
    calls = [
        arrival(execution_id=f"exe_{instant}", scheduled_at=instant, began_at=instant + 9)
        for instant in instants
    ]
    return records, calls


SKIPPED = {"state": "skipped", "attempts_begun": 0, "attempts": []}


def missed(first: int, last: int, count: int) -> dict[str, Any]:
    gap = {"count": count, "first_at": _text(T0 + first * 60_000), "last_at": _text(T0 + last * 60_000)}
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
    beside = record(id="exe_beside", scheduled_at=_text(T0 + 70_000))
    beside_call = arrival(execution_id="exe_beside", scheduled_at=T0 + 70_000, began_at=T0 + 70_001)
    asked = order(**DELETED, triggered={"exe_beside"})
    assert verdict(asked, [*records, beside], [*calls, beside_call]) == []
    assert any(fault.startswith("lost") for fault in verdict(asked, records, calls))
    assert any(fault.startswith("instants") for fault in verdict(order(**DELETED), [*records, beside], calls))


@pytest.mark.parametrize(("until_ms", "is_broken"), [(T0 + 120_009, False), (T0 + 120_010, True)])
def test_a_start_during_a_pause_is_found(until_ms: int, is_broken: bool) -> None:
    asked = order(**DELETED, pauses=[(T0 + 100_000, until_ms)])
    faults = verdict(asked, *series(1, 2, 3))
    assert [fault.startswith("cancel") for fault in faults] == [True] * is_broken
