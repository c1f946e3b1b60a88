"""What the calls of tasks contain: the input of the run, results of other tasks, and elements of arrays."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from shared.domain.workflows.graph import Node
from tests.crashes.arrivals import Arrival
from tests.crashes.behaviours import LISTED
from tests.crashes.reader import OK


def body_faults(name: str, node: Node, calls: Sequence[Arrival], text: str) -> Iterator[str]:
    """Every attempt has the same results, and each of them is what its task has answered."""
    if node.takes_input:
        for call in calls:
            if call.payload["input"] != json.loads(text):
                yield f"workflow: {node.key} of {name} got {call.payload}, and not {text}"
    if not node.needs:
        return
    for call in calls:
        of = {key: _answered_by(each["result"]) for key, each in call.payload["results"].items()}
        if call.payload != calls[0].payload or list(of.items()) != [(key, key) for key in node.needs]:
            yield f"workflow: {node.key} of {name} got {call.payload}"


def _answered_by(result: Any) -> str:
    """The task whose receiver has answered; that of a map has answered for each item."""
    if isinstance(result, list):
        keys = {_answered_by(each) for each in result}
        return keys.pop() if len(keys) == 1 and len(result) == LISTED else str(result)
    return str(result and result["of"]).rpartition("/")[2]


def item_faults(
    name: str, node: Node, calls: Sequence[Arrival], of_run: Sequence[Arrival], *, is_redriven: bool = False
) -> Iterator[str]:
    """Each element has one execution, whose calls get it as the array has it; what waits for the map comes after.

    `is_redriven`: an element whose execution failed has a second one, and no other has.
    """
    executions: dict[int, set[str]] = {}
    failed: dict[int, set[str]] = {}
    for call in calls:
        item = call.payload["item"]
        of_item = failed if is_redriven and call.status != OK else executions
        of_item.setdefault(item["index"], set()).add(call.execution_id)
        if (item["count"], item["value"]["number"]) != (LISTED, item["index"]):
            yield f"workflow: an item of {node.key} of {name} got {item}"
    if sorted(executions) != list(range(LISTED)):
        yield f"workflow: {node.key} of {name} was called for the items {sorted(executions)}"
    for index, known in executions.items():
        again = failed.get(index, set())
        if len(known) > 1 or len(again) > 1 or known & again:
            yield f"doubled: item {index} of {node.key} of {name} has the executions {known}, {again}"
    if len({call.payload["item"]["value"]["attempt"] for call in calls}) > 1:
        yield f"workflow: the items of {node.key} of {name} are of several arrays"
    called: set[int] = set()
    for call in of_run:
        key = call.path.rpartition("/")[2]
        if key == node.key and not (is_redriven and call.status != OK):
            called.add(call.payload["item"]["index"])
        elif key == "join" and len(called) < LISTED:
            yield f"workflow: {key} of {name} was called before items of {node.key}: {called}"
