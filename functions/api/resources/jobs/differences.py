"""What differs between two descriptions of a job, member by member."""

from collections.abc import Iterator
from typing import Any

from functions.api.resources.jobs.keyed_models import FieldChange
from shared.domain.delivery.aws_target import TargetKind

_HIDDEN = (
    ("request", "headers"),
    ("request", "body"),
    *(("target", kind.value, "body") for kind in TargetKind),
)
"""The parts of a request or target that are never shown again."""
SHOWN = ("method", "url", "auth")
"""What is shown of a request that only one of the descriptions has."""

_TASKS = "tasks"
"""The member of a workflow with an object for each task, by its key."""


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[FieldChange]:
    """In the order of their JSON pointers. A list is one value."""
    return sorted(_walk(before, after, ()), key=lambda each: each.pointer)


def _walk(before: Any, after: Any, path: tuple[str, ...]) -> Iterator[FieldChange]:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() | after.keys():
            yield from _walk(before.get(name), after.get(name), (*path, name))
        return
    within = path[2:] if path[:1] == (_TASKS,) else path
    is_hidden = within[:2] in _HIDDEN or within[:3] in _HIDDEN
    yield FieldChange(
        pointer="".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in path),
        before=None if is_hidden else _shown(within, before),
        after=None if is_hidden else _shown(within, after),
        hidden=is_hidden,
    )


def _shown(path: tuple[str, ...], value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if path == ("request",):
        return {name: value[name] for name in SHOWN if name in value}
    if path == ("target",):
        return shown_target(value)
    return _without_body(value) if path[:1] == ("target",) else value


def shown_target(target: dict[str, Any]) -> dict[str, Any]:
    """Without its message."""
    return {kind: _without_body(part) for kind, part in target.items()}


def _without_body(part: dict[str, Any]) -> dict[str, Any]:
    return {name: part[name] for name in part if name != "body"}
