"""The members of a workflow and of a task in the file, with the types and limits of the API's schemas.

The names and limits are those of `KeyedWorkflowIn` and `TaskIn` in `docs/openapi.json`; a test compares them. Members
that a task shares with a job are those of `Fields`.
"""

import re
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from punctual.applyfile.schema import MEMBERS, REQUEST_MEMBERS, TARGET_MEMBERS, Callback, Outside

TASK_KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
"""1 to 64 letters, digits and `_ . -`, with a letter or digit at the beginning."""
SHARED: Final = (*REQUEST_MEMBERS, *TARGET_MEMBERS, "lane", "timeout_seconds", "retry")
"""The members of a task that are those of a job, and that the defaults of the file may have."""


URL_POINTERS: Final[dict[tuple[str, ...], str]] = {
    ("callbacks", "on_success"): "/callbacks/on_success",
    ("callbacks", "on_failure"): "/callbacks/on_failure",
    ("alerts", "url"): "/alerts/url",
}
"""The members of a workflow with a URL, each with its JSON pointer in the API."""


class RunCallbacks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`RunCallbacksIn`: the URLs that are called after a run."""

    on_success: Callback | Outside | UnsetType = UNSET
    on_failure: Callback | Outside | UnsetType = UNSET


class RunAlerts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`RunAlertsIn`: the ends of runs that are announced, and the URL that is called."""

    url: Callback | Outside
    events: Annotated[list[Literal["failed", "recovered"]], Meta(min_length=1, max_length=2)] | UnsetType = (
        UNSET
    )
    format: Literal["json", "slack"] | UnsetType = UNSET


class WorkflowFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """All members that a workflow of the file may have, in the order in which they are written."""

    name: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    on_failure: Literal["fail_fast", "continue"] | UnsetType = UNSET
    deadline_seconds: Annotated[int, Meta(ge=1, le=604_800)] | UnsetType = UNSET
    callbacks: RunCallbacks | UnsetType = UNSET
    alerts: RunAlerts | UnsetType = UNSET
    tasks: dict[str, Any] | UnsetType = UNSET


class TaskMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`MapIn`: the array for each of whose elements a task is called."""

    over: str
    path: Annotated[str, Meta(max_length=256)] | UnsetType = UNSET


class OwnTaskFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The members of a task that no job has."""

    after: Annotated[list[str], Meta(max_length=99)] | UnsetType = UNSET
    run_if: Literal["all_succeeded", "all_ended", "any_failed"] | UnsetType = UNSET
    needs: Annotated[list[str], Meta(max_length=20)] | UnsetType = UNSET
    input: bool | UnsetType = UNSET
    map: TaskMap | UnsetType = UNSET


WORKFLOW_MEMBERS: Final = WorkflowFields.__struct_fields__
OWN_TASK_MEMBERS: Final = OwnTaskFields.__struct_fields__
TASK_MEMBERS: Final = (*OWN_TASK_MEMBERS, *(name for name in MEMBERS if name in SHARED))
"""The names of all members of a task, in the order in which they are written."""
