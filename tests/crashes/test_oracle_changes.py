"""The oracle of changes: what was acknowledged is what is called, and when, and nothing starts in a pause."""

from dataclasses import replace
from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.forged import DELETED, DUE_AT, T0, arrival, attempted, order, record, series, text, verdict
from tests.crashes.orders import Order, Pause, Version

MOVED_TO = DUE_AT + 300_000
NEW_TIMES = {"scheduled_at": MOVED_TO, "began_at": MOVED_TO + 9}
MOVED_RECORD = record(id="exe_2", scheduled_at=text(MOVED_TO))


def changed(*, acked: bool, payload: str = "", due_at: int = DUE_AT) -> Order:
    created = Version(payload="", due_at=DUE_AT, acked_at=T0 + 5)
    change = Version(payload=payload, due_at=due_at, acked_at=T0 + 50 if acked else None)
    return order(versions=[created, change])


@pytest.mark.parametrize("acked", [True, False])
def test_oracle_accepts_a_call_with_the_changed_content_and_time(acked: bool) -> None:
    asked = changed(acked=acked, payload="new", due_at=MOVED_TO)
    called = arrival(execution_id="exe_2", payload="new", **NEW_TIMES)
    assert verdict(asked, [MOVED_RECORD], [called]) == []


def test_a_change_that_was_not_acknowledged_may_not_have_been_made() -> None:
    asked = changed(acked=False, payload="new", due_at=MOVED_TO)
    assert verdict(asked, [record()], [arrival()]) == []


@pytest.mark.parametrize(
    ("asked", "records", "arrivals"),
    [
        (changed(acked=True, payload="new"), [record()], [arrival()]),
        (changed(acked=False, payload="new"), [record()], [arrival(payload="newer")]),
        (changed(acked=False, payload="new", due_at=MOVED_TO), [record()], [arrival(payload="new")]),
        (changed(acked=True, due_at=MOVED_TO), [record()], [arrival()]),
        (
            changed(acked=True, due_at=MOVED_TO),
            [MOVED_RECORD],
            [arrival(), arrival(execution_id="exe_2", **NEW_TIMES)],
        ),
        (changed(acked=True, due_at=MOVED_TO), [record()], [arrival(**NEW_TIMES)]),
        (order(), [record()], [arrival(payload="another's")]),
    ],
)
def test_oracle_finds_a_call_with_another_content_or_time_than_the_job(
    asked: Order, records: list[dict[str, Any]], arrivals: list[Arrival]
) -> None:
    faults = verdict(asked, records, arrivals, blows=1)
    assert faults
    assert all(fault.startswith("edit") for fault in faults), faults


def test_a_job_that_was_moved_has_one_execution() -> None:
    asked = changed(acked=False, due_at=MOVED_TO)
    calls = [arrival(), arrival(execution_id="exe_2", **NEW_TIMES)]
    faults = verdict(asked, [record(), MOVED_RECORD], calls)
    assert [fault.startswith("doubled") for fault in faults] == [True]


def versions(acked_at: int | None) -> list[Version]:
    return [Version(payload="", due_at=0, acked_at=T0), Version(payload="new", due_at=0, acked_at=acked_at)]


@pytest.mark.parametrize(
    ("acked_at", "payload", "is_broken"),
    [
        (T0 + 120_009, "", False),
        (T0 + 120_008, "", True),
        (T0 + 120_008, "new", False),
        (None, "new", False),
        (None, "newer", True),
    ],
)
def test_a_run_of_what_was_replaced_is_found(acked_at: int | None, payload: str, is_broken: bool) -> None:
    records, calls = series(1, 2)
    calls[1] = replace(calls[1], payload=payload)
    asked = order(**DELETED | {"cancel_asked_at": T0 + 125_000}, versions=versions(acked_at))
    faults = verdict(asked, records, calls)
    assert [fault.startswith("edit") for fault in faults] == [True] * is_broken


def test_oracle_accepts_an_attempt_that_started_before_the_update() -> None:
    records, calls = series(1, 2, attempts_begun=2, attempts=[attempted(2, "ok")])
    calls[1] = replace(calls[1], attempt=2)
    asked = order(**DELETED | {"cancel_asked_at": T0 + 125_000}, versions=versions(T0 + 110_000))
    assert verdict(asked, records, calls, blows=1) == []


@pytest.mark.parametrize(
    ("until_ms", "broken"), [(T0 + 120_009, 0), (T0 + 120_010, 1), (T0 + 190_000, 2), (None, 2)]
)
def test_a_start_during_a_pause_is_found(until_ms: int | None, broken: int) -> None:
    asked = order(**DELETED, pauses=[Pause(acked_at=T0 + 100_000, resumed_at=until_ms)])
    faults = verdict(asked, *series(1, 2, 3))
    assert [fault.startswith("cancel") for fault in faults] == [True] * broken


@pytest.mark.parametrize(("pauses", "is_broken"), [([Pause()], False), ([], True)])
def test_instants_are_passed_over_only_for_a_reason(pauses: list[Pause], is_broken: bool) -> None:
    records, calls = series(1, 2, 3, state="skipped", end_reason="job_paused", attempts_begun=0, attempts=[])
    faults = verdict(order(**DELETED, pauses=pauses), records, calls[:2])
    assert [fault.startswith("lost") for fault in faults] == [True] * is_broken


@pytest.mark.parametrize(("skipped", "is_broken"), [(3, False), (2, True)])
def test_deletion_skips_only_what_stands_behind_the_last_filed_run(skipped: int, *, is_broken: bool) -> None:
    records, calls = series(1, 2, 3)
    records[skipped - 1] |= {
        "state": "skipped",
        "end_reason": "job_deleted",
        "attempts_begun": 0,
        "attempts": [],
    }
    del calls[skipped - 1]
    faults = verdict(order(**DELETED), records, calls)
    assert [fault.startswith("lost") for fault in faults] == [True] * is_broken


def test_a_run_beside_the_schedule_is_not_skipped() -> None:
    records, calls = series(1, 2, 3)
    beside = record(id="exe_beside", scheduled_at=text(T0 + 70_000))
    beside.update(state="skipped", attempts_begun=0, attempts=[])
    faults = verdict(order(**DELETED, triggered={"exe_beside"}), [*records, beside], calls)
    assert [fault.startswith("lost") for fault in faults] == [True]
