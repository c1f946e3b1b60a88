"""The oracle of alerts about limits: lost, doubled and wrong ones are found."""

from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.forged import arrival
from tests.crashes.limit_alerts import alert_faults

QUOTA = "concurrency"
TOLD: dict[str, Any] = {"type": "tenant.alert", "data": {"limit": QUOTA}}


def alert(execution_id: str = "exe_1", **changes: Any) -> Arrival:
    return arrival(execution_id=execution_id, **{"payload": TOLD} | changes)


def found(*calls: Arrival, state: str = "succeeded", is_due: bool = True) -> list[str]:
    records = {call.execution_id: {"state": state} for call in calls}
    return [fault.partition(":")[0] for fault in alert_faults(QUOTA, calls, records, is_due=is_due)]


def test_alert_that_tells_of_the_limit_is_right_however_often_it_is_called() -> None:
    assert found(alert()) == []
    assert found(alert(status=500), alert()) == []
    assert found(is_due=False) == []


@pytest.mark.parametrize(
    ("calls", "word"),
    [
        ([], "lost"),
        ([alert(status=500)], "lost"),
        ([alert(), alert("exe_2")], "doubled"),
        ([alert(genuine=False)], "alert"),
        ([alert(payload=TOLD | {"type": "execution.alert"})], "alert"),
        ([alert(payload=TOLD | {"data": {"limit": "recurring_jobs"}})], "alert"),
    ],
)
def test_alert_that_is_lost_doubled_or_wrong_is_found(calls: list[Arrival], word: str) -> None:
    assert found(*calls) == [word]


def test_alert_that_has_not_succeeded_is_found() -> None:
    assert found(alert(), state="pending") == ["lost"]
