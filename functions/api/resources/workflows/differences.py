"""What differs between two descriptions of a workflow, with its tasks by their keys."""

from collections.abc import Iterator
from typing import Any

from functions.api.resources.jobs.differences import SHOWN, differences, shown_target
from functions.api.resources.jobs.keyed_models import FieldChange


def workflow_differences(before: dict[str, Any], after: dict[str, Any]) -> list[FieldChange]:
    """In the order of the pointers. A task that only one of them has is one change."""
    old, new = _by_key(before), _by_key(after)
    kept = [key for key in old if key in new]
    found = differences(
        before | {"tasks": {key: old[key] for key in kept}},
        after | {"tasks": {key: new[key] for key in kept}},
    )
    found += _added_or_removed(old, new)
    if kept != [key for key in new if key in old]:
        found.append(FieldChange(pointer="/tasks", before=list(old), after=list(new), hidden=False))
    return sorted(found, key=lambda each: each.pointer)


def _by_key(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {task["key"]: task for task in document["tasks"]}


def _added_or_removed(
    old: dict[str, dict[str, Any]], new: dict[str, dict[str, Any]]
) -> Iterator[FieldChange]:
    for key in old.keys() ^ new.keys():
        yield FieldChange(
            pointer=f"/tasks/{key}", before=_shown(old.get(key)), after=_shown(new.get(key)), hidden=False
        )


def _shown(task: dict[str, Any] | None) -> dict[str, Any] | None:
    if task is None:
        return None
    if "target" in task:
        return {**task, "target": shown_target(task["target"])}
    request = {name: value for name, value in task["request"].items() if name in SHOWN}
    return {**task, "request": request}
