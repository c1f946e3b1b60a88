"""Clients of workflows: they create random graphs, start runs, cancel some of them and redrive others."""

from dataclasses import dataclass, field
from functools import partial
from random import Random

from shared.bootstrap.use_cases import UseCases
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidStateError, InvalidValueError, NotFoundError
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import Graph, Node, OnFailure, RunIf
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.new_workflow import NewTask, NewWorkflow, RunCallbacks
from shared.domain.workflows.task_map import TaskMap
from shared.domain.workflows.workflow import Workflow
from tests.simulation.requests import request
from tests.simulation.workflow_notifications import drawn_callbacks
from tests.simulation.world import TENANTS, World

SECOND_MS, MINUTE_MS = 1_000, 60_000
TENANT = TENANTS[0]
WORKFLOWS, RUNS = 6, 16
MAX_TASKS = 8
QUICK = ("w0", "w1", "w2")
LOAD_MS = 10 * MINUTE_MS
CANCELLED, REDRIVEN = 0.35, 0.5
MAPPED = 0.35
"""How many of the tasks with a predecessor are maps."""
MAX_MAPS = 3
NEEDED = 0.6
"""How many of the tasks in `after` a task gets the results of."""
MAP_PATH = "/parts"
TAKES_INPUT, HAS_INPUT = 0.4, 0.6
"""How many tasks take the input of their run, and how many runs have one."""
URL = "https://receiver.example"


@dataclass(slots=True, kw_only=True)
class StartedRun:
    """One run, as its client knows it. Instants are virtual time."""

    workflow: str
    text: bytes = b""
    """The input of the run; empty for none."""
    run_id: ExecutionId | None = None
    acked_at: int | None = None
    cancel_acked_at: int | None = None
    cancelled_epoch: int = 0
    running: dict[str, int] = field(default_factory=dict)
    """What ran when the cancellation was acknowledged: the attempt of each execution."""


class WorkflowClients:
    """Every request is repeated until it is answered."""

    def __init__(self, world: World, rng: Random) -> None:
        self.world, self.rng = world, rng
        self.workflows: dict[str, Workflow] = {}
        self.callbacks: dict[str, RunCallbacks] = {}
        """By the IDs of workflows."""
        self.quick: set[str] = set()
        """The workflows whose receivers answer at once."""
        self.runs: list[StartedRun] = []
        for number in range(WORKFLOWS):
            act = partial(self._create, f"w{number}", self._drawn(f"w{number}"))
            request(world, "client", act, world.start_ms)

    def start_load(self) -> None:
        """Runs over the time of the load; each may be cancelled or redriven later."""
        for number in range(RUNS):
            text = drawn_input(self.world, f"run {number}")
            started = StartedRun(workflow=f"w{self.rng.randrange(WORKFLOWS)}", text=text)
            self.runs.append(started)
            at_ms = self.world.hub.now_ms + self.rng.randint(0, LOAD_MS)
            request(self.world, "client", partial(self._start, started, f"run{number}"), at_ms)
            if self.rng.random() < CANCELLED:
                later_ms = at_ms + self.rng.choice((200, 2_000, 10_000, 60_000))
                request(self.world, "client", partial(self._cancel, started), later_ms)
            if self.rng.random() < REDRIVEN:
                later_ms = at_ms + self.rng.randint(MINUTE_MS, 8 * MINUTE_MS)
                request(self.world, "client", partial(self._redrive, started), later_ms)

    def _drawn(self, name: str) -> NewWorkflow:
        rng, nodes = self.rng, list[Node]()
        on_failure = rng.choice(tuple(OnFailure))
        for number in range(rng.randint(1, MAX_TASKS)):
            keys = [node.key for node in nodes]
            after = tuple(rng.sample(keys, rng.randint(0, min(3, len(keys)))))
            needs = tuple(key for key in after if rng.random() < NEEDED)
            over = rng.choice(after) if after and rng.random() < MAPPED else None
            is_mapped = over is not None and sum(node.map is not None for node in nodes) < MAX_MAPS
            task_map = TaskMap(over=over, path=MAP_PATH) if over is not None and is_mapped else None
            if over is not None and task_map is not None and _is_map(nodes, over):
                task_map = TaskMap(over=over)
            for run_if in (rng.choice(tuple(RunIf)), RunIf.ALL_SUCCEEDED, RunIf.ALL_ENDED):
                node = Node(key=f"t{number}", after=after, run_if=run_if, needs=needs, map=task_map)
                try:
                    Graph(nodes=(*nodes, node), on_failure=on_failure)
                except InvalidValueError:
                    continue
                nodes.append(node)
                break
        tasks = tuple(self._task(name, node) for node in nodes)
        callbacks = drawn_callbacks(Random(f"callbacks of {name} of {self.world.seed}"), name)
        deadline_seconds = rng.choice((90, 300, 1_800, 1_800))
        return NewWorkflow(
            tasks=tasks, on_failure=on_failure, deadline_seconds=deadline_seconds, callbacks=callbacks
        )

    def _task(self, name: str, node: Node) -> NewTask:
        rng = self.rng
        body = rng.choice((b"", b"", b'"%b"' % (b"x" * 2_000)))
        takes_input = Random(f"{node.key} of {name} of {self.world.seed}").random() < TAKES_INPUT
        return NewTask(
            key=node.key,
            after=node.after,
            run_if=node.run_if,
            needs=node.needs,
            map=node.map,
            takes_input=takes_input,
            request=Request(method="POST", url=f"{URL}/{name}/{node.key}", body=body),
            retry=RetryPolicy(max_attempts=rng.choice((1, 2, 4)), base_seconds=1, cap_seconds=30),
            timeout_seconds=rng.choice((2, 5)),
        )

    def _create(self, name: str, new: NewWorkflow, cases: UseCases) -> None:
        workflow, _ = cases.workflows.put_workflow.create(self.world.tenant(TENANT), new, name)
        self.workflows[name], self.callbacks[workflow.id] = workflow, new.callbacks
        if name in QUICK:
            self.quick.add(workflow.id)

    def _start(self, started: StartedRun, key: str, cases: UseCases) -> None:
        workflow = self.workflows[started.workflow]
        tenant = self.world.tenant(TENANT)
        if not workflow.graph.takes_input:
            started.text = b""  # The API refuses an input that no task takes.
        run = cases.workflows.start_run.execute(tenant, workflow.id, key, text=started.text).run
        started.run_id, started.acked_at = run.id, self.world.hub.now_ms

    def _cancel(self, started: StartedRun, cases: UseCases) -> None:
        if started.run_id is None:
            return
        try:
            run, _ = cases.workflows.cancel_run.execute(TENANT, run_id_text(started.run_id))
        except (InvalidStateError, NotFoundError):
            return
        if started.cancel_acked_at is None:
            started.cancel_acked_at, started.cancelled_epoch = self.world.hub.now_ms, run.epoch
            rows = (row.execution for row in self.world.table.executions.values())
            started.running = {
                str(each.id): each.attempt
                for each in rows
                if each.task is not None and each.task.run == run.id and each.state is State.RUNNING
            }

    def _redrive(self, started: StartedRun, cases: UseCases) -> None:
        if started.run_id is None:
            return
        try:
            cases.workflows.redrive_run.execute(TENANT, run_id_text(started.run_id), epoch=1)
        except (InvalidStateError, NotFoundError):
            return


def _is_map(nodes: list[Node], key: str) -> bool:
    return any(node.key == key and node.map is not None for node in nodes)


def drawn_input(world: World, of: str) -> bytes:
    """Another one for each name; some are too large to stand in the item of an execution, and some are none."""
    rng = Random(f"input of {of} of {world.seed}")
    if rng.random() >= HAS_INPUT:
        return b""
    return f'{{"of":"{of}", "n":1.50,"text":"{"x" * rng.choice((0, 2_000))}"}}'.encode()
