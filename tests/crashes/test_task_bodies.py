"""The oracle finds what is wrong with the calls of a map's items."""

from dataclasses import replace
from typing import Any

from shared.domain.workflows.graph import Node
from shared.domain.workflows.task_map import TaskMap
from tests.crashes.arrivals import Arrival
from tests.crashes.behaviours import LISTED
from tests.crashes.task_bodies import item_faults

EACH = Node(key="each", after=("list",), map=TaskMap(over="list"))


def call(index: int, execution_id: str | None = None, number: int | None = None) -> Arrival:
    value = {"number": index if number is None else number, "attempt": 1}
    payload: dict[str, Any] = {"item": {"index": index, "count": LISTED, "value": value}}
    return Arrival(
        path="/ok/workflow-1/each",
        job_id="wfl_1",
        execution_id=execution_id or f"exe_{index}",
        attempt=1,
        scheduled_at=0,
        began_at=0,
        status=200,
        genuine=True,
        payload=payload,
    )


def faults(calls: list[Arrival], of_run: list[Arrival] | None = None) -> list[str]:
    return [text.split(":")[0] for text in item_faults("run", EACH, calls, of_run or calls)]


def test_items_that_are_called_once_or_again_are_no_fault() -> None:
    calls = [call(index) for index in range(LISTED)]
    join = replace(calls[0], path="/ok/workflow-1/join")
    assert faults([*calls, calls[0]], [*calls, join, calls[0]]) == []


def test_item_that_is_lost_doubled_wrong_or_late_is_a_fault() -> None:
    calls = [call(index) for index in range(LISTED)]
    join = replace(calls[0], path="/ok/workflow-1/join")
    assert faults(calls[1:]) == ["workflow"]
    assert faults([*calls, call(0, execution_id="exe_other")]) == ["doubled"]
    assert faults([*calls[:-1], call(LISTED - 1, number=7)]) == ["workflow"]
    assert faults(calls, [*calls[1:], join, calls[0]]) == ["workflow"]


def test_item_that_failed_has_one_more_execution_after_a_redrive_and_no_other_item_has() -> None:
    first = [call(index) for index in range(LISTED)]
    first[1] = replace(first[1], status=500)
    again = call(1, execution_id="exe_again")

    def found(*further: Arrival) -> list[str]:
        calls = [*first, *further]
        return [text.split(":")[0] for text in item_faults("run", EACH, calls, calls, is_redriven=True)]

    assert found(again) == []
    assert found() == ["workflow"]
    assert found(again, call(0, execution_id="exe_other")) == ["doubled"]
    assert found(call(1)) == ["doubled"]
    assert found(again, call(1, execution_id="exe_third")) == ["doubled"]
