"""The judge of runs: what was called and when, and what stands at the end.

It reads the values of the product, and shares no rule with it: `run_if` and the end of a run are judged here from the
states of executions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from shared.domain.delivery.callback import CallbackResponse
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.domain.workflows.graph import Node, OnFailure, RunIf
from shared.domain.workflows.run import Run, RunState, TaskState
from tests.simulation.evidence import Arrival
from tests.simulation.workflow_clients import StartedRun, WorkflowClients
from tests.simulation.workflow_notifications import NotificationJudge
from tests.simulation.workflow_schedules import ScheduleClients, judge_call, judge_schedules
from tests.simulation.world import World

LATE_CALL_MS = 5_000
"""A caller compares the deadline with its own clock, or that of the queue, just before the call."""
INVALID = 0.08
"""How often an answer is no result."""
_OF_STATE = {
    State.SUCCEEDED: TaskState.SUCCEEDED,
    State.FAILED: TaskState.FAILED,
    State.CANCELLED: TaskState.CANCELLED,
    State.SKIPPED: TaskState.SKIPPED,
}


class CallJudge:
    """Looks at each call when it arrives, with the stored executions as they are then."""

    def __init__(self, world: World, clients: WorkflowClients, schedules: ScheduleClients) -> None:
        self.faults: list[str] = []
        self.answers: dict[tuple[str, int], str] = {}
        """What each attempt of each execution answered."""
        self._rng = Random(f"results of {world.seed}")
        self._world, self._clients, self._schedules = world, clients, schedules
        self.notifications = NotificationJudge(world, clients.callbacks)
        world.receiver.demands = self.look

    def look(self, arrival: Arrival, answer: CallbackResponse) -> CallbackResponse:
        """Judge a call; its answer stays as it is."""
        called = self._world.table.executions[parse_execution_id(arrival.execution_id)].execution
        if called.ended_run is not None:
            self.faults += self.notifications.look(arrival, called)
            return answer
        run = self._world.runs.get(called.task.run) if called.task is not None else None
        if called.task is None or run is None:
            self.faults.append(f"{arrival.url} was called for no run")
            return answer
        self._judge_predecessors(arrival, called, run, called.task.epoch)
        self._judge_stops(arrival, run, called.task.epoch)
        self.faults += judge_call(arrival, run, self._schedules)
        self._judge_results(arrival, called, run)
        return self._with_result(arrival, answer)

    def _judge_results(self, arrival: Arrival, called: Execution, run: Run) -> None:
        """The results that arrive are what the needed tasks answered when they succeeded, byte for byte."""
        assert called.task is not None
        [node] = [each for each in self._nodes(run) if each.key == called.task.key]
        if not node.needs:
            return
        texts = []
        for key in node.needs:
            needed = self._latest(run, key, called.task.epoch)
            text: str | None = "null"
            if needed is not None and needed.state is State.SUCCEEDED:
                text = self.answers.get((str(needed.id), needed.progress.outcomes[-1].attempt))
            state = self._state(run, key, called.task.epoch)
            texts.append(f'"{key}":{{"state":"{state}","result":{text}}}')
        if not arrival.body.endswith(f',"results":{{{",".join(texts)}}}}}'):
            self.faults.append(f"{arrival.url} got {arrival.body[-300:]} and not {texts}")

    def _with_result(self, arrival: Arrival, answer: CallbackResponse) -> CallbackResponse:
        """Another text at each attempt; some are no results."""
        if not answer.succeeded:
            return answer
        rng = self._rng
        text = f'{{"of":"{arrival.url}", "attempt":{arrival.attempt}.0,"drawn":{rng.getrandbits(90)}}}'
        if rng.random() < INVALID:
            return replace(answer, body=rng.choice((b"", b"ok", text.encode() * 1_000)))
        self.answers[arrival.execution_id, arrival.attempt] = text
        return replace(answer, body=text.encode())

    def _judge_predecessors(self, arrival: Arrival, called: Execution, run: Run, epoch: int) -> None:
        nodes = {node.key: node for node in self._nodes(run)}
        assert called.task is not None
        node = nodes[called.task.key]
        states = [self._state(run, key, epoch) for key in node.after]
        wants_success = node.run_if is RunIf.ALL_SUCCEEDED and set(states) - {State.SUCCEEDED}
        wants_failure = node.run_if is RunIf.ANY_FAILED and State.FAILED not in states
        if None in states or wants_success or wants_failure:
            self.faults.append(f"{arrival.url} ({node.run_if}) was called while {node.after} were {states}")

    def _judge_stops(self, arrival: Arrival, run: Run, epoch: int) -> None:
        for started in self._clients.runs:
            is_cancelled = started.run_id == run.id and started.cancel_acked_at is not None
            is_last = started.running.get(arrival.execution_id) == arrival.attempt
            if is_cancelled and epoch <= started.cancelled_epoch and not is_last:
                self.faults.append(f"{arrival.url} was called after its run was cancelled")
        deadline_at = self._world.runs.deadlines[run.id, epoch]
        if arrival.caller_began_at > deadline_at + LATE_CALL_MS:
            self.faults.append(f"{arrival.url} was called after the deadline of its run")

    def _state(self, run: Run, key: str, epoch: int) -> State | None:
        """How the latest execution of a task has ended, or that the task has ended without one; None: it has not."""
        index = [node.key for node in self._nodes(run)].index(key)
        progress = run.tasks[index]
        if progress is not None and progress.reason is not None:
            return State.SKIPPED if progress.state is TaskState.SKIPPED else State.CANCELLED
        latest = self._latest(run, key, epoch)
        return latest.state if latest is not None and latest.state.is_terminal else None

    def _latest(self, run: Run, key: str, epoch: int) -> Execution | None:
        """The execution of a task in its latest epoch up to this one."""
        rows = [
            row.execution
            for row in self._world.table.executions.values()
            if row.execution.task is not None
            and (row.execution.task.run, row.execution.task.key) == (run.id, key)
            and row.execution.task.epoch <= epoch
        ]
        return max(rows, key=lambda each: each.task.epoch if each.task else 0, default=None)

    def _nodes(self, run: Run) -> Sequence[Node]:
        workflow = self._world.workflows.revision(run.tenant_id, run.workflow_id, run.revision)
        assert workflow is not None
        return workflow.graph.nodes


def judge_at_rest(world: World, clients: WorkflowClients, schedules: ScheduleClients) -> Iterator[str]:
    """Everything has ended, once, and the run knows how."""
    yield from judge_schedules(world, schedules)
    yield from world.runs.violations
    for row in world.table.executions.values():
        if not row.execution.state.is_terminal:
            yield f"{row.execution.id} is {row.execution.state}"
    for started in clients.runs:
        yield from _judge_started(world, started)
    for item in world.table.runs.values():
        yield from _judge_run(world, item.run)


def _judge_started(world: World, started: StartedRun) -> Iterator[str]:
    if started.acked_at is not None and started.run_id not in world.table.runs:
        yield f"the acknowledged run {started.run_id} is lost"


def _judge_run(world: World, run: Run) -> Iterator[str]:
    if not run.state.is_terminal:
        yield f"{run.id} is {run.state}"
        return
    for epoch in range(1, run.epoch + 1):
        if world.runs.ends[run.id, epoch] != 1:
            yield f"epoch {epoch} of {run.id} ended {world.runs.ends[run.id, epoch]} times"
    workflow = world.workflows.revision(run.tenant_id, run.workflow_id, run.revision)
    assert workflow is not None
    executions = _latest(world, run.id)
    nodes = workflow.graph.nodes
    for node, progress in zip(nodes, run.tasks, strict=True):
        execution = executions.get(node.key)
        if progress is None:
            yield f"{node.key} of {run.id} was never decided"
        elif progress.reason is None and (
            execution is None or _OF_STATE[execution.state] is not progress.state
        ):
            yield f"{node.key} of {run.id} is {progress.state}, and its execution {execution and execution.state}"
    states = {node.key: task.state for node, task in zip(nodes, run.tasks, strict=True) if task is not None}
    yield from _judge_end(run, workflow.graph.on_failure, nodes, states)


def _judge_end(
    run: Run, on_failure: OnFailure, nodes: Sequence[Node], states: dict[str, TaskState]
) -> Iterator[str]:
    handled = {
        key
        for node in nodes
        if node.run_if is RunIf.ANY_FAILED and states[node.key] is TaskState.SUCCEEDED
        for key in node.after
    }
    has_failed = any(state is TaskState.FAILED and key not in handled for key, state in states.items())
    if run.state in (RunState.SUCCEEDED, RunState.FAILED) and has_failed != (run.state is RunState.FAILED):
        yield f"{run.id} is {run.state} with {states}"
    stops_nothing = on_failure is OnFailure.CONTINUE and TaskState.CANCELLED in states.values()
    if run.state is RunState.SUCCEEDED and stops_nothing:
        yield f"{run.id} is {run.state} with a cancelled task"


def _latest(world: World, run_id: ExecutionId) -> dict[str, Execution]:
    """The execution of each task in its latest epoch."""
    found: dict[str, Execution] = {}
    for row in world.table.executions.values():
        task = row.execution.task
        if task is not None and task.run == run_id:
            other = found.get(task.key)
            if other is None or other.task is None or other.task.epoch < task.epoch:
                found[task.key] = row.execution
    return found
