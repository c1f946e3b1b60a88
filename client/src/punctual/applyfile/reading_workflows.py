"""Reads and checks the workflows of an `apply` file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

from punctual.applyfile.checking import Path, call_error, member_error, outside_error, type_error
from punctual.applyfile.model import Job, value_at
from punctual.applyfile.schema import TARGET_MEMBERS
from punctual.applyfile.workflow import Workflow
from punctual.applyfile.workflow_schema import (
    OWN_TASK_MEMBERS,
    SHARED,
    TASK_KEY,
    TASK_MEMBERS,
    URL_POINTERS,
    WORKFLOW_MEMBERS,
    OwnTaskFields,
    WorkflowFields,
)

MAX_TASKS = 100
_AS_OF_A_JOB = ("name", "tags")
_ELSEWHERE = {
    "key": "the name above the members is the key",
    "set": "stands at the head of the file, for all workflows",
    "request": "its members stand beside the others: url, method, headers, body, json, auth",
    "target": f"its members stand beside the others: {', '.join(TARGET_MEMBERS)}",
    "schedule": "a workflow has no schedule: a job starts its runs",
}
Complete = Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class WorkflowReader:
    """`refuse` raises an error with the place of a path in the file, and `line_at` gives its line."""

    refuse: Callable[[Path, str], NoReturn]
    line_at: Callable[[Path], int]
    defaults: Mapping[str, Any]
    complete: Complete
    """The members of a task with the defaults that it does not have."""

    def read(self, key: str, value: Any) -> Workflow:
        path: Path = ("workflows", key)
        members = self._checked(path, self._mapping(path, value))
        tasks = self._mapping((*path, "tasks"), members.pop("tasks", None))
        if not 1 <= len(tasks) <= MAX_TASKS:
            self.refuse(
                (*path, "tasks"), f"a workflow has 1 to {MAX_TASKS} tasks, and this one has {len(tasks)}"
            )
        if "tags" in self.defaults:
            members.setdefault("tags", self.defaults["tags"])
        found = {each: self._task((*path, "tasks", each), key, each, task) for each, task in tasks.items()}
        for each, task in tasks.items():
            for member in ("after", "needs"):
                self._check_keys((*path, "tasks", each, member), task.get(member, []), found)
            if "map" in task:
                self._check_keys((*path, "tasks", each, "map", "over"), [task["map"]["over"]], found)
        return Workflow(key, members, found, self.line_at(path))

    def _checked(self, path: Path, members: dict[str, Any]) -> dict[str, Any]:
        self._check_names(path, members, WORKFLOW_MEMBERS)
        shared = {name: members[name] for name in _AS_OF_A_JOB if name in members}
        urls = {path: value_at(members, path) for path in URL_POINTERS}
        for error in (type_error(members, WorkflowFields), member_error(shared), outside_error(urls)):
            if error is not None:
                self.refuse((*path, *error[0]), error[1])
        return dict(members)

    def _task(self, path: Path, workflow: str, key: str, value: Any) -> Job:
        if not TASK_KEY.fullmatch(key):
            self.refuse(
                path, "the key of a task is 1 to 64 letters, digits and _ . -, with a letter or digit first"
            )
        own = self._mapping(path, value)
        self._check_names(path, own, TASK_MEMBERS)
        shared = {name: each for name, each in own.items() if name in SHARED}
        special = {name: each for name, each in own.items() if name in OWN_TASK_MEMBERS}
        for error in (type_error(special, OwnTaskFields), member_error(shared)):
            if error is not None:
                self.refuse((*path, *error[0]), error[1])
        defaults = {name: each for name, each in self.defaults.items() if name in SHARED}
        members = special | self.complete(shared, defaults)
        if wrong := call_error(members, "a target, such as `lambda` for a function"):
            self.refuse((*path, *wrong[0]), wrong[1])
        return Job(f"{workflow}.tasks.{key}", members, self.line_at(path), section="workflows")

    def _check_names(self, path: Path, members: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for member in members:
            if member not in known:
                near = get_close_matches(member, known, n=1)
                guess = f"unknown member; did you mean {near[0]}?" if near else "unknown member"
                self.refuse((*path, member), _ELSEWHERE.get(member, guess))

    def _check_keys(self, path: Path, after: list[str], tasks: Mapping[str, Job]) -> None:
        for key in after:
            if key not in tasks:
                self.refuse(path, f"no task of the workflow has the key {key[:64]!r}")

    def _mapping(self, path: Path, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.refuse(path, "must be a mapping of names to values" if value is not None else "is required")
        return value
