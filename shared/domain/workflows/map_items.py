"""The items of a map: one record beside that of the run, so that the run stays small.

The record belongs to one epoch of its run at a time. Within an epoch, each item ends once. The next epoch takes over
what has succeeded, and chooses the others anew.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.identities import task_execution_id
from shared.domain.workflows.run import Run, TaskProgress, TaskReason, TaskState
from shared.domain.workflows.run_rules import ENDS, STOPPED_BY, MapEnd
from shared.domain.workflows.task_map import MAX_ITEMS, pointer_tokens

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
"""Numbers are not converted: some would overflow, and others take long."""
_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class MapItems:
    """How far the items of a map have come. InvalidValueError for more items than a map has."""

    run: ExecutionId
    key: str
    """Of the task."""
    tenant_id: str
    workflow_id: str
    epoch: int
    items: tuple[TaskProgress, ...] | None
    """In the order of the array; None if the map was stopped before its array was counted."""
    stopped: TaskReason | None = None
    """Set if the map was stopped before its items were chosen in this epoch: it has ended as cancelled."""
    result: bytes = b""
    """The results of the items that have succeeded, once all have ended: a sealed JSON array. Empty where no task needs
    it."""

    def __post_init__(self) -> None:
        if self.items is not None and len(self.items) > MAX_ITEMS:
            raise InvalidValueError(f"a map has at most {MAX_ITEMS} items")

    def open_items(self) -> list[int]:
        """The positions of the items whose executions have not ended, as far as the record knows."""
        return [position for position, item in enumerate(self.items or ()) if item.is_open]

    def count(self, state: TaskState) -> int:
        return sum(item.state is state for item in self.items or ())


def elements(text: bytes, path: str) -> Sequence[bytes] | TaskReason:
    """The texts of the elements of the array at a path of a result, byte for byte; the reason if there are none.

    `text` is the JSON of a result. Among equal names in an object, the last one counts, as for most parsers.
    """
    source, start = text.decode(), 0
    for token in pointer_tokens(path):
        members = _members(source, start) if source[start] in "{[" else ()
        found = [begin for name, begin, _ in members if name == token]
        if not found:
            return TaskReason.MAP_MISSING
        start = found[-1]
    if source[start] != "[":
        return TaskReason.MAP_NO_ARRAY
    parts = [source[begin:end].encode() for _, begin, end in _members(source, start)]
    return parts if len(parts) <= MAX_ITEMS else TaskReason.MAP_TOO_LONG


def _members(source: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Name or position, begin and end of each member of the object or array that begins at `start`."""
    is_object, number = source[start] == "{", 0
    at = _after_space(source, start + 1)
    while source[at] not in "]}":
        name = str(number)
        if is_object:
            name, at = _DECODER.raw_decode(source, at)
            at = _after_space(source, _after_space(source, at) + 1)
        _, end = _DECODER.raw_decode(source, at)
        yield name, at, end
        at = _after_space(source, end)
        at = _after_space(source, at + 1) if source[at] == "," else at
        number += 1


def _after_space(source: str, at: int) -> int:
    while source[at] in _SPACE:
        at += 1
    return at


def chosen_items(run: Run, index: int, key: str, count: int, before: MapItems | None) -> MapItems:
    """The items of a map that is chosen in this epoch of its run. Of an earlier epoch, what has succeeded stands."""
    return _in_epoch(run, index, key, count, before, state=TaskState.CHOSEN)


def stopped_items(run: Run, index: int, key: str, before: MapItems | None) -> MapItems:
    """The record of a map that ends before its items are chosen in this epoch: a process that would choose them finds
    it."""
    reason = STOPPED_BY.get(run.state, TaskReason.FAIL_FAST)
    count = len(before.items) if before is not None and before.items is not None else None
    return _in_epoch(run, index, key, count, before, state=TaskState.CANCELLED, stopped=reason)


def _in_epoch(
    run: Run,
    index: int,
    key: str,
    count: int | None,
    before: MapItems | None,
    *,
    state: TaskState,
    stopped: TaskReason | None = None,
) -> MapItems:
    task = run.tasks[index]
    if task is None or not task.is_open:
        raise InvalidValueError(f"task {key} is not chosen")
    anew = TaskProgress(state=state, epoch=task.epoch, at=task.at, reason=stopped)
    earlier = (before.items if before is not None else None) or ()
    kept = {position: each for position, each in enumerate(earlier) if each.state is TaskState.SUCCEEDED}
    return MapItems(
        run=run.id,
        key=key,
        tenant_id=run.tenant_id,
        workflow_id=run.workflow_id,
        epoch=task.epoch,
        items=None if count is None else tuple(kept.get(position, anew) for position in range(count)),
        stopped=stopped,
        result=before.result if before is not None else b"",
    )


def item_execution_id(run: Run, items: MapItems, position: int) -> ExecutionId | None:
    """The execution of an item; None where it was stopped before it had one."""
    item = (items.items or ())[position]
    if not item.has_execution:
        return None
    return task_execution_id(run.id, items.key, item.epoch, item.at, run.counts, position)


def ended_item(execution_id: ExecutionId, epoch: int, state: State) -> TaskProgress:
    """The progress of an item whose execution has ended."""
    return TaskProgress(state=ENDS[state], epoch=epoch, at=execution_id.dispatch_at)


def with_ends(items: MapItems, ends: Mapping[int, TaskProgress]) -> MapItems:
    """The record with the ends of items."""
    known = enumerate(items.items or ())
    return replace(items, items=tuple(ends.get(position, item) for position, item in known))


def end_of_map(items: MapItems) -> MapEnd:
    """What the items mean for the run."""
    states = {item.state for item in items.items or ()}
    has_failed = TaskState.FAILED in states
    if items.stopped is not None:
        return MapEnd(epoch=items.epoch, state=TaskState.CANCELLED, reason=items.stopped)
    if TaskState.CHOSEN in states:
        return MapEnd(epoch=items.epoch, state=None, has_failed=has_failed)
    worst = (TaskState.FAILED, TaskState.CANCELLED, TaskState.SKIPPED)
    state = next((each for each in worst if each in states), TaskState.SUCCEEDED)
    return MapEnd(epoch=items.epoch, state=state)


def joined(parts: Sequence[bytes]) -> bytes:
    """The result of a map: a JSON array of the results of its items, each text as it is."""
    return b"[%b]" % b",".join(parts)
