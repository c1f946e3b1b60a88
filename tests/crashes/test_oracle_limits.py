"""The oracle of limits, breakers, the slow path and parked messages."""

from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.forged import T0, arrival
from tests.crashes.limits import ADMITTED_FOR_MS, OPEN_MS, REMEMBERED_MS, Limits, limit_faults
from tests.crashes.parked_messages import parking_faults

SECOND = T0 - T0 % 1_000


def call(began_at: int, batch: int = 1, **changes: Any) -> Arrival:
    return arrival(began_at=began_at, batch=batch, destination="http://one", **changes)


def found(limits: Limits, *calls: Arrival) -> list[str]:
    return [fault.partition(":")[0] for fault in limit_faults(limits, list(calls))]


@pytest.mark.parametrize("name", ["concurrency", "destination_concurrency"])
def test_more_calls_in_a_batch_than_there_may_be_at_once_are_found(name: str) -> None:
    chosen: dict[str, Any] = {name: 2}
    limits = Limits(**chosen)
    assert found(limits, call(T0), call(T0), call(T0, batch=2)) == []
    assert found(limits, call(T0), call(T0), call(T0)) == ["limit"]


def test_calls_of_another_destination_count_for_its_tenant_alone() -> None:
    calls = [call(T0), arrival(began_at=T0, batch=1, destination="http://other")]
    assert found(Limits(destination_concurrency=1), *calls) == []
    assert found(Limits(concurrency=1), *calls) == ["limit"]


def test_more_calls_than_the_seconds_allow_in_which_they_were_let_through_are_found() -> None:
    allowed = [call(SECOND, batch=number) for number in range(4)]
    assert ADMITTED_FOR_MS // 1_000 == 2
    assert found(Limits(calls_per_second=1), *allowed) == []
    assert found(Limits(calls_per_second=1), *allowed, call(SECOND, batch=5)) == ["limit"]
    assert found(Limits(calls_per_second=1), *allowed, call(SECOND + 1_000, batch=5)) == []


@pytest.mark.parametrize(
    ("faults", "calls"),
    [
        ([], [call(T0), call(T0 + OPEN_MS, status=502), call(T0 + 90_000, 2), call(T0 + 90_001, 3)]),
        ([], [call(T0 + OPEN_MS), call(T0 + 90_000, 2), call(T0 + 90_000, 2)]),
        ([], [call(T0 + REMEMBERED_MS + 1), call(T0 + REMEMBERED_MS + 1)]),
        (["breaker"], [call(T0 + REMEMBERED_MS), call(T0 + REMEMBERED_MS)]),
        (["breaker"], [call(T0 + OPEN_MS - 1)]),
        (["breaker"], [call(T0 + OPEN_MS), call(T0 + OPEN_MS)]),
        (["breaker"], [call(T0 + OPEN_MS, status=502), call(T0 + 9_000, 2), call(T0 + 9_000, 2)]),
    ],
)
def test_calls_behind_an_open_breaker_are_found(faults: list[str], calls: list[Arrival]) -> None:
    assert found(Limits(opened={"http://one": T0}), *calls) == faults


@pytest.mark.parametrize(("queue", "faults"), [("slow", []), ("slow-bulk", []), ("standard", ["slow"])])
def test_a_slow_destination_is_called_on_the_slow_path(queue: str, faults: list[str]) -> None:
    limits = Limits(slow={"http://one": T0})
    calls = [call(T0, queue="standard"), call(T0 + 1, queue=queue), call(T0 + 2, queue="standard")]
    assert found(limits, *calls) == faults


@pytest.mark.parametrize(
    ("parked", "words"),
    [({"a"}, []), ({"a", "b"}, []), ({"b"}, ["lost"]), ({"a", "c"}, ["parked"])],
)
def test_oracle_finds_a_message_lost_or_parked_without_need(parked: set[str], words: list[str]) -> None:
    faults = parking_faults(parked, must={"a"}, may={"b"})
    assert [fault.partition(":")[0] for fault in faults] == words
