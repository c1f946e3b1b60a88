"""What the API has promised of workflows and of the jobs that start them, and the receiver of their calls."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.support.api.api_world import Answer

HOST = "https://workflows.receiver.example"
FAILS = "fails"
LISTS = "lists"
VAIN = "maps in vain"
"""The shape whose items all fail."""
ITEMS = 3
"""Elements of the array that a receiver who `lists` answers with."""
DURATION_MS = 5


def _task(key: str, *after: str, path: str = "", **members: Any) -> dict[str, Any]:
    request = {"url": f"{HOST}/{key}/{path}"}
    return {"key": key, "after": list(after), "request": request, "retry": {"max_attempts": 1}, **members}


def _mapped(path: str = "") -> list[dict[str, Any]]:
    """A map `b` over the array of `a`, and a task that waits for it."""
    return [
        _task("a", path=LISTS),
        _task("b", "a", path=path, map={"over": "a", "path": "/files"}),
        _task("c", "b"),
    ]


SHAPES: dict[str, dict[str, Any]] = {
    "succeeds": {"tasks": [_task("a"), _task("b", "a")]},
    "fails": {"tasks": [_task("a", path=FAILS), _task("b", "a")]},
    "short": {"tasks": [_task("a")], "name": "short", "deadline_seconds": 600},
    "maps": {"tasks": _mapped()},
    VAIN: {"tasks": _mapped(path=FAILS), "on_failure": "continue"},
}
"""Descriptions of workflows by their names: each begins with the task `a`."""


@dataclass(slots=True, kw_only=True)
class PromisedWorkflow:
    """A workflow that was acknowledged."""

    id: str
    key: str
    shape: str
    is_deleted: bool = False
    revisions: list[int] = field(default_factory=lambda: [1])

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"/v1/workflows/{self.id}"


@dataclass(slots=True, kw_only=True)
class PromisedStarter:
    """A recurring job that starts a workflow, or calls a URL since a change."""

    id: str
    workflow: PromisedWorkflow | None
    is_deleted: bool = False

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"/v1/jobs/{self.id}"


@dataclass(slots=True)
class TaskReceiver:
    """Answers tasks as the URL says, and notes what came; acts once, while the first call runs."""

    calls: list[str] = field(default_factory=list)
    """The URLs, in the order of the calls."""
    meanwhile: Callable[[], None] | None = None
    broken: list[Exception] = field(default_factory=list)

    def __call__(self, callback: Callback) -> CallbackResponse:
        """Answer one call."""
        self.calls.append(callback.url)
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            try:
                act()
            except Exception as fault:  # noqa: BLE001 - raised again by the rule, outside of the product
                self.broken.append(fault)
        if callback.url.endswith(FAILS):
            return CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=DURATION_MS, status=500)
        body = b'{"files": [%b]}' % b",".join([b"1"] * ITEMS) if callback.url.endswith(LISTS) else b""
        return CallbackResponse(reason=Reason.OK, duration_ms=DURATION_MS, status=200, body=body)


def urls(shape: str, *, is_stopped: bool) -> list[str]:
    """The calls of a run, in order. One that is stopped during its first call makes no other."""
    called = [
        task["request"]["url"]
        for task in SHAPES[shape]["tasks"]
        for _ in range(ITEMS if "map" in task else 1)
    ]
    if is_stopped or shape == FAILS:
        return called[:1]
    return called[:-1] if shape == VAIN else called


def run_state(shape: str, *, is_stopped: bool) -> str:
    """How a run ends, and the execution that has started it."""
    return "cancelled" if is_stopped else "failed" if shape in (FAILS, VAIN) else "succeeded"


def item_counts(shape: str, *, is_stopped: bool) -> dict[str, dict[str, int] | None]:
    """Of each task, how many items the run shows, all of them and in the states that there are; None if it shows none.

    A map that is stopped before its array was counted has no items to show.
    """
    of_map = None if is_stopped else {"count": ITEMS, "failed" if shape == VAIN else "succeeded": ITEMS}
    return {task["key"]: of_map if "map" in task else None for task in SHAPES[shape]["tasks"]}


def shown_items(task: Any, run_id: str, send: Callable[[str, str], Answer]) -> dict[str, int] | None:
    """The counts of a map's items but zeros, once the listed executions are those of the items that failed."""
    if "items" not in task:
        return None
    listed = task["items"].pop("unsuccessful")
    assert [each["index"] for each in listed] == list(range(task["items"]["failed"])), listed
    for each in listed:
        execution = send("GET", f"/v1/executions/{each['execution_id']}").json
        of_run = {"run_id": run_id, "key": task["key"], "epoch": 1, "item": each["index"]}
        assert (execution["state"], execution["task"]) == (each["state"], of_run)
    return {name: count for name, count in task["items"].items() if count}


def task_states(shape: str, *, is_stopped: bool) -> dict[str, tuple[str, str | None]]:
    """How the tasks of a run end: the state, and the reason of those that were never called."""
    if shape == VAIN and not is_stopped:
        return {"a": ("succeeded", None), "b": ("failed", None), "c": ("skipped", "upstream_not_succeeded")}
    first = "failed" if shape == FAILS else "succeeded"
    rest = ("cancelled", "run_cancelled") if is_stopped else ("succeeded", None)
    if shape == FAILS and not is_stopped:
        rest = ("cancelled", "fail_fast")
    keys = [task["key"] for task in SHAPES[shape]["tasks"]]
    return {key: (first, None) if number == 0 else rest for number, key in enumerate(keys)}
