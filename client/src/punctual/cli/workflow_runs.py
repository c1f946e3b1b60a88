"""Runs of workflows as tables and as graphs; `punctual run` shows, cancels and redrives them, too."""

from io import StringIO
from typing import TYPE_CHECKING, Any

from punctual.cli.output import UNLIMITED_WIDTH, Column
from punctual.cli.run_texts import outcome_of
from punctual.cli.session import Session
from punctual.cli.texts import escaped

if TYPE_CHECKING:
    from punctual.models import RunDetail

PREFIX = "run_"
"""The ids of runs of workflows begin with it, and those of executions with another."""
_COUNTS = ("blocked", "open", "succeeded", "failed", "cancelled", "skipped")
_MOST_NAMED = 20
"""Failed items of a map that the table names."""


def _tasks(run: Any) -> str:
    counts = ((getattr(run.counts, name), name) for name in _COUNTS)
    return ", ".join(f"{count} {name}" for count, name in counts if count)


WORKFLOW_RUN_COLUMNS = (
    Column("run", lambda run: run.id),
    Column("state", lambda run: run.state),
    Column("epoch", lambda run: run.epoch),
    Column("started", lambda run: run.created_at),
    Column("ended", lambda run: run.ended_at),
    Column("tasks", _tasks, folds=True),
)
RUN_ROWS = (
    *WORKFLOW_RUN_COLUMNS,
    Column("workflow", lambda run: run.workflow_id),
    Column("revision", lambda run: run.revision),
    Column("deadline", lambda run: run.deadline_at),
)


def _items(task: Any) -> str | None:
    """How far the items of a map have come."""
    if task.items is None:
        return None
    counts = ((getattr(task.items, name), name) for name in _COUNTS[1:])
    states = ", ".join(f"{count} {name}" for count, name in counts if count)
    return f"{task.items.count} items" + (f": {states}" if states else "")


def _outcome(task: Any) -> str | None:
    """Of a map, also which items have failed: their executions have the attempts."""
    outcome = task.reason or outcome_of(task.end_reason, task.attempts)
    failed = [each for each in task.items.unsuccessful if each.state == "failed"] if task.items else []
    named = ", ".join(f"item {each.index}: {each.execution_id}" for each in failed[:_MOST_NAMED])
    more = f"{len(failed) - _MOST_NAMED} more failed items: see --json" if len(failed) > _MOST_NAMED else ""
    return "; ".join(each for each in (outcome, named, more) if each) or None


_TASK_COLUMNS = (
    Column("task", lambda task: task.key),
    Column("state", lambda task: task.state),
    Column("due", lambda task: task.due_at),
    Column("attempts", lambda task: task.attempts_begun or None),
    Column("items", _items, folds=True),
    Column("result", lambda task: "yes" if task.has_result else None),
    Column("execution", lambda task: task.execution_id),
    Column("outcome", _outcome, folds=True),
)


def show_workflow_run(session: Session, run: str) -> None:
    show_detail(session, session.client.runs.get(run))


def cancel_workflow_run(session: Session, run: str) -> None:
    session.show_one(session.client.runs.cancel(run), RUN_ROWS)


def redrive_workflow_run(session: Session, run: str) -> None:
    """The epoch that is shown now is sent, so that a repeated request redrives once."""
    seen = session.client.runs.get(run)
    session.show_one(session.client.runs.redrive(run, epoch=seen.epoch), RUN_ROWS)


def show_detail(session: Session, run: "RunDetail") -> None:
    """A run, its tasks, and its graph."""
    session.show_one(run, RUN_ROWS)
    if session.is_for_people:
        session.out.line("")
        has_maps = any(task.items for task in run.tasks)
        columns = [column for column in _TASK_COLUMNS if has_maps or column.title != "items"]
        session.show_list(run.tasks, columns, empty="no tasks")
        session.out.line(f"\n{graph_text(run)}")


def graph_text(run: "RunDetail") -> str:
    """The graph as trees: a task stands below the last of the tasks that it waits for, and names the others."""
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    states = {task.key: task.state + (f" ({items})" if (items := _items(task)) else "") for task in run.tasks}
    sources: dict[str, list[str]] = {node.key: [] for node in run.graph.nodes}
    for edge in run.graph.edges:
        sources[edge.target].append(edge.source)
    levels = {node.key: node.level for node in run.graph.nodes}
    trees: dict[str, Tree] = {}
    console = Console(file=StringIO(), width=UNLIMITED_WIDTH, color_system=None, legacy_windows=False)
    roots: list[Tree] = []
    for node in run.graph.nodes:
        ordered = sorted(sources[node.key], key=lambda key: -levels[key])
        parent, others = ordered[0] if ordered else None, ordered[1:]
        joins = f"  (and after {', '.join(others)})" if others else ""
        label = Text(escaped(f"{node.key}  {states[node.key]}{joins}"))
        trees[node.key] = Tree(label) if parent is None else trees[parent].add(label)
        if parent is None:
            roots.append(trees[node.key])
    with console.capture() as captured:
        for root in roots:
            console.print(root)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
