"""The graph of a workflow: its tasks, what each of them waits for, and when each of them runs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, raise_any
from shared.domain.workflows.task_map import MAX_EXECUTIONS, MAX_ITEMS, TaskMap, map_errors

MAX_TASKS = 100
MAX_EDGES = 500
MAX_NEEDS = 20
"""Results that one task can have in its request."""
KEY = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
"""The pattern of a task's key."""
KEY_TEXT = "1 to 64 letters, digits and . _ - with a letter or digit at its beginning"


class RunIf(StrEnum):
    """What the tasks in `after` must have come to, once all of them have ended."""

    ALL_SUCCEEDED = "all_succeeded"
    ALL_ENDED = "all_ended"
    ANY_FAILED = "any_failed"


class OnFailure(StrEnum):
    """What happens to the other tasks of a run when a task fails."""

    FAIL_FAST = "fail_fast"
    """Tasks that have not started are cancelled, but for `any_failed` tasks that follow a failed task."""
    CONTINUE = "continue"
    """Tasks whose `run_if` can no longer hold are skipped; all others run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A task as the graph sees it."""

    key: str
    after: tuple[str, ...] = ()
    run_if: RunIf = RunIf.ALL_SUCCEEDED
    needs: tuple[str, ...] = ()
    """The tasks among `after` whose results its request contains: all of them have ended when it is chosen."""
    takes_input: bool = False
    """Whether its request contains the input of the run."""
    map: TaskMap | None = None

    @property
    def must_succeed(self) -> tuple[str, ...]:
        """The tasks in `after` without whose success it never runs."""
        if self.run_if is RunIf.ALL_SUCCEEDED:
            return self.after
        return (self.map.over,) if self.map is not None else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """1 to 100 tasks with 500 edges at most, and no cycle."""

    nodes: tuple[Node, ...]
    on_failure: OnFailure = OnFailure.FAIL_FAST

    def __post_init__(self) -> None:
        """InvalidValueError with the path of each fault, from the members of a request: `tasks`, index, member."""
        check_nodes(self.nodes, self.on_failure)

    def indexes(self) -> dict[str, int]:
        """The position of each task by its key."""
        return {node.key: index for index, node in enumerate(self.nodes)}

    @property
    def needed(self) -> frozenset[str]:
        """The keys of the tasks whose results are kept, because another task needs them."""
        return frozenset(key for node in self.nodes for key in (*node.needs, *_mapped(node)))

    @property
    def takes_input(self) -> bool:
        """Whether a task gets the input of the run: otherwise a run keeps none."""
        return any(node.takes_input for node in self.nodes)

    @property
    def has_maps(self) -> bool:
        return any(node.map is not None for node in self.nodes)

    @property
    def most_executions(self) -> int:
        """The executions that one epoch of a run can have."""
        return sum(MAX_ITEMS if node.map is not None else 1 for node in self.nodes)

    def parents(self) -> list[list[int]]:
        """For each task, the positions of the tasks that it waits for."""
        positions = self.indexes()
        return [[positions[key] for key in node.after] for node in self.nodes]

    def order(self) -> list[int]:
        """The positions of all tasks, each behind those that it waits for."""
        parents, placed, ordered = self.parents(), set[int](), list[int]()
        while len(ordered) < len(parents):
            free = [
                index
                for index, needed in enumerate(parents)
                if index not in placed and placed.issuperset(needed)
            ]
            placed.update(free)
            ordered += free
        return ordered


def check_nodes(nodes: Sequence[Node], on_failure: OnFailure) -> None:
    """InvalidValueError for each fault. Cycles and `run_if` are judged only in a graph without other faults."""
    if not 1 <= len(nodes) <= MAX_TASKS:
        raise InvalidValueError(f"a workflow has 1 to {MAX_TASKS} tasks", path=("tasks",))
    raise_any(_node_errors(nodes))
    cycle = find_cycle(nodes)
    if cycle:
        first = next(index for index, node in enumerate(nodes) if node.key == cycle[0])
        raise InvalidValueError(
            f"the tasks form a cycle: {' → '.join((*cycle, cycle[0]))}", path=("tasks", str(first), "after")
        )
    raise_any(_unreachable(nodes, on_failure))


def _node_errors(nodes: Sequence[Node]) -> Iterator[InvalidValueError]:
    first: dict[str, int] = {}
    for index, node in enumerate(nodes):
        path = ("tasks", str(index), "key")
        if not re.fullmatch(KEY, node.key):
            yield InvalidValueError(f"a key is {KEY_TEXT}", path=path)
        elif node.key in first:
            yield InvalidValueError(f"the key is already that of tasks/{first[node.key]}", path=path)
        first.setdefault(node.key, index)
    for index, node in enumerate(nodes):
        yield from _edge_errors(node, index, first)
    edges = sum(len(node.after) for node in nodes)
    if edges > MAX_EDGES:
        text = f"a workflow has at most {MAX_EDGES} edges, and this one has {edges}: let tasks wait for one that joins"
        yield InvalidValueError(text, path=("tasks",))
    most = sum(MAX_ITEMS if node.map is not None else 1 for node in nodes)
    if most > MAX_EXECUTIONS:
        text = f"a run has at most {MAX_EXECUTIONS} executions, and this one could have {most}"
        yield InvalidValueError(f"{text}: each map counts {MAX_ITEMS}", path=("tasks",))


def _mapped(node: Node) -> tuple[str, ...]:
    return (node.map.over,) if node.map is not None else ()


def _edge_errors(node: Node, index: int, known: dict[str, int]) -> Iterator[InvalidValueError]:
    for place, key in enumerate(node.after):
        path = ("tasks", str(index), "after", str(place))
        if key not in known:
            yield InvalidValueError(f"no task has the key {key[:64]!a}", path=path)
        elif key in node.after[:place]:
            yield InvalidValueError("the key is in this list already", path=path)
    yield from _need_errors(node, index)
    if node.map is not None:
        yield from map_errors(node.map, node.after, index)


def _need_errors(node: Node, index: int) -> Iterator[InvalidValueError]:
    if len(node.needs) > MAX_NEEDS:
        text = f"a task needs at most {MAX_NEEDS} results: let another task join them"
        yield InvalidValueError(text, path=("tasks", str(index), "needs"))
    for place, key in enumerate(node.needs):
        path = ("tasks", str(index), "needs", str(place))
        if key not in node.after:
            yield InvalidValueError(
                f"add {key[:64]!a} to after: a task gets results of tasks in after", path=path
            )
        elif key in node.needs[:place]:
            yield InvalidValueError("the key is in this list already", path=path)


def find_cycle(nodes: Iterable[Node]) -> list[str]:
    """The keys along one cycle, each before a task that waits for it; empty where there is none."""
    after = {node.key: node.after for node in nodes}
    done: set[str] = set()
    for start in after:
        path: list[str] = []
        walks = [iter((start,))]
        while walks:
            key = next(walks[-1], None)
            if key is None:
                walks.pop()
                if path:
                    done.add(path.pop())
            elif key in path:
                return path[path.index(key) :][::-1]
            elif key not in done:
                path.append(key)
                walks.append(iter(after[key]))
    return []


def _unreachable(nodes: Sequence[Node], on_failure: OnFailure) -> Iterator[InvalidValueError]:
    """An error for each task whose `run_if` holds in no run, as far as one pass over the graph can tell."""
    by_key = {node.key: node for node in nodes}
    after_failure = _only_after_failure(by_key)
    for index, node in enumerate(nodes):
        path = ("tasks", str(index), "run_if")
        if node.run_if is RunIf.ANY_FAILED and not node.after:
            yield InvalidValueError("any_failed needs a task in after", path=path)
        elif node.run_if is not RunIf.ANY_FAILED and node.key in after_failure:
            if on_failure is OnFailure.FAIL_FAST:
                text = "it never runs: a task that it needs runs only after a failure, which cancels this one"
                yield InvalidValueError(text, path=path)
            elif contradiction := _contradiction(node, by_key):
                text = f"it never runs: {contradiction} runs only if a task fails that must succeed here"
                yield InvalidValueError(text, path=path)
        elif node.map is not None and set(node.after) == {node.map.over} and node.run_if is RunIf.ANY_FAILED:
            text = "it never runs: the task of its map must succeed, and no other task in after can fail"
            yield InvalidValueError(text, path=path)


def _only_after_failure(by_key: dict[str, Node]) -> set[str]:
    """The tasks that run only if some task has failed: handlers, and what needs their success."""
    found = {key for key, node in by_key.items() if node.run_if is RunIf.ANY_FAILED}
    while True:
        more = {
            key
            for key, node in by_key.items()
            if key not in found and not found.isdisjoint(node.must_succeed)
        }
        if not more:
            return found
        found |= more


def _contradiction(node: Node, by_key: dict[str, Node]) -> str | None:
    """A handler among the tasks that must succeed for this one, all of whose causes must succeed as well."""
    needed: set[str] = set()
    pending = list(node.must_succeed)
    while pending:
        key = pending.pop()
        if key not in needed:
            needed.add(key)
            pending += by_key[key].must_succeed
    handlers = (key for key in sorted(needed) if by_key[key].run_if is RunIf.ANY_FAILED)
    return next((key for key in handlers if needed.issuperset(by_key[key].after)), None)
