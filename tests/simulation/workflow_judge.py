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
from shared.domain.workflows.run import Run, RunState, TaskProgress, TaskState
from tests.simulation.evidence import Arrival
from tests.simulation.workflow_clients import StartedRun, WorkflowClients
from tests.simulation.workflow_notifications import NotificationJudge
from tests.simulation.workflow_schedules import ScheduleClients, judge_call, judge_schedules
from tests.simulation.world import World

LATE_CALL_MS = 5_000
"""A caller compares the deadline with its own clock, or that of the queue, just before the call."""
QUICK_MS = 5
INVALID = 0.08
"""How often an answer is no result."""
NO_ARRAY = 0.1
"""How often a result has no array where a map looks for one."""
MAX_PARTS = 4
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
        self.parts: dict[tuple[str, int], list[str] | None] = {}
        """The elements of the array that it answered; None if that is no array for a map."""
        self.inputs: dict[ExecutionId, str] = {}
        """The input that has arrived of each run."""
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
        self._judge_input(arrival, called, run)
        if run.workflow_id in self._clients.quick and answer.status is not None:
            # Calls of one batch end at the same time, and their ends are joined.
            answer = replace(answer, duration_ms=QUICK_MS)
        return self._with_result(arrival, called, answer)

    def _judge_results(self, arrival: Arrival, called: Execution, run: Run) -> None:
        """The results that arrive are what the needed tasks answered when they succeeded, byte for byte."""
        assert called.task is not None
        [node] = [each for each in self._nodes(run) if each.key == called.task.key]
        if node.map is not None:
            self._judge_element(arrival, called, run, node)
        if not node.needs:
            return
        texts = []
        for key in node.needs:
            state = self._state(run, key, called.task.epoch)
            text = self._result(run, key, called.task.epoch) if state is State.SUCCEEDED else "null"
            texts.append(f'"{key}":{{"state":"{state}","result":{text}}}')
        if not arrival.body.endswith(f',"results":{{{",".join(texts)}}}}}'):
            self.faults.append(f"{arrival.url} got {arrival.body[-300:]} and not {texts}")

    def _judge_input(self, arrival: Arrival, called: Execution, run: Run) -> None:
        """Each task that takes the input gets that of its own run, byte for byte, at each attempt and in each epoch."""
        assert called.task is not None
        [node] = [each for each in self._nodes(run) if each.key == called.task.key]
        if not node.takes_input:
            if arrival.body.startswith('{"input":'):
                self.faults.append(f"{arrival.url} got an input that it does not take")
            return
        texts = self._inputs_of(run)
        arrived = next((text for text in texts if arrival.body.startswith(f'{{"input":{text},"body":')), None)
        if arrived is None or self.inputs.setdefault(run.id, arrived) != arrived:
            self.faults.append(f"{arrival.url} got {arrival.body[:200]} and not the input of its run")

    def _inputs_of(self, run: Run) -> set[str]:
        """A call may arrive before the client knows its run or its job: then it may be any of the workflow's."""
        if run.parent is not None:
            jobs = self._schedules.jobs
            of_job = [each for each in jobs if each.job_id == run.parent.job_id]
            return {each.text.decode() or "null" for each in of_job or jobs}
        ids = {name: workflow.id for name, workflow in self._clients.workflows.items()}
        started = [each for each in self._clients.runs if ids.get(each.workflow) == run.workflow_id]
        own = [each for each in started if each.run_id == run.id] or started
        return {each.text.decode() or "null" for each in own}

    def _judge_element(self, arrival: Arrival, called: Execution, run: Run, node: Node) -> None:
        """The call of an item has its element, byte for byte, and there is no item without one."""
        assert called.task is not None
        assert node.map is not None
        elements = self._elements(run, node, called.task.epoch)
        position = called.task.item
        if position is None or elements is None or position >= len(elements):
            self.faults.append(f"{arrival.url} was called as item {position} of {elements}")
            return
        item = (
            f'"item":{{"index":{position},"count":{len(elements)},"value":{elements[position]}}},"results":'
        )
        if item not in arrival.body:
            self.faults.append(f"{arrival.url} got {arrival.body[-300:]} and not {item}")

    def _elements(self, run: Run, node: Node, epoch: int) -> list[str] | None:
        """The array of a map, from what its source has answered; None if there is none."""
        assert node.map is not None
        [source] = [each for each in self._nodes(run) if each.key == node.map.over]
        if source.map is not None:
            return [self._answer(each) for _, each in sorted(self._items(run, source.key, epoch).items())]
        succeeded = self._latest(run, source.key, epoch)
        if succeeded is None or succeeded.state is not State.SUCCEEDED:
            return None
        return self.parts.get((str(succeeded.id), succeeded.progress.outcomes[-1].attempt))

    def _result(self, run: Run, key: str, epoch: int) -> str:
        """What a task that succeeded has answered, or the items of a map in their order."""
        [node] = [each for each in self._nodes(run) if each.key == key]
        if node.map is not None:
            items = sorted(self._items(run, key, epoch).items())
            return f"[{','.join(self._answer(each) for _, each in items)}]"
        succeeded = self._latest(run, key, epoch)
        return self._answer(succeeded) if succeeded is not None else "null"

    def _answer(self, succeeded: Execution) -> str:
        last = succeeded.progress.outcomes[-1].attempt if succeeded.progress.outcomes else 0
        return self.answers.get((str(succeeded.id), last), "nothing")

    def _items(self, run: Run, key: str, epoch: int) -> dict[int, Execution]:
        """The latest execution of each item of a map, up to this epoch."""
        found: dict[int, Execution] = {}
        for row in self._world.table.executions.values():
            task = row.execution.task
            if task is None or task.item is None or (task.run, task.key) != (run.id, key):
                continue
            other = found.get(task.item)
            if task.epoch <= epoch and (other is None or other.task is None or other.task.epoch < task.epoch):
                found[task.item] = row.execution
        return found

    def _with_result(self, arrival: Arrival, called: Execution, answer: CallbackResponse) -> CallbackResponse:
        """Another text at each attempt; some are no results."""
        if not answer.succeeded:
            return answer
        rng = self._rng
        parts, array = None, '"no array"'
        if called.task is not None and called.task.item is None and rng.random() >= NO_ARRAY:
            parts = [f'{{ "part":{number}.50 }}' for number in range(rng.randint(0, MAX_PARTS))]
            array = f"[{' , '.join(parts)} ]"
        drawn = f'"attempt":{arrival.attempt}.0,"drawn":{rng.getrandbits(90)}'
        text = f'{{"of":"{arrival.url}", "parts" : {array},{drawn}}}'
        if rng.random() < INVALID:
            return replace(answer, body=rng.choice((b"", b"ok", text.encode() * 1_000)))
        self.answers[arrival.execution_id, arrival.attempt] = text
        self.parts[arrival.execution_id, arrival.attempt] = parts
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
            without = {TaskState.SKIPPED: State.SKIPPED, TaskState.FAILED: State.FAILED}
            return without.get(progress.state, State.CANCELLED)
        node = self._nodes(run)[index]
        if node.map is not None:
            if progress is None or progress.is_open:
                return None
            elements = self._elements(run, node, epoch)
            return map_state(self._items(run, key, epoch), None if elements is None else len(elements))
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


def map_state(items: dict[int, Execution], count: int | None) -> State | None:
    """How a map has ended whose array has so many elements; None if an item is missing, or has not ended."""
    states = [each.state for each in items.values()]
    if sorted(items) != list(range(count or 0)) or not all(state.is_terminal for state in states):
        return None
    worst = (State.FAILED, State.CANCELLED, State.SKIPPED)
    return next((each for each in worst if each in states), State.SUCCEEDED)


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
    for record in world.table.maps.values():
        if record.items.open_items() or record.expires_at_s is None:
            yield f"the items of {record.items.key} of {record.items.run} are open, or never expire"


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
        elif node.map is not None:
            yield from _judge_map(world, run, node.key, progress)
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


def _judge_map(world: World, run: Run, key: str, progress: TaskProgress) -> Iterator[str]:
    """Each item has one execution in each epoch at most, none after it has succeeded, and the map knows their ends."""
    rows = [row.execution for row in world.table.executions.values()]
    mine = [each for each in rows if each.task and (each.task.run, each.task.key) == (run.id, key)]
    latest: dict[int, Execution] = {}
    counts = {each.task.items for each in mine if each.task is not None}
    for each in sorted(mine, key=lambda row: row.task.epoch if row.task else 0):
        assert each.task is not None
        if each.task.item is None:
            yield f"{key} of {run.id} was filed as a task"
            continue
        before = latest.get(each.task.item)
        if before is not None and before.state is State.SUCCEEDED:
            yield f"item {each.task.item} of {key} of {run.id} was repeated"
        if before is not None and before.task is not None and before.task.epoch == each.task.epoch:
            yield f"item {each.task.item} of {key} of {run.id} was filed twice in epoch {each.task.epoch}"
        latest[each.task.item] = each
    if len(counts) > 1:
        yield f"{key} of {run.id} has {counts} items"
    state = map_state(latest, max(counts, default=0))
    if progress.reason is None and (state is None or _OF_STATE[state] is not progress.state):
        yield f"{key} of {run.id} is {progress.state}, and its items are {state}"


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
