"""What the API has promised of workflows and of the jobs that start them, and the receiver of their calls."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason

HOST = "https://workflows.receiver.example"
FAILS = "fails"
DURATION_MS = 5


def _task(key: str, *after: str, path: str = "") -> dict[str, Any]:
    request = {"url": f"{HOST}/{key}/{path}"}
    return {"key": key, "after": list(after), "request": request, "retry": {"max_attempts": 1}}


SHAPES: dict[str, dict[str, Any]] = {
    "succeeds": {"tasks": [_task("a"), _task("b", "a")]},
    "fails": {"tasks": [_task("a", path=FAILS), _task("b", "a")]},
    "short": {"tasks": [_task("a")], "name": "short", "deadline_seconds": 600},
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
        return CallbackResponse(reason=Reason.OK, duration_ms=DURATION_MS, status=200)


def urls(shape: str, *, is_stopped: bool) -> list[str]:
    """The calls of a run, in order. One that is stopped during its first call makes no other."""
    called = [task["request"]["url"] for task in SHAPES[shape]["tasks"]]
    return called[:1] if is_stopped or shape == FAILS else called


def task_states(shape: str, *, is_stopped: bool) -> dict[str, tuple[str, str | None]]:
    """How the tasks of a run end: the state, and the reason of those that were never called."""
    first = "failed" if shape == FAILS else "succeeded"
    rest = ("cancelled", "run_cancelled") if is_stopped else ("succeeded", None)
    if shape == FAILS and not is_stopped:
        rest = ("cancelled", "fail_fast")
    keys = [task["key"] for task in SHAPES[shape]["tasks"]]
    return {key: (first, None) if number == 0 else rest for number, key in enumerate(keys)}
