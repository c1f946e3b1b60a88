"""A requested workflow, before it has an ID."""

import json
from collections.abc import Callable, Iterator
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.request import Request, encode_request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidValueError, raise_any
from shared.domain.jobs.job_key import check_set
from shared.domain.jobs.new_job import DEFAULT_TIMEOUT_SECONDS, check_name, check_tags
from shared.domain.workflows.graph import Graph, Node, OnFailure, RunIf
from shared.domain.workflows.run import DEFAULT_DEADLINE_SECONDS
from shared.domain.workflows.workflow import check_deadline
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """A requested task. Its faults are raised by the workflow, which knows its position."""

    key: str
    request: Request
    after: tuple[str, ...] = ()
    run_if: RunIf = RunIf.ALL_SUCCEEDED
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS
    lane: Lane = Lane.STANDARD

    @property
    def node(self) -> Node:
        return Node(key=self.key, after=self.after, run_if=self.run_if)

    @property
    def unsealed_call(self) -> CallSpec:
        """The call without its request, which is sealed into it later."""
        return CallSpec(lane=self.lane, request=b"", retry=self.retry, timeout_ms=self.timeout_seconds * 1000)


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
        ]
        for task in new.tasks
    ]
    parts = [tasks, new.on_failure, new.deadline_seconds, new.name, new.tags]
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
