"""Workflows and runs as responses, and as the documents that merge patches apply to and that audit records cover."""

from collections import Counter
from typing import Any

from functions.api.alert_models import alerts_out, alerts_request
from functions.api.models import Document, document_of, instant_out
from functions.api.resources.executions.models import NotificationOut
from functions.api.resources.jobs.presenter import call_document, call_out, retry_out
from functions.api.resources.workflows.map_models import MapOut
from functions.api.resources.workflows.models import RunCallbacksOut, TaskOut, WorkflowOut, WorkflowSummaryOut
from functions.api.resources.workflows.run_models import (
    BLOCKED,
    EdgeOut,
    GraphOut,
    NodeOut,
    RunDetailOut,
    RunOut,
    RunTaskOut,
    TaskCountsOut,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.schedules.schedule import format_instant
from shared.domain.workflows.graph import Graph
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.run import Run, TaskProgress, TaskState
from shared.domain.workflows.run_rules import execution_of
from shared.domain.workflows.workflow import WorkflowHead
from shared.usecases.listings.execution_documents import Beside, execution_document
from shared.usecases.workflows.read_runs import DescribedRun, OpenedWorkflow

_SHOWN = ("due_at", "attempts_begun", "attempts", "next_attempt_at", "end_reason")
"""Members of an execution that its task is shown with."""


def summary_out(head: WorkflowHead) -> WorkflowSummaryOut:
    return WorkflowSummaryOut(
        id=head.id,
        state="deleted" if head.is_deleted else "active",
        name=head.name,
        tags=list(head.tags),
        key=head.key,
        set_=head.set_name,
        task_count=head.tasks,
        revision=head.revision,
        created_at=format_instant(head.created_at),
    )


def recorded(head: WorkflowHead) -> Document:
    """What an audit record has the digest of. The fingerprint, a keyed hash, stands for the whole definition."""
    return {**document_of(summary_out(head)), "definition": head.fingerprint.hex()}


def workflow_out(opened: OpenedWorkflow) -> WorkflowOut:
    workflow = opened.workflow
    tasks = [
        TaskOut(
            key=node.key,
            after=list(node.after),
            run_if=node.run_if,
            needs=list(node.needs),
            input=node.takes_input,
            map=MapOut(over=node.map.over, path=node.map.path) if node.map is not None else None,
            **call_out(request),
            retry=retry_out(call.retry),
            timeout_seconds=call.timeout_ms // 1000,
            lane=call.lane,
        )
        for node, call, request in zip(workflow.graph.nodes, workflow.calls, opened.requests, strict=True)
    ]
    return WorkflowOut(
        **document_of(summary_out(workflow.head)),
        on_failure=workflow.graph.on_failure,
        deadline_seconds=workflow.deadline_seconds,
        callbacks=RunCallbacksOut(
            on_success=opened.callbacks.on_success, on_failure=opened.callbacks.on_failure
        ),
        alerts=alerts_out(opened.alerts),
        tasks=tasks,
    )


def workflow_document(opened: OpenedWorkflow) -> dict[str, Any]:
    """The body that would create the workflow as it is now: the target of a merge patch."""
    shown = document_of(workflow_out(opened))
    tasks = [
        {name: value for name, value in task.items() if name not in ("request", "target")}
        | call_document(request)
        for task, request in zip(shown["tasks"], opened.requests, strict=True)
    ]
    members = ("name", "tags", "on_failure", "deadline_seconds", "callbacks")
    document = {name: shown[name] for name in members}
    return {**document, "alerts": alerts_request(opened.alerts), "tasks": tasks}


def keyed_document(opened: OpenedWorkflow) -> dict[str, Any]:
    """As `workflow_document`, for a request that also says the set."""
    document, set_name = workflow_document(opened), opened.workflow.set_name
    return document | ({"set": set_name} if set_name is not None else {})


def run_out(run: Run) -> RunOut:
    states = Counter(task.state if task is not None else None for task in run.tasks)
    return RunOut(
        id=run_id_text(run.id),
        workflow_id=run.workflow_id,
        execution_id=str(run.parent.execution) if run.parent is not None else None,
        job_id=run.parent.job_id if run.parent is not None else None,
        revision=run.revision,
        state=run.state,
        epoch=run.epoch,
        created_at=format_instant(run.created_at),
        deadline_at=format_instant(run.deadline_at),
        ended_at=instant_out(run.ended_at),
        has_input=run.input_id is not None,
        counts=TaskCountsOut(
            blocked=states[None],
            open=states[TaskState.CHOSEN],
            succeeded=states[TaskState.SUCCEEDED],
            failed=states[TaskState.FAILED],
            cancelled=states[TaskState.CANCELLED],
            skipped=states[TaskState.SKIPPED],
        ),
    )


def run_detail_out(described: DescribedRun) -> RunDetailOut:
    run, graph = described.run, described.workflow.graph
    tasks = [
        _task_out(node.key, progress, described, index)
        for index, (node, progress) in enumerate(zip(graph.nodes, run.tasks, strict=True))
    ]
    return RunDetailOut(
        **document_of(run_out(run)),
        workflow_name=described.workflow.name,
        tasks=tasks,
        graph=graph_out(graph),
        notification=_notification(described),
    )


def _notification(described: DescribedRun) -> NotificationOut | None:
    named, stored = described.run.notification, described.notification
    if named is None:
        return None
    return NotificationOut(id=str(named), state=stored.state.value if stored is not None else None)


def graph_out(graph: Graph) -> GraphOut:
    parents, levels = graph.parents(), dict[int, int]()
    for index in graph.order():
        levels[index] = 1 + max((levels[parent] for parent in parents[index]), default=-1)
    return GraphOut(
        nodes=[NodeOut(key=graph.nodes[index].key, level=level) for index, level in levels.items()],
        edges=[EdgeOut(source=key, target=node.key) for node in graph.nodes for key in node.after],
    )


def _task_out(key: str, progress: TaskProgress | None, described: DescribedRun, index: int) -> RunTaskOut:
    node = described.workflow.graph.nodes[index]
    if node.map is not None:
        # Imported late: most workflows have no map.
        from functions.api.resources.workflows.map_presenter import map_out

        return map_out(key, progress, described)
    execution_id = execution_of(described.run, described.workflow.graph, index)
    execution = described.executions.get(execution_id) if execution_id is not None else None
    shown = execution_document(execution, Beside()) if execution is not None else {}
    return RunTaskOut(
        key=key,
        state=_state(progress, execution),
        reason=progress.reason if progress is not None else None,
        epoch=progress.epoch if progress is not None else None,
        execution_id=str(execution_id) if execution_id is not None else None,
        has_result=execution is not None and execution.progress.result != b"",
        started_at=shown["attempts"][0]["started_at"] if shown.get("attempts") else None,
        **{
            "due_at": instant_out(execution_id.dispatch_at) if execution_id is not None else None,
            "attempts_begun": 0,
            "attempts": [],
            "next_attempt_at": None,
            "end_reason": None,
        }
        | {name: shown[name] for name in _SHOWN if name in shown},
    )


def _state(progress: TaskProgress | None, execution: Execution | None) -> str:
    """The state of the execution, which may have ended before its run learns of it."""
    if progress is None:
        return BLOCKED
    if execution is not None:
        return execution.state.value
    return State.PENDING.value if progress.is_open else progress.state.value
