"""Reads a workflow of a set as the file has it.

As for jobs, a dry run of the same workflow without the members that have defaults tells which of them differ, and what
the hidden headers and bodies of its tasks are called.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from punctual.applyfile.workflow_schema import SHARED, WORKFLOW_MEMBERS
from punctual.applying.plan import UPDATED
from punctual.applying.shown_members import HEADERS, JSON, METHOD, auth_of, present, unescaped
from punctual.aws_targets import target_parts
from punctual.client import Punctual
from punctual.models import FieldChange, Task, Workflow, WorkflowSummary

_BODY: Final = "/request/body"
OTHER_BODY: Final = '{"other": "export"}'
"""The message of a dry run, which changes nothing."""
_CONTENT_TYPE: Final = "content-type"
_RUN_IF: Final = "all_succeeded"
_CALLBACKS: Final = "callbacks"
_RETRY: Final = "retry"


@dataclass(frozen=True, slots=True)
class ReadTask:
    """The members that can be shown, the headers that are known, the names of hidden ones, and whether there is a body.

    `headers` has the header that is guessed; if the guess is wrong, it is among the hidden ones, too.
    """

    members: Mapping[str, Any]
    headers: Mapping[str, str]
    hidden: tuple[str, ...]
    has_body: bool


@dataclass(frozen=True, slots=True)
class ReadWorkflow:
    """A workflow of the set: the members that are no defaults, and its tasks by their keys."""

    id: str
    key: str
    members: Mapping[str, Any]
    tasks: Mapping[str, ReadTask]


def read_workflow(client: Punctual, summary: WorkflowSummary, set_name: str) -> ReadWorkflow:
    """Raises RequestError; the key needs the scope `write`, for the dry runs."""
    workflow = client.workflows.get(summary)
    fields = _differences(client, workflow, set_name, {})
    guessed = {
        task.key: {name: JSON}
        for task in workflow.tasks
        for name in _hidden_headers(task, fields)
        if name.lower() == _CONTENT_TYPE
    }
    if guessed:
        fields = _differences(client, workflow, set_name, guessed)
    tasks = {task.key: _task(task, fields, guessed.get(task.key, {})) for task in workflow.tasks}
    return ReadWorkflow(workflow.id, str(workflow.key), dict(_own_members(workflow, fields)), tasks)


def _differences(
    client: Punctual, workflow: Workflow, set_name: str, headers: Mapping[str, Mapping[str, str]]
) -> dict[str, FieldChange]:
    """What the workflow has beside its graph, the URLs of its tasks, and these headers, by pointer."""
    tasks: Any = [
        {
            "key": task.key,
            "after": task.after,
            "run_if": task.run_if,
            "needs": task.needs,
            "input": task.input,
            "map": {"over": task.map.over, "path": task.map.path} if task.map is not None else None,
            **_call(task, headers.get(task.key, {})),
        }
        for task in workflow.tasks
    ]
    answer = client.workflows.put(str(workflow.key), dry_run=True, set=set_name, tasks=tasks)
    return {field.pointer: field for field in answer.fields} if answer.change == UPDATED else {}


def _own_members(workflow: Workflow, fields: Mapping[str, FieldChange]) -> Iterator[tuple[str, Any]]:
    """The members that are not those of a workflow without them."""
    for name in WORKFLOW_MEMBERS:
        if name == _CALLBACKS and any(pointer.startswith(f"/{name}/") for pointer in fields):
            yield name, present(workflow.callbacks)
        elif f"/{name}" in fields and (value := fields[f"/{name}"].before) is not None:
            yield name, present(value) if isinstance(value, dict) else value


def _task(task: Task, fields: Mapping[str, FieldChange], headers: Mapping[str, str]) -> ReadTask:
    prefix = f"/tasks/{task.key}"
    special = {
        "after": task.after,
        "run_if": task.run_if if task.run_if != _RUN_IF else None,
        "needs": task.needs,
        "input": task.input,
        "map": _map(task),
        **_call_members(task),
    }
    members: dict[str, Any] = {name: value for name, value in special.items() if value}
    members |= {name: fields[f"{prefix}/{name}"].before for name in SHARED if f"{prefix}/{name}" in fields}
    if any(pointer.startswith(f"{prefix}/{_RETRY}/") for pointer in fields):
        members[_RETRY] = present(task.retry)
    has_body = task.target is not None or f"{prefix}{_BODY}" in fields
    return ReadTask(members, headers, (*_hidden_headers(task, fields),), has_body)


def _call(task: Task, headers: Mapping[str, str]) -> dict[str, Any]:
    """The request or target of a dry run, which changes nothing."""
    if task.request is None:
        return {"target": {service: {**present(part), "body": OTHER_BODY} for service, part in _target(task)}}
    request = {"url": task.request.url, "method": task.request.method, "headers": headers}
    return {"request": {**request, **auth_of(task.request)}}


def _call_members(task: Task) -> dict[str, Any]:
    if task.request is None:
        [(service, part)] = _target(task)
        return {service: part.arn, **{name: value for name, value in present(part).items() if name != "arn"}}
    method = task.request.method
    shown = {"url": task.request.url, "method": method if method != METHOD else None}
    return {**shown, **auth_of(task.request)}


def _target(task: Task) -> list[tuple[str, Any]]:
    return target_parts(task.target)


def _map(task: Task) -> dict[str, str] | None:
    if task.map is None:
        return None
    return {"over": task.map.over} | ({"path": task.map.path} if task.map.path else {})


def _hidden_headers(task: Task, fields: Mapping[str, FieldChange]) -> Iterator[str]:
    prefix = f"/tasks/{task.key}{HEADERS}"
    for pointer in fields:
        if pointer.startswith(prefix):
            yield unescaped(pointer.removeprefix(prefix))
