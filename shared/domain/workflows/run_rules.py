"""How a run goes on: what an end makes ready, what is skipped or cancelled, and how the run ends.

All functions are pure. A decision rests on ends, which are final within an epoch, and on the state of the run. So
processes that know different ends in the same state never contradict one another; who knows more decides more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import Graph, Node, OnFailure, RunIf
from shared.domain.workflows.identities import task_execution_id
from shared.domain.workflows.run import (
    MAX_EPOCHS,
    STOPPING,
    BulkRedrive,
    Run,
    RunState,
    TaskProgress,
    TaskReason,
    TaskState,
)

Tasks = Sequence[TaskProgress | None]

ENDS = {
    State.SUCCEEDED: TaskState.SUCCEEDED,
    State.FAILED: TaskState.FAILED,
    State.CANCELLED: TaskState.CANCELLED,
    State.SKIPPED: TaskState.SKIPPED,
}
"""What the end of an execution is for its run."""
STOPPED_BY = {
    RunState.CANCELLING: TaskReason.RUN_CANCELLED,
    RunState.TIMING_OUT: TaskReason.RUN_TIMED_OUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MapEnd:
    """What a run learns of the items of a map."""

    epoch: int
    """In which the map was chosen."""
    state: TaskState | None
    """None while an item is open."""
    reason: TaskReason | None = None
    has_failed: bool = False
    """Whether an item has failed while others are open."""


def execution_of(run: Run, graph: Graph, index: int) -> ExecutionId | None:
    """The execution of a task in its latest epoch; None where it was not chosen, and for a map."""
    task = run.tasks[index]
    if task is None or not task.has_execution or graph.nodes[index].map is not None:
        return None
    return task_execution_id(run.id, graph.nodes[index].key, task.epoch, task.at, run.counts)


def recorded(run: Run, graph: Graph, ends: Mapping[ExecutionId, State]) -> Run:
    """The run with the ends of executions. Each counts only for the task whose present execution it is."""
    changes: dict[int, TaskProgress] = {}
    for index in run.open_tasks() if ends else ():
        task, execution_id = run.tasks[index], execution_of(run, graph, index)
        if task is not None and execution_id is not None and execution_id in ends:
            changes[index] = replace(task, state=ENDS[ends[execution_id]])
    return _with(run, changes) if changes else run


def recorded_map(run: Run, graph: Graph, index: int, end: MapEnd) -> Run:
    """The run with what it learns of a map. It counts only in the epoch in which the map is chosen.

    Under `fail_fast`, the first item that fails stops the run, as a task does; the map ends with its last item.
    """
    task = run.tasks[index]
    if task is None or not task.is_open or task.epoch != end.epoch:
        return run
    if end.state is not None:
        return _with(run, {index: replace(task, state=end.state, reason=end.reason)})
    is_failing = end.has_failed and run.state is RunState.RUNNING and graph.on_failure is OnFailure.FAIL_FAST
    return replace(run, state=RunState.FAILING) if is_failing else run


def decided(run: Run, graph: Graph, now_ms: int) -> Run:
    """The run with every decision that its ends allow: tasks chosen, skipped or cancelled, and its own end."""
    if run.state.is_terminal:
        return run
    if run.state is RunState.RUNNING and graph.on_failure is OnFailure.FAIL_FAST and _failed(run.tasks):
        run = replace(run, state=RunState.FAILING)
    if (
        run.state not in STOPPING
        and now_ms > run.last_choice_at
        and not _settled(run, graph, now_ms).is_complete
    ):
        run = replace(run, state=RunState.TIMING_OUT)
    run = _settled(run, graph, now_ms)
    return replace(run, state=_final_state(run, graph), ended_at=now_ms) if run.is_complete else run


def cancelled(run: Run, graph: Graph, now_ms: int) -> Run:
    """The run marked as cancelled: nothing is chosen afterwards. InvalidStateError for a run that has ended."""
    if run.state.is_terminal:
        raise InvalidStateError(f"too late: the run has {run.state}")
    if run.state in STOPPING:
        return run
    return decided(replace(run, state=RunState.CANCELLING), graph, now_ms)


def redriven(
    run: Run, graph: Graph, at_ms: int, deadline_seconds: int, bulk_redrive: BulkRedrive | None = None
) -> Run:
    """The next epoch of an ended run: what has not succeeded is chosen anew, and what has succeeded stands.

    The first tasks are due at `at_ms`, from which the deadline counts. InvalidStateError for a run that goes on, that
    has succeeded, or that has no epoch left.
    """
    if not run.state.is_terminal:
        raise InvalidStateError("the run has not ended")
    if run.state is RunState.SUCCEEDED:
        raise InvalidStateError("the run has succeeded")
    if run.epoch == MAX_EPOCHS:
        raise InvalidStateError(f"a run is redriven at most {MAX_EPOCHS - 1} times")
    kept = tuple(task if task and task.state is TaskState.SUCCEEDED else None for task in run.tasks)
    anew = replace(
        run,
        state=RunState.RUNNING,
        ended_at=None,
        notification=None,
        epoch=run.epoch + 1,
        deadline_at=at_ms + deadline_seconds * 1000,
        tasks=kept,
        bulk_redrive=bulk_redrive,
    )
    return decided(anew, graph, at_ms)


def newly_chosen(before: Run, after: Run) -> list[int]:
    """The positions of the tasks that a step has chosen."""
    return [index for index in after.open_tasks() if before.tasks[index] != after.tasks[index]]


def to_be_stopped(run: Run, graph: Graph) -> list[int]:
    """The positions of open tasks whose executions must not start any more.

    A task that is chosen while its run fails is a handler, and runs.
    """
    if run.state in STOPPING:
        return run.open_tasks()
    if run.state is RunState.FAILING:
        return [index for index in run.open_tasks() if graph.nodes[index].run_if is not RunIf.ANY_FAILED]
    return []


def changed_tasks(before: Run, after: Run) -> list[int]:
    """The positions of the tasks whose progress differs."""
    pairs = enumerate(zip(before.tasks, after.tasks, strict=True))
    return [index for index, (old, new) in pairs if old != new]


def only_records_ends(before: Run, after: Run) -> bool:
    """Whether a step adds ends of chosen tasks, and decides nothing.

    An end counts in every state of the run. Each decision requires the state and the epoch that it was made in:
    otherwise a slow process could choose a task after the run was cancelled, or by the ends of an earlier epoch.
    """
    changed = changed_tasks(before, after)
    return (after.state, after.epoch) == (before.state, before.epoch) and all(
        (old := before.tasks[index]) is not None and old.is_open for index in changed
    )


def is_stored(before: Run, after: Run, existing: Run) -> bool:
    """Whether a stored run shows every change of a step, so that its write may have succeeded without a response."""
    phase = after.state, after.epoch
    if phase not in ((before.state, before.epoch), (existing.state, existing.epoch)):
        return False
    return all(existing.tasks[index] == after.tasks[index] for index in changed_tasks(before, after))


def _with(run: Run, changes: dict[int, TaskProgress]) -> Run:
    return replace(run, tasks=tuple(changes.get(index, task) for index, task in enumerate(run.tasks)))


def _settled(run: Run, graph: Graph, now_ms: int) -> Run:
    tasks, parents = list(run.tasks), graph.parents()
    for index in graph.order():
        if tasks[index] is None:
            after = [tasks[parent] for parent in parents[index]]
            tasks[index] = _decision(run, graph.nodes[index], after, now_ms)
    return replace(run, tasks=tuple(tasks))


def _decision(run: Run, node: Node, after: Tasks, now_ms: int) -> TaskProgress | None:
    """What becomes of a task that was not chosen; None while it waits."""
    if run.state in STOPPED_BY:
        return _uncalled(run, TaskState.CANCELLED, STOPPED_BY[run.state], now_ms)
    is_failing = run.state is RunState.FAILING
    if is_failing and node.run_if is not RunIf.ANY_FAILED:
        return _uncalled(run, TaskState.CANCELLED, TaskReason.FAIL_FAST, now_ms)
    if not all(task is not None and not task.is_open for task in after):
        return None
    if _holds(node, after):
        return TaskProgress(state=TaskState.CHOSEN, epoch=run.epoch, at=now_ms)
    if is_failing:
        return _uncalled(run, TaskState.CANCELLED, TaskReason.FAIL_FAST, now_ms)
    nothing_failed = node.run_if is RunIf.ANY_FAILED and not _failed(after)
    reason = TaskReason.NOTHING_FAILED if nothing_failed else TaskReason.UPSTREAM_NOT_SUCCEEDED
    return _uncalled(run, TaskState.SKIPPED, reason, now_ms)


def _uncalled(run: Run, state: TaskState, reason: TaskReason, now_ms: int) -> TaskProgress:
    return TaskProgress(state=state, epoch=run.epoch, at=now_ms, reason=reason)


def _holds(node: Node, after: Tasks) -> bool:
    pairs = zip(node.after, after, strict=True)
    ended = {key: task.state for key, task in pairs if task is not None}
    if any(ended.get(key) is not TaskState.SUCCEEDED for key in node.must_succeed):
        return False
    match node.run_if:
        case RunIf.ALL_SUCCEEDED:
            return True
        case RunIf.ALL_ENDED:
            return True
        case RunIf.ANY_FAILED:
            return bool(_failed(after))


def _failed(tasks: Iterable[TaskProgress | None]) -> list[TaskProgress]:
    return [task for task in tasks if task is not None and task.state is TaskState.FAILED]


def _final_state(run: Run, graph: Graph) -> RunState:
    if run.state in STOPPING:
        return RunState.CANCELLED if run.state is RunState.CANCELLING else RunState.TIMED_OUT
    if _has_unhandled_failure(run, graph):
        return RunState.FAILED
    was_cancelled = any(task is not None and task.state is TaskState.CANCELLED for task in run.tasks)
    # Without a failure, only a cancellation of a single execution leaves a cancelled task.
    return RunState.CANCELLED if was_cancelled and run.state is RunState.RUNNING else RunState.SUCCEEDED


def _has_unhandled_failure(run: Run, graph: Graph) -> bool:
    """Whether a task has failed that no succeeded `any_failed` task follows."""
    states = {node.key: task.state for node, task in zip(graph.nodes, run.tasks, strict=True) if task}
    handled = {
        key
        for node in graph.nodes
        if node.run_if is RunIf.ANY_FAILED and states.get(node.key) is TaskState.SUCCEEDED
        for key in node.after
    }
    return any(state is TaskState.FAILED and key not in handled for key, state in states.items())
