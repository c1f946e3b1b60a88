"""What the oracle says of the runs that events have started."""

from dataclasses import replace
from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.bus_events import TriggeredJob, event_faults
from tests.crashes.forged import arrival, order
from tests.crashes.orders import Version

JOB = "job_r1"


def event(number: int) -> dict[str, Any]:
    return {"source": "com.crashes.t", "type": "paid", "id": f"t-{number}", "data": {"number": number}}


def job(*, is_debounced: bool = False, events: int = 1) -> TriggeredJob:
    wanted = order(job_id=JOB, rate_seconds=60, versions=[Version(payload="p", due_at=0)])
    sent = [event(number) for number in range(events)]
    return TriggeredJob(order=wanted, name="t", is_debounced=is_debounced, sent=sent)


def record(number: int, execution: str = "exe_1", state: str = "succeeded") -> dict[str, Any]:
    cause = {"trigger": "t", "source": "com.crashes.t", "id": f"t-{number}"}
    return {"id": execution, "state": state, "event": cause}


def call(number: int, execution: str = "exe_1") -> Arrival:
    payload = {"event": event(number), "body": "p"}
    return arrival(job_id=JOB, execution_id=execution, payload=payload)


def kinds(told: TriggeredJob, records: list[dict[str, Any]], *calls: Arrival, calm: bool = True) -> list[str]:
    faults = event_faults(told, records, list(calls), must_succeed=calm)
    return [fault.partition(":")[0] for fault in faults]


def test_event_with_one_run_is_fine_beside_runs_of_the_schedule() -> None:
    assert kinds(job(), [record(0), {"id": "exe_2", "state": "succeeded"}], call(0)) == []


def test_burst_is_one_run_with_its_last_event() -> None:
    burst = job(is_debounced=True, events=2)
    assert kinds(burst, [record(1)], call(1)) == []
    assert "lost" in kinds(burst, [record(0)], call(0))
    assert "stray" in kinds(burst, [record(0), record(1, "exe_2")], call(0), call(1, "exe_2"))


@pytest.mark.parametrize(
    ("records", "calls", "fault"),
    [
        ([], [], "lost"),
        ([record(0), record(0, "exe_2")], [call(0), call(0, "exe_2")], "doubled"),
        ([record(0)], [replace(call(0), payload="p")], "event"),
        ([record(0), record(9, "exe_2")], [call(0)], "stray"),
        ([record(0)], [call(0), call(0, "exe_2")], "stray"),
        ([record(0, state="skipped")], [], "lost"),
    ],
)
def test_event_without_exactly_one_run_is_a_fault(
    records: list[dict[str, Any]], calls: list[Arrival], fault: str
) -> None:
    assert kinds(job(), records, *calls) == [fault]


def test_run_of_an_event_may_fail_where_workers_are_struck() -> None:
    assert kinds(job(), [record(0, state="failed")], call(0), calm=False) == []
