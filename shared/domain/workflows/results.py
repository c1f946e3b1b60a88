"""Results: JSON that a task hands on to the tasks that need it, byte for byte.

The text of a result is never decoded and encoded again on its way, so that numbers, escapes and the order of members
arrive as they were sent.
"""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.delivery.callback import MAX_RESULT_BYTES
from shared.domain.delivery.json_text import read_json
from shared.domain.errors import InvalidValueError
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import Graph
from shared.domain.workflows.run import Run, TaskState
from shared.domain.workflows.run_rules import execution_of

JSON_TYPE = ("Content-Type", "application/json")
_RESERVED_BYTES = 32
"""For the members and the punctuation of the body, and again of each result in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededTask:
    """A task whose result another one needs, as it ended."""

    key: str
    state: TaskState
    execution_id: ExecutionId | None
    """Whose record has the result; None if the task did not succeed, or is a map."""
    is_map: bool = False
    """The result of a map that succeeded is in the record of its items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapElement:
    """The element of an array for which an item of a map is called."""

    position: int
    count: int
    """Elements of the array."""
    text: bytes


def needed_tasks(run: Run, graph: Graph, key: str) -> list[NeededTask]:
    """The tasks whose results a chosen task needs, in the order of its `needs`. All of them have ended for good."""
    return [needed_task(run, graph, needed) for needed in graph.nodes[graph.indexes()[key]].needs]


def needed_task(run: Run, graph: Graph, key: str) -> NeededTask:
    """A task whose result another one needs. InvalidValueError if it has not ended."""
    index = graph.indexes()[key]
    progress = run.tasks[index]
    if progress is None or progress.is_open:
        raise InvalidValueError(f"task {key} has not ended")
    succeeded = progress.state is TaskState.SUCCEEDED
    return NeededTask(
        key=key,
        state=progress.state,
        execution_id=execution_of(run, graph, index) if succeeded else None,
        is_map=succeeded and graph.nodes[index].map is not None,
    )


def read_result(body: bytes, at_most: int = MAX_RESULT_BYTES) -> bytes:
    """The text of a result, without white space around it; InvalidValueError for anything else.

    What is read of a longer body is cut off, so its white space counts: the end might be missing.
    """
    if len(body) > at_most:
        raise InvalidValueError(f"a result has at most {at_most} bytes")
    text = body.strip(b" \t\r\n")
    read_json(text)
    return text


def body_with_results(
    own: bytes, results: Sequence[tuple[NeededTask, bytes]], element: MapElement | None = None
) -> bytes:
    """`{"body": own, "results": {key: {"state": ..., "result": ...}}}`: each JSON text as it is, null if empty.

    The call of an item of a map also has `"item": {"index": ..., "count": ..., "value": element}`.
    """
    members = b",".join(
        b'"%b":{"state":"%b","result":%b}' % (task.key.encode(), task.state.encode(), text or b"null")
        for task, text in results
    )
    item = b""
    if element is not None:
        parts = element.position, element.count, element.text
        item = b'"item":{"index":%d,"count":%d,"value":%b},' % parts
    return b'{"body":%b,%b"results":{%b}}' % (own or b"null", item, members)


def without_noncharacters(body: bytes) -> bytes:
    """The same JSON, without the characters U+FFFE and U+FFFF, which SQS refuses: they can only be inside of texts."""
    return body.replace("\ufffe".encode(), b"\\ufffe").replace("\uffff".encode(), b"\\uffff")


def longest_body(own: bytes, needs: Sequence[str], *, is_map: bool = False) -> int:
    """No body with these results, and an element of an array for a map, has more bytes."""
    each = (len(key) + MAX_RESULT_BYTES + 2 * _RESERVED_BYTES for key in needs)
    return len(own) + _RESERVED_BYTES + sum(each) + (MAX_RESULT_BYTES + 2 * _RESERVED_BYTES) * is_map


def with_json_type(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The headers of a request with results: its own type, or that of JSON."""
    has_type = any(name.lower() == "content-type" for name, _ in headers)
    return headers if has_type else (*headers, JSON_TYPE)
