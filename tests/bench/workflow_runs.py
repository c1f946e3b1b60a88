"""What a task of a workflow's run costs, and how long runs last with one executor and a receiver that answers
at once."""

import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shared.domain.workflows.graph import MAX_TASKS
from shared.domain.workflows.identities import parse_run_id
from shared.domain.workflows.task_map import MAX_ITEMS
from tests.bench.cell import Cell
from tests.bench.counted import Counted

Graph = dict[str, list[str]]
"""The tasks, each with those that it waits for."""
RUNS, TIMED_RUNS = 3, 5
CHAIN = 50
MAP = f"a map of {MAX_ITEMS}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasted:
    """How long the runs of one shape lasted."""

    name: str
    tasks: int
    """Items of a map are counted each."""
    milliseconds: float
    """From the creation of the run to its end: the median."""


def shapes() -> dict[str, Graph]:
    """The workflows, by their names in the table."""
    wide: Graph = {f"t{number}": [] for number in range(MAX_TASKS - 1)}
    chain: Graph = {f"t{number}": [f"t{number - 1}"] if number else [] for number in range(CHAIN)}
    return {
        f"{MAX_TASKS - 1} tasks and one that waits for them all": {**wide, "join": list(wide)},
        f"a chain of {CHAIN}": chain,
        "a diamond of four": {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]},
        MAP: {"list": [], "each": ["list"], "join": ["each"]},
    }


class WorkflowScenarios:
    """Runs from the request to the end; the definitions are not counted."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    def rows(self) -> Iterator[Counted]:
        """The figures of one task."""
        for name, graph in shapes().items():
            workflow = self._define(name, graph)
            self._run(workflow)
            before = self._cell.bill()
            for _ in range(RUNS):
                self._run(workflow)
            bill = self._cell.bill().less(before, RUNS * _executions(name, graph))
            yield Counted(name=f"task of a run: {name}", bill=bill)

    def lasted(self) -> Iterator[Lasted]:
        """The times of whole runs. A cell that counts units takes several times as long."""
        for name, graph in shapes().items():
            workflow = self._define(name, graph)
            times = [self._run(workflow) for _ in range(1 + TIMED_RUNS)]
            tasks = _executions(name, graph)
            yield Lasted(name=name, tasks=tasks, milliseconds=statistics.median(times[1:]))

    def _define(self, name: str, graph: Graph) -> str:
        url = self._cell.url
        tasks: list[dict[str, Any]] = [
            {"key": key, "after": after, "request": {"url": url, "json": {"kind": "nightly"}}}
            for key, after in graph.items()
        ]
        if name == MAP:
            tasks[0]["request"]["url"] = f"{url.removesuffix('/hook')}/array/{MAX_ITEMS}"
            tasks[1]["map"] = {"over": "list"}
        made = self._cell.call("POST", "/v1/workflows", json.dumps({"tasks": tasks}))
        return str(made["id"])

    def _run(self, workflow: str) -> float:
        """Start a run, and work until it has ended; how long it lasted, in milliseconds."""
        cell = self._cell
        started = cell.call("POST", f"/v1/workflows/{workflow}/runs")
        while cell.work():
            pass
        run = cell.ports.runs.get(parse_run_id(started["id"]))
        assert run is not None and run.state.value == "succeeded", run
        assert run.ended_at is not None
        return float(run.ended_at - run.created_at)


def _executions(name: str, graph: Graph) -> int:
    """How many executions a run has: a map has one for each item."""
    return len(graph) - 1 + MAX_ITEMS if name == MAP else len(graph)
