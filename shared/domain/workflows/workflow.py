"""The stored definition of a workflow, and the executions of its tasks."""

from dataclasses import replace
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.bucket import ShardCounts
from shared.domain.delivery.alerts import NO_ALERTS, AlertTarget
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.outcome_callbacks import INHERIT, NO_TARGET, OutcomeCallbacks
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution, TaskRef
from shared.domain.ids import ExecutionId
from shared.domain.workflows.graph import Graph
from shared.domain.workflows.identities import run_id_text, task_execution_id
from shared.domain.workflows.run import DEFAULT_DEADLINE_SECONDS, MAX_DEADLINE_SECONDS, Parent, Run, RunState
from shared.domain.workflows.run_rules import decided

_SILENT = OutcomeCallbacks(on_success=NO_TARGET, on_failure=NO_TARGET)
"""A task announces nothing by itself: its run does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """One revision of a workflow, which never changes: a change is another revision."""

    id: str
    tenant_id: str
    revision: int
    created_at: int
    """Of the workflow, in UTC ms."""
    graph: Graph
    calls: tuple[CallSpec, ...]
    """The sealed call of each task, in the order of the graph's nodes."""
    deadline_seconds: int = DEFAULT_DEADLINE_SECONDS
    name: str | None = None
    tags: tuple[str, ...] = ()
    callbacks: OutcomeCallbacks = INHERIT
    """What is called after the end of a run."""
    alerts: AlertTarget | None = None
    """The subscription of the workflow itself; None inherits the tenant's."""
    fingerprint: bytes = b""
    """Of the request that created the workflow."""
    key: str | None = None
    """The key that the owner gave it: at most one workflow of a tenant that is not deleted has it."""
    set_name: str | None = None

    def __post_init__(self) -> None:
        """InvalidValueError for values out of range."""
        check_deadline(self.deadline_seconds)
        if len(self.calls) != len(self.graph.nodes):
            raise InvalidValueError("a workflow has one call for each task")

    @property
    def head(self) -> "WorkflowHead":
        return WorkflowHead(
            id=self.id,
            tenant_id=self.tenant_id,
            revision=self.revision,
            created_at=self.created_at,
            name=self.name,
            tags=self.tags,
            tasks=len(self.calls),
            fingerprint=self.fingerprint,
            key=self.key,
            set_name=self.set_name,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowHead:
    """What a list shows of a workflow, and its present revision."""

    id: str
    tenant_id: str
    revision: int
    created_at: int
    """Of the workflow, in UTC ms."""
    name: str | None
    tags: tuple[str, ...]
    tasks: int
    """How many tasks the present revision has."""
    fingerprint: bytes
    is_deleted: bool = False
    """A deleted workflow starts no run; its open runs go on."""
    key: str | None = None
    set_name: str | None = None


def check_deadline(seconds: int) -> None:
    """InvalidValueError for a deadline out of range."""
    if not 1 <= seconds <= MAX_DEADLINE_SECONDS:
        raise InvalidValueError(
            f"deadline_seconds must be 1 to {MAX_DEADLINE_SECONDS}", path=("deadline_seconds",)
        )


def new_run(
    workflow: Workflow,
    run_id: ExecutionId,
    counts: ShardCounts,
    fingerprint: bytes,
    now_ms: int,
    parent: Parent | None = None,
    state: RunState = RunState.RUNNING,
) -> Run:
    """A run that begins now, with its first tasks chosen. One that begins as cancelled has ended, without a task."""
    run = Run(
        id=run_id,
        tenant_id=workflow.tenant_id,
        workflow_id=workflow.id,
        revision=workflow.revision,
        created_at=now_ms,
        deadline_at=now_ms + workflow.deadline_seconds * 1000,
        counts=counts,
        tasks=(None,) * len(workflow.graph.nodes),
        fingerprint=fingerprint,
        state=state,
        parent=parent,
    )
    return decided(run, workflow.graph, now_ms)


def task_execution(
    workflow: Workflow,
    run: Run,
    index: int,
    *,
    created_at: int,
    index_shards: int = 1,
    item: int | None = None,
    items: int = 0,
) -> Execution:
    """The execution of a chosen task, or of one of the `items` of a chosen map. Each process files the same one, but
    for `created_at`.

    InvalidValueError for a task that is not chosen. No attempt begins behind the deadline of the run.
    """
    task, node = run.tasks[index], workflow.graph.nodes[index]
    key = node.key
    if task is None or not task.has_execution or (node.map is None) != (item is None):
        raise InvalidValueError(f"task {key} is not chosen")
    execution_id = task_execution_id(run.id, key, task.epoch, task.at, run.counts, item)
    position = "" if item is None else f"|{item}"
    call = workflow.calls[index]
    left_seconds = (run.deadline_at - task.at) // 1000
    age = call.retry.give_up_after_seconds
    retry = replace(call.retry, give_up_after_seconds=left_seconds if age is None else min(age, left_seconds))
    return Execution(
        id=execution_id,
        tenant_id=run.tenant_id,
        job_id=workflow.id,
        revision=workflow.revision,
        nominal_at=task.at,
        created_at=created_at,
        call=replace(call, retry=retry, callbacks=_SILENT, alerts=NO_ALERTS),
        fingerprint=sha256(f"{run_id_text(run.id)}|{key}|{task.epoch}{position}".encode()).digest()[:16],
        index_shard=execution_id.entropy % index_shards,
        name=workflow.name,
        tags=workflow.tags,
        runs_when_suspended=True,
        task=TaskRef(
            run=run.id,
            key=key,
            epoch=task.epoch,
            hands_on=key in workflow.graph.needed,
            needs_results=bool(node.needs) or item is not None,
            item=item,
            items=items,
            takes_input=node.takes_input,
            input_id=run.input_id if node.takes_input else None,
        ),
    )
