"""The requests of notifications about the ends of runs. A redrive changes the run, and no notification."""

import json
from collections import Counter

from shared.domain.delivery.alerts import Alert, AlertEvent, AlertFormat
from shared.domain.delivery.request import Request
from shared.domain.executions.console_links import ConsoleLinks
from shared.domain.executions.slack_text import escaped
from shared.domain.schedules.schedule import format_instant
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.run import Run, RunState, TaskState
from shared.domain.workflows.run_rules import execution_of
from shared.domain.workflows.workflow import Workflow


def run_notification_request(
    url: str, run: Run, workflow: Workflow, alert: Alert | None, links: ConsoleLinks
) -> Request:
    """The request to the target: the outcome of the run and of each task, and no request of a task."""
    if alert is not None and alert.format is AlertFormat.SLACK:
        document: dict[str, object] = {"text": _slack_text(run, workflow, alert, links)}
    else:
        kind = f"run.{run.state}" if alert is None else "run.alert"
        events = {} if alert is None else {"events": alert.events}
        document = {
            "type": kind,
            "timestamp": format_instant(_ended_at(run)),
            "data": {**events, **_data(run, workflow, links)},
        }
    return Request(
        method="POST",
        url=url,
        headers=(("Content-Type", "application/json"),),
        body=json.dumps(document, separators=(",", ":")).encode(),
    )


def _data(run: Run, workflow: Workflow, links: ConsoleLinks) -> dict[str, object]:
    return {
        "run_id": run_id_text(run.id),
        "run_path": f"/v1/runs/{run_id_text(run.id)}",
        "workflow_id": workflow.id,
        "revision": run.revision,
        "name": workflow.name,
        "tags": workflow.tags,
        "console_url": links.workflow_run(run_id_text(run.id)),
        "outcome": str(run.state),
        "epoch": run.epoch,
        "created_at": format_instant(run.created_at),
        "deadline_at": format_instant(run.deadline_at),
        "ended_at": format_instant(_ended_at(run)),
        "tasks": [_task(run, workflow, index) for index in range(len(run.tasks))],
    }


def _task(run: Run, workflow: Workflow, index: int) -> dict[str, object]:
    progress, execution_id = run.tasks[index], execution_of(run, workflow.graph, index)
    return {
        "key": workflow.graph.nodes[index].key,
        "state": str(progress.state) if progress is not None else None,
        "reason": progress.reason if progress is not None else None,
        "epoch": progress.epoch if progress is not None else None,
        "execution_id": str(execution_id) if execution_id is not None else None,
    }


def _ended_at(run: Run) -> int:
    return run.ended_at if run.ended_at is not None else run.created_at


def _slack_text(run: Run, workflow: Workflow, alert: Alert, links: ConsoleLinks) -> str:
    """As that of an execution: no part of it notifies a whole channel, or hides a link."""
    happened = "; ".join(_sentence(event, run, workflow) for event in alert.events)
    about = [f"started {format_instant(run.created_at)}", f"epoch {run.epoch}"]
    about += [f"tags {', '.join(workflow.tags)}"] * bool(workflow.tags)
    lines = (
        f"*{escaped(workflow.name or workflow.id)}* {escaped(happened)}",
        escaped("; ".join(about)),
        links.workflow_run(run_id_text(run.id)) or f"/v1/runs/{run_id_text(run.id)}",
    )
    return "\n".join(lines)


def _sentence(event: AlertEvent, run: Run, workflow: Workflow) -> str:
    if event is not AlertEvent.FAILED:
        return str(event)
    counts = Counter(task.state for task in run.tasks if task is not None)
    failed = [
        node.key
        for node, task in zip(workflow.graph.nodes, run.tasks, strict=True)
        if task is not None and task.state is TaskState.FAILED
    ]
    how = "timed out" if run.state is RunState.TIMED_OUT else "failed"
    named = f": {', '.join(failed[:3])}{' and others' if len(failed) > 3 else ''}" if failed else ""
    return f"{how}: {counts[TaskState.SUCCEEDED]} of {len(run.tasks)} tasks succeeded, {len(failed)} failed{named}"
