"""Runs of workflows, started beside the API by the use cases of the product, and what was promised of them."""

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast
from unittest.mock import patch

from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import ONE_ATTEMPT, RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId, one_off_execution
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After
from shared.domain.workflows.graph import Graph, Node, OnFailure
from shared.domain.workflows.identities import run_id_text, run_of
from shared.domain.workflows.new_workflow import NO_CALLBACKS, NewTask, NewWorkflow, RunCallbacks
from shared.domain.workflows.run import Run, RunState
from shared.domain.workflows.run_rules import execution_of
from shared.settings import ApiSettings
from tests.crashes.arrivals import Arrival
from tests.crashes.deployment import TENANT, Deployment
from tests.crashes.reader import CREATED, OK, TRIES, Send
from tests.crashes.task_bodies import body_faults, item_faults

MARK = "/workflow-"
LISTENER = "told"
"""The last part of the path that is told of the ends of runs: no task has this key."""
RETRY = RetryPolicy(max_attempts=4, delays_seconds=(1, 1, 1))
DUE_SECONDS = 10
"""After so long a job starts its workflow."""
OUTCOMES = {RunState.SUCCEEDED: State.SUCCEEDED, RunState.FAILED: State.FAILED}
Told = tuple[str, int]
"""Outcome and epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """One run, and what becomes of it without a blow."""

    run_id: ExecutionId
    name: str
    nodes: tuple[Node, ...]
    ends: RunState
    never_called: frozenset[str]
    fails: frozenset[str] = frozenset()
    """The tasks with a single attempt, which a worker that dies may take with it."""
    told: frozenset[Told] = frozenset()
    """The ends that are to be told."""
    parent: ExecutionId | None = None
    """The execution of the job that starts the run."""
    text: str = "null"
    """The input of the run, which each of its tasks takes if there is one."""


class WorkflowRuns:
    """The runs of one stage."""

    _numbers = itertools.count(1)

    def __init__(self, deployment: Deployment, url: str, send: Send) -> None:
        self._deployment, self._url, self._send = deployment, url, send
        self.forget()

    def forget(self) -> None:
        """A new run of the stage."""
        self.all: list[Started] = []
        self._faults: list[str] = []
        self._redriven: set[ExecutionId] = set()

    def start(
        self,
        *nodes: Node,
        fails: Sequence[str] = "",
        on_failure: OnFailure = OnFailure.FAIL_FAST,
        ends: RunState = RunState.SUCCEEDED,
        never_called: Sequence[str] = (),
        told: Sequence[Told] = (),
        receiver: str = "fails",
        by_job: bool = False,
        text: str = "null",
    ) -> None:
        """Start a run whose receivers are content, but for those of the tasks that fail, which are like `receiver`.

        `by_job`: a job starts it, after `DUE_SECONDS`. `text` is its input.
        """
        number, graph = next(self._numbers), Graph(nodes=nodes, on_failure=on_failure)
        listing = [node.map.over for node in nodes if node.map is not None]
        receivers = dict.fromkeys(graph.needed, "hands") | dict.fromkeys(listing, "lists")
        receivers |= dict.fromkeys(fails, receiver)
        tasks = tuple(
            NewTask(
                key=node.key,
                after=node.after,
                run_if=node.run_if,
                needs=node.needs,
                map=node.map,
                takes_input=node.takes_input,
                request=Request(
                    method="POST",
                    url=f"{self._url}/{receivers.get(node.key, 'ok')}{MARK}{number}/{node.key}",
                    body=b"{}",
                ),
                retry=RetryPolicy(max_attempts=1) if node.key in fails else RETRY,
                timeout_seconds=2,
            )
            for node in nodes
        )
        listener = f"{self._url}/ok{MARK}{number}/{LISTENER}"
        callbacks = RunCallbacks(on_success=listener, on_failure=listener) if told else NO_CALLBACKS
        run_id, parent = self._begun(
            NewWorkflow(tasks=tasks, on_failure=on_failure, callbacks=callbacks), by_job=by_job, text=text
        )
        self.all.append(
            Started(
                run_id=run_id,
                name=f"{MARK}{number}/",
                nodes=nodes,
                ends=ends,
                never_called=frozenset(never_called),
                fails=frozenset(fails),
                told=frozenset(told),
                parent=parent,
                text=text,
            )
        )

    def _begun(self, new: NewWorkflow, *, by_job: bool, text: str) -> tuple[ExecutionId, ExecutionId | None]:
        """The run of a new workflow, and the execution that starts it."""
        with patch.dict(os.environ, self._deployment.environment):
            cases = self._cases()
            tenant = cases.core.read_tenant.execute(TENANT)
            assert tenant is not None
            workflow, _ = cases.workflows.put_workflow.create(tenant, new)
            body = b"" if text == "null" else text.encode()
            if not by_job:
                return cases.workflows.start_run.execute(tenant, workflow.id, text=body).run.id, None
            if body:
                # As an event starts it: the API takes no input for a job.
                request = Request(workflow_id=workflow.id, body=body)
                job = NewJob(timing=After(DUE_SECONDS), request=request, retry=ONE_ATTEMPT)
                made = cases.jobs.create_job.execute(tenant, job, None).job
                assert isinstance(made, Execution)
                return run_of(made.id), made.id
        document = {"schedule": {"delay_seconds": DUE_SECONDS}, "workflow": workflow.id}
        answer = self._send("POST", "/v1/jobs", document)
        assert answer.status == CREATED, answer
        parent = one_off_execution(answer.body["id"])
        assert parent is not None
        return run_of(parent), parent

    def redrive(self) -> None:
        """Redrive the first epoch of the last run, until there is an answer."""
        self.expect_redrive()
        path = f"/v1/runs/{run_id_text(self.all[-1].run_id)}/redrive"
        for _ in range(TRIES):
            answer = self._send("POST", path, {"epoch": 1})
            if answer.is_final:
                break
        if answer.status != OK:
            self._faults.append(f"workflow: the redrive was answered with {answer.status}: {answer.body}")

    def expect_redrive(self) -> None:
        """A redrive of the last run has begun, or will."""
        self._redriven.add(self.all[-1].run_id)

    def execution_of(self, key: str) -> dict[str, str]:
        """The execution of a task that the last run has chosen."""
        started = self.all[-1]
        run = self._stored()[started.run_id]
        assert run is not None
        graph = Graph(nodes=started.nodes)
        return {"id": str(execution_of(run, graph, graph.indexes()[key]))}

    def are_at_rest(self, calls: Sequence[Arrival]) -> bool:
        """Whether every run has ended, with the execution that started it, and each end that is to be told was told."""
        stored = self._stored()
        has_ended = {run_id: run is not None and run.state.is_terminal for run_id, run in stored.items()}
        for started in self.all:
            parent = self._parent(started)
            if parent is not None and parent.state.is_terminal and not has_ended[started.run_id]:
                self._faults.append(f"early: {parent.id} ended before its run {started.name}")
        return all(
            has_ended[started.run_id]
            and (started.parent is None or self._has_ended(started))
            and started.told <= {_said(call) for call in _heard(started, calls) if call.status == OK}
            for started in self.all
        )

    def _has_ended(self, started: Started) -> bool:
        parent = self._parent(started)
        return parent is not None and parent.state.is_terminal

    def _parent(self, started: Started) -> Execution | None:
        if started.parent is None:
            return None
        with patch.dict(os.environ, self._deployment.environment):
            return self._cases().core.ports.executions.get(started.parent)

    def faults(self, calls: Sequence[Arrival]) -> Iterator[str]:
        """What was promised and does not hold."""
        yield from self._faults
        stored = self._stored()
        for started in self.all:
            run = stored[started.run_id]
            if run is None or run.state is not started.ends:
                yield f"workflow: {started.name} is {run and run.state}, not {started.ends}"
            own = [call for call in calls if started.name in call.path]
            yield from _call_faults(started, own, is_redriven=started.run_id in self._redriven)
            yield from _told_faults(started, run, own)
            yield from _parent_faults(started, run, self._parent(started))

    def _stored(self) -> dict[ExecutionId, Run | None]:
        if not self.all:
            return {}
        with patch.dict(os.environ, self._deployment.environment):
            runs = self._cases().core.ports.runs
            return {started.run_id: runs.get(started.run_id) for started in self.all}

    def _cases(self) -> UseCases:
        settings = ApiSettings.from_env(self._deployment.environment)
        ports: Any = dynamo_ports(settings)
        ports.clock = self._deployment.engines.clock
        return use_cases(cast("Any", ports), settings)


def is_task(call: Arrival) -> bool:
    """Whether a call is that of a task."""
    return MARK in call.path


def _call_faults(started: Started, calls: Sequence[Arrival], *, is_redriven: bool) -> Iterator[str]:
    """Each task is called after those that it waits for were; what must not run is not called."""
    first: dict[str, int] = {}
    for number, call in enumerate(calls):
        first.setdefault(call.path.rpartition("/")[2], number)
    for node in started.nodes:
        was_called = node.key in first
        is_lost = not was_called and node.key in started.fails
        if was_called == (node.key in started.never_called) and not is_lost:
            yield f"workflow: {node.key} of {started.name} was {'' if was_called else 'not '}called"
        for key in node.after:
            is_lost = key not in first and key in started.fails
            if was_called and not is_lost and (key not in first or first[key] > first[node.key]):
                yield f"workflow: {node.key} of {started.name} was called before {key}"
        own = [call for call in calls if call.path.endswith(f"/{node.key}")]
        yield from body_faults(started.name, node, own, started.text)
        if node.map is not None and was_called:
            yield from item_faults(started.name, node, own, calls, is_redriven=is_redriven)


def _heard(started: Started, calls: Sequence[Arrival]) -> list[Arrival]:
    return [call for call in calls if call.path.endswith(f"{started.name}{LISTENER}")]


def _said(call: Arrival) -> Told:
    data = call.payload["data"]
    return data["outcome"], data["epoch"]


def _told_faults(started: Started, run: Run | None, calls: Sequence[Arrival]) -> Iterator[str]:
    """Each end is told under one ID, once it stands, and nothing else is told."""
    heard = _heard(started, calls)
    for end in started.told - {_said(call) for call in heard if call.status == OK}:
        yield f"lost: no notification told of the end {end} of {started.name}"
    for end in {_said(call) for call in heard}:
        of_end = [call for call in heard if _said(call) == end]
        if end not in started.told or {call.payload["type"] for call in of_end} != {f"run.{end[0]}"}:
            yield f"stray: {of_end} told of {end}"
        if len({call.execution_id for call in of_end}) > 1:
            yield f"doubled: the end {end} of {started.name} was told under several ids"
        is_present = run is not None and run.epoch == end[1]
        if run is not None and is_present and of_end[0].execution_id != str(run.notification):
            yield f"doubled: {started.name} names {run.notification}, and {of_end[0].execution_id} told"
        if run is not None and is_present and of_end[0].began_at < (run.ended_at or 0):
            yield f"early: {of_end[0]} tells of what ended at {run.ended_at}"


def _parent_faults(started: Started, run: Run | None, parent: Execution | None) -> Iterator[str]:
    """The execution that started a run ends as the run does, and beginning costs it no attempt."""
    if started.parent is None:
        return
    expected = OUTCOMES.get(started.ends)
    if parent is None or parent.state is not expected or parent.attempt != 1:
        yield f"workflow: {parent and (parent.state, parent.attempt)} started {started.name}, not {expected}"
    if run is not None and run.parent is None:
        yield f"workflow: {started.name} names no execution"
