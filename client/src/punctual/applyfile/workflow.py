"""The workflows of a file, the bodies that they become in the API, and the file itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from punctual.applyfile.model import ID_PREFIX, Job, Source, api_key, checked_url, source_of, value_at
from punctual.applyfile.named import JOB_PREFIX, Named
from punctual.applyfile.workflow_schema import URL_POINTERS


@dataclass(frozen=True, slots=True)
class Workflow:
    """One workflow of the file. `members` are those of the workflow itself, and each task is complete: it has the
    defaults of the file. `line` is the line of the workflow's key, from 1."""

    key: str
    members: Mapping[str, Any] = field(repr=False)
    tasks: Mapping[str, Job] = field(repr=False)
    line: int = 0

    def sources(self) -> tuple[Source, ...]:
        """Where the values come from that the file does not hold, in the order of the file."""
        own = (source for path in URL_POINTERS if (source := source_of(value_at(self.members, path))))
        return (*own, *(source for task in self.tasks.values() for source in task.sources()))

    def hidden(self) -> frozenset[str]:
        """The JSON pointers in the API of the URLs that the file does not hold; the API has tasks by their keys."""
        pairs = ((key, pointer) for key, task in self.tasks.items() for pointer in task.hidden())
        own = {pointer for path, pointer in URL_POINTERS.items() if source_of(value_at(self.members, path))}
        return frozenset(f"/tasks/{key}{pointer}" for key, pointer in pairs) | own

    def body(self, values: Mapping[Source, str]) -> dict[str, Any]:
        """Return the body of `PUT /v1/workflows/by-key/{key}`, without `set`.

        `values` has one for each of `sources()`. Raises ApplyFileError for a value that cannot be sent.
        """
        members = dict(self.members)
        for path in URL_POINTERS:
            source = source_of(value_at(self.members, path))
            if source is not None:
                first, name = path
                place = ".".join(("workflows", self.key, *path))
                url = checked_url(place, source, values[source], may_be_none=True)
                members[first] = {**members[first], name: url}
        return {**members, "tasks": [_task(key, task, values) for key, task in self.tasks.items()]}


def _task(key: str, task: Job, values: Mapping[Source, str]) -> dict[str, Any]:
    body = task.body(values)
    del body["schedule"]
    return {"key": key, **body}


@dataclass(frozen=True, slots=True)
class ApplyFile:
    """What the file has of a set, in the order of the file. `apply` touches nothing of another set."""

    set: str
    jobs: tuple[Job, ...]
    workflows: tuple[Workflow, ...] = ()
    calendars: tuple[Named, ...] = ()
    triggers: tuple[Named, ...] = ()

    def key_of(self, entry: Job | Workflow) -> str:
        """The key of a job or a workflow in the API, such as `billing.nightly`."""
        return api_key(self.set, entry.key)

    def workflow_of(self, job: Job) -> str | None:
        """The key in the API of the workflow that a job names; None for a job that names none, or an id.

        A job names a workflow of the file as the file does, and any other one by its key in the API.
        """
        named = job.members.get("workflow")
        if named is None or named.startswith(ID_PREFIX):
            return None
        return api_key(self.set, named) if any(each.key == named for each in self.workflows) else str(named)

    def job_of(self, trigger: Named) -> str | None:
        """The key in the API of the job that a trigger starts; None for an id. Names are looked for as of workflows."""
        named = str(trigger.members["job"])
        if named.startswith(JOB_PREFIX):
            return None
        return api_key(self.set, named) if any(each.key == named for each in self.jobs) else named
