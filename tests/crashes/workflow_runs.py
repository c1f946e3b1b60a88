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
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import Graph, Node, OnFailure
from shared.domain.workflows.new_workflow import NewTask, NewWorkflow
from shared.domain.workflows.run import Run, RunState
from shared.domain.workflows.run_rules import execution_of
from shared.settings import ApiSettings
from tests.crashes.arrivals import Arrival
from tests.crashes.deployment import TENANT, Deployment

MARK = "/workflow-"
RETRY = RetryPolicy(max_attempts=4, delays_seconds=(1, 1, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """One run, and what becomes of it without a blow."""

    run_id: ExecutionId
    name: str
    nodes: tuple[Node, ...]
    ends: RunState
    never_called: frozenset[str]


class WorkflowRuns:
    """The runs of one stage."""

    _numbers = itertools.count(1)

    def __init__(self, deployment: Deployment, url: str) -> None:
        self._deployment, self._url = deployment, url
        self.forget()

    def forget(self) -> None:
        """A new run of the stage."""
        self.all: list[Started] = []

    def start(
        self,
        *nodes: Node,
        fails: str = "",
        on_failure: OnFailure = OnFailure.FAIL_FAST,
        ends: RunState = RunState.SUCCEEDED,
        never_called: Sequence[str] = (),
    ) -> None:
        """Start a run whose receivers are content, but for those of the tasks that fail."""
        number, graph = next(self._numbers), Graph(nodes=nodes, on_failure=on_failure)
        receivers = dict.fromkeys(graph.needed, "hands") | dict.fromkeys(fails, "fails")
        tasks = tuple(
            NewTask(
                key=node.key,
                after=node.after,
                run_if=node.run_if,
                needs=node.needs,
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
        with patch.dict(os.environ, self._deployment.environment):
            cases = self._cases()
            tenant = cases.core.read_tenant.execute(TENANT)
            assert tenant is not None
            new = NewWorkflow(tasks=tasks, on_failure=on_failure)
            workflow, _ = cases.workflows.put_workflow.create(tenant, new)
            run = cases.workflows.start_run.execute(tenant, workflow.id).run
        self.all.append(
            Started(
                run_id=run.id,
                name=f"{MARK}{number}/",
                nodes=nodes,
                ends=ends,
                never_called=frozenset(never_called),
            )
        )

    def execution_of(self, key: str) -> dict[str, str]:
        """The execution of a task that the last run has chosen."""
        started = self.all[-1]
        run = self._stored()[started.run_id]
        assert run is not None
        graph = Graph(nodes=started.nodes)
        return {"id": str(execution_of(run, graph, graph.indexes()[key]))}

    def are_at_rest(self) -> bool:
        """Whether every run has ended."""
        return all(run is not None and run.state.is_terminal for run in self._stored().values())

    def faults(self, calls: Sequence[Arrival]) -> Iterator[str]:
        """What was promised and does not hold."""
        stored = self._stored()
        for started in self.all:
            run = stored[started.run_id]
            if run is None or run.state is not started.ends:
                yield f"workflow: {started.name} is {run and run.state}, not {started.ends}"
            yield from _call_faults(started, [call for call in calls if started.name in call.path])

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


def _call_faults(started: Started, calls: Sequence[Arrival]) -> Iterator[str]:
    """Each task is called after those that it waits for were; what must not run is not called."""
    first: dict[str, int] = {}
    for number, call in enumerate(calls):
        first.setdefault(call.path.rpartition("/")[2], number)
    for node in started.nodes:
        was_called = node.key in first
        if was_called == (node.key in started.never_called):
            yield f"workflow: {node.key} of {started.name} was {'' if was_called else 'not '}called"
        for key in node.after:
            if was_called and (key not in first or first[key] > first[node.key]):
                yield f"workflow: {node.key} of {started.name} was called before {key}"
        yield from _result_faults(
            started, node, [call for call in calls if call.path.endswith(f"/{node.key}")]
        )


def _result_faults(started: Started, node: Node, calls: Sequence[Arrival]) -> Iterator[str]:
    """Every attempt has the same results, and each of them is what its task has answered."""
    if not node.needs:
        return
    for call in calls:
        results = call.payload["results"]
        of = {
            key: str(each["result"] and each["result"]["of"]).rpartition("/")[2]
            for key, each in results.items()
        }
        if call.payload != calls[0].payload or list(of.items()) != [(key, key) for key in node.needs]:
            yield f"workflow: {node.key} of {started.name} got {call.payload}"
