"""The oracle of notifications: each end is told of, by one execution, after it stands, and as it was."""

from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.forged import DUE_AT, arrival, attempted, order, record, text, verdict
from tests.crashes.orders import Order

PATH = "/ok/1-success"
ENDED_AT = DUE_AT + 6_000
CHOSEN = {"notification": {"id": "exe_told", "state": None}}
TOLD = order(told={"success": PATH})


def said(**changes: Any) -> Arrival:
    data = {"execution_id": "exe_1", "attempts_begun": 1, "end_reason": None} | changes.pop("data", {})
    payload = {"type": changes.pop("type", "execution.succeeded"), "data": data}
    given: dict[str, Any] = {"path": PATH, "execution_id": "exe_told", "began_at": ENDED_AT + 50}
    return arrival(**given | changes, payload=payload)


def notification(**changes: Any) -> dict[str, Any]:
    return record(id="exe_told", scheduled_at=text(DUE_AT)) | changes


def checked(asked: Order, records: list[dict[str, Any]], made: list[Arrival], **changes: Any) -> list[str]:
    return verdict(asked, records, made, blows=0, notifications={"exe_1": notification(**changes)})


def test_an_end_that_was_told_of_is_fine() -> None:
    assert checked(TOLD, [record(**CHOSEN)], [arrival(), said()]) == []


def test_a_notification_may_be_tried_again() -> None:
    attempts = {"attempts_begun": 2, "attempts": [attempted(1, "http_status"), attempted(2, "ok")]}
    made = [arrival(), said(status=500), said(attempt=2)]
    assert checked(TOLD, [record(**CHOSEN)], made, **attempts) == []


def test_notification_without_a_receiver_may_stay_unfiled() -> None:
    assert verdict(order(), [record(**CHOSEN)], [arrival()], notifications={"exe_1": {}}) == []


@pytest.mark.parametrize(
    ("word", "asked", "records", "made", "shown"),
    [
        ("lost", TOLD, [record()], [], {}),
        ("lost", TOLD, [record(**CHOSEN)], [], {"state": "queued", "attempts_begun": 0, "attempts": []}),
        ("doubled", TOLD, [record(**CHOSEN)], [said(), said(execution_id="exe_another")], {}),
        ("doubled", TOLD, [record(**CHOSEN)], [said(), said()], {}),
        ("stray", TOLD, [record(**CHOSEN)], [said(), said(data={"execution_id": "exe_9"})], {}),
        ("stray", order(), [record(**CHOSEN)], [], {}),
        ("stray", order(), [record()], [said()], {}),
        ("history", TOLD, [record(**CHOSEN)], [said(type="execution.failed")], {}),
        ("history", TOLD, [record(**CHOSEN)], [said(data={"attempts_begun": 2})], {}),
        ("early", TOLD, [record(**CHOSEN)], [said(began_at=ENDED_AT - 1)], {}),
        ("forged", TOLD, [record(**CHOSEN)], [said(genuine=False)], {}),
    ],
)
def test_an_end_that_was_not_told_of_once_is_found(
    word: str, asked: Order, records: list[dict[str, Any]], made: list[Arrival], shown: dict[str, Any]
) -> None:
    faults = checked(asked, records, [arrival(), *made], **shown)
    assert any(fault.startswith(word) for fault in faults), faults
