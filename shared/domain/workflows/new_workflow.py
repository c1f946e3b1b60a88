"""A requested workflow, before it has an ID."""

import json
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import Alerts
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.callback import MAX_RESULT_BYTES
from shared.domain.delivery.json_text import read_json
from shared.domain.delivery.request import Request, encode_request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidValueError, raise_any
from shared.domain.jobs.job_key import check_set
from shared.domain.jobs.new_job import DEFAULT_TIMEOUT_SECONDS, check_name, check_tags
from shared.domain.workflows.graph import Graph, Node, OnFailure, RunIf
from shared.domain.workflows.results import longest_body
from shared.domain.workflows.run import DEFAULT_DEADLINE_SECONDS
from shared.domain.workflows.run_input import LONGEST_INPUT_BYTES
from shared.domain.workflows.task_map import TaskMap
from shared.domain.workflows.workflow import check_deadline
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, MAX_PAYLOAD_BYTES, Lane

BODILESS = ("GET", "HEAD", "DELETE")
"""Methods whose bodies some servers and proxies drop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """A requested task. Its faults are raised by the workflow, which knows its position."""

    key: str
    request: Request
    after: tuple[str, ...] = ()
    run_if: RunIf = RunIf.ALL_SUCCEEDED
    needs: tuple[str, ...] = ()
    map: TaskMap | None = None
    takes_input: bool = False
    """Whether its request contains the input of the run."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS
    lane: Lane = Lane.STANDARD

    @property
    def node(self) -> Node:
        return Node(
            key=self.key,
            after=self.after,
            run_if=self.run_if,
            needs=self.needs,
            map=self.map,
            takes_input=self.takes_input,
        )

    @property
    def unsealed_call(self) -> CallSpec:
        """The call without its request, which is sealed into it later."""
        return CallSpec(lane=self.lane, request=b"", retry=self.retry, timeout_ms=self.timeout_seconds * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCallbacks:
    """The URLs that are called after a run, or `NO_CALLBACK`; None inherits that of the tenant."""

    on_success: str | None = None
    on_failure: str | None = None


NO_CALLBACKS = RunCallbacks()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWorkflow:
    """A requested workflow; InvalidValueError with the path of each fault in the request."""

    tasks: tuple[NewTask, ...]
    on_failure: OnFailure = OnFailure.FAIL_FAST
    deadline_seconds: int = DEFAULT_DEADLINE_SECONDS
    name: str | None = None
    tags: tuple[str, ...] = ()
    set_name: str | None = None
    """The set to which it belongs, such as one file. It has no effect on runs and is no part of the fingerprint."""
    callbacks: RunCallbacks = NO_CALLBACKS
    alerts: Alerts | None = None

    def __post_init__(self) -> None:
        raise_any(_errors(self))

    @property
    def graph(self) -> Graph:
        return Graph(nodes=tuple(task.node for task in self.tasks), on_failure=self.on_failure)


def _errors(new: NewWorkflow) -> Iterator[InvalidValueError]:
    checks: list[Callable[[], object]] = [
        lambda: new.graph,
        lambda: check_deadline(new.deadline_seconds),
        lambda: check_name(new.name),
        lambda: check_tags(new.tags),
        lambda: check_set(new.set_name),
    ]
    for check in checks:
        try:
            check()
        except InvalidValueError as error:
            yield error
    for index, task in enumerate(new.tasks):
        if not 1 <= task.timeout_seconds <= MAX_CALLBACK_TIMEOUT_SECONDS:
            yield InvalidValueError(
                f"timeout_seconds must be 1 to {MAX_CALLBACK_TIMEOUT_SECONDS}",
                path=("tasks", str(index), "timeout_seconds"),
            )
    yield from _result_errors(new)


def _result_errors(new: NewWorkflow) -> Iterator[InvalidValueError]:
    """An error for each request that could not have the results that it needs, or hand on the one that others need."""
    maps = {task.map.over for task in new.tasks if task.map is not None}
    needed = maps.union(*(task.needs for task in new.tasks))
    for index, task in enumerate(new.tasks):
        target = task.request.target
        member = ("request",) if target is None else ("target", target.kind.value)
        path, method = ("tasks", str(index), *member), task.request.method
        if task.key in needed:
            if method == "HEAD":
                text = "another task needs the result, and answers to HEAD have no body"
                yield InvalidValueError(text, path=(*path, "method"))
            if target is not None and not target.answers:
                text = "another task needs the result, and only functions that are waited for (request_response) answer"
                yield InvalidValueError(text, path=path)
        if not task.needs and task.map is None and not task.takes_input:
            continue
        if method in BODILESS:
            text = f"{_carried(task)} in the body, which {method} has not: use POST, PUT or PATCH"
            yield InvalidValueError(text, path=(*path, "method"))
        if task.request.body:
            try:
                read_json(task.request.body)
            except InvalidValueError as error:
                or_empty = " or empty" if target is None else ""
                text = f"with {_member(task)}, the body is JSON{or_empty}, and this one is {error}"
                yield InvalidValueError(text, path=(*path, "body"))
        input_bytes = LONGEST_INPUT_BYTES if task.takes_input else 0
        longest = longest_body(task.request.body, task.needs, is_map=task.map is not None)
        if longest + input_bytes > MAX_PAYLOAD_BYTES:
            text = f"the body and {MAX_RESULT_BYTES} bytes for each result may have {MAX_PAYLOAD_BYTES} bytes together"
            if task.takes_input:
                text += f", of which the input takes {LONGEST_INPUT_BYTES}"
            yield InvalidValueError(text, path=(*path, "body"))


def _carried(task: NewTask) -> str:
    """What the body of a task has beside its own, with a verb."""
    if task.map is not None:
        return "elements are"
    return "results are" if task.needs else "the input is"


def _member(task: NewTask) -> str:
    """The member on whose account a task has a JSON body."""
    if task.map is not None:
        return "a map"
    return "needs" if task.needs else "input"


def encode_new_workflow(new: NewWorkflow) -> bytes:
    """Canonical encoding of the request, for its fingerprint."""
    tasks = [
        [
            task.key,
            task.after,
            task.run_if,
            encode_request(task.request).decode(),
            [getattr(task.retry, name) for name in RetryPolicy.__slots__],
            task.timeout_seconds,
            task.lane,
            # Requests without results, maps and input keep the fingerprints of the releases that had none.
            *([task.needs] if task.needs or task.map is not None else ()),
            *([task.map.over, task.map.path] if task.map is not None else ()),
            *(["input"] if task.takes_input else ()),
        ]
        for task in new.tasks
    ]
    parts: list[Any] = [tasks, new.on_failure, new.deadline_seconds, new.name, new.tags]
    if new.callbacks != NO_CALLBACKS or new.alerts is not None:
        parts += [[new.callbacks.on_success, new.callbacks.on_failure], _plain_alerts(new.alerts)]
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()


def _plain_alerts(alerts: Alerts | None) -> list[Any] | None:
    return None if alerts is None else [alerts.url, sorted(alerts.rules.events), alerts.rules.format]
