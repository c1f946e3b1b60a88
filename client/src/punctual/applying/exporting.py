"""Writes the jobs, workflows, calendars and triggers of a set as an apply file.

The API shows no header and no body, so these become variables. The names of the headers, and the members that
differ from their defaults, come from a dry run of the same job without them.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from punctual.applyfile import Job as FileJob
from punctual.applyfile import Section, api_key, variable_names, write_apply_file
from punctual.applyfile import Workflow as FileWorkflow
from punctual.applyfile.model import ID_PREFIX
from punctual.applyfile.schema import MEMBERS
from punctual.applying.asking import standing_jobs, standing_workflows
from punctual.applying.exporting_named import JobNames, read_named
from punctual.applying.exporting_workflows import OTHER_BODY, ReadTask, ReadWorkflow, read_workflow
from punctual.applying.parallel import each
from punctual.applying.plan import UPDATED, WORKFLOW, named
from punctual.applying.shown_members import HEADERS, JSON, METHOD, auth_of, present, unescaped
from punctual.applying.starting import STAND_IN
from punctual.aws_targets import target_parts
from punctual.client import Punctual
from punctual.models import FieldChange, Job, JobSummary, WorkflowSummary
from punctual.problems import NotFoundError

_BODY: Final = "/request/body"
_CONTENT_TYPE: Final = "/request/headers/content-type"
_BODY_PART: Final = " body"
"""Not the part of a header, whose name has no space. The space is not part of a variable's name."""
_Standing = TypeVar("_Standing", JobSummary, WorkflowSummary)


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that the API does not show: the variable to set, and what it is the value of."""

    variable: str
    key: str
    what: str


@dataclass(frozen=True, slots=True)
class Export:
    """The text of the file, the values that it lacks, and the jobs and workflows that no file of the set can name."""

    text: str
    missing: tuple[Missing, ...]
    left_out: tuple[str, ...]
    dangling: tuple[str, ...] = ()
    """The keys of written jobs whose workflow does not exist any more, and the triggers whose job does not."""


def export_set(client: Punctual, set_name: str, *, workers: int) -> Export:
    """Read all that is in a set. Raises RequestError; the key needs the scope `write`, for the dry runs."""
    prefix = api_key(set_name, "")
    jobs, other_jobs = _split(standing_jobs(client, set_name), prefix)
    flows, other_flows = _split(standing_workflows(client, set_name), prefix)
    found = each(lambda job: _read(client, job, set_name), jobs, workers)
    workflows = each(lambda workflow: read_workflow(client, workflow, set_name), flows, workers)
    own = {workflow.id: workflow.key.removeprefix(prefix) for workflow in workflows}
    started = {read.job.workflow for read in found if read.job.workflow is not None} - own.keys()
    gone = {workflow for workflow in sorted(started) if not _exists(client, workflow)}
    names = _Variables(variable_names([*_hidden_parts(jobs, found), *_hidden_parts_of_tasks(workflows)]))
    sections = [
        Section(
            FileJob(str(job.key).removeprefix(prefix), _named(names.members(job, read), own)),
            _comments(read, gone),
        )
        for job, read in zip(jobs, found, strict=True)
    ]
    written = [
        FileWorkflow(each.key.removeprefix(prefix), each.members, names.tasks(each)) for each in workflows
    ]
    job_names = JobNames(client, {job.id: str(job.key).removeprefix(prefix) for job in jobs})
    entries = read_named(client, set_name, job_names)
    return Export(
        write_apply_file(set_name, sections, workflows=written, named=entries),
        tuple(names.missing),
        (*(str(each.key) for each in other_jobs), *(named(WORKFLOW, str(each.key)) for each in other_flows)),
        (
            *(str(read.job.key) for read in found if read.job.workflow in gone),
            *(named(each.kind, each.name) for each in entries if each.members.get("job") in job_names.gone),
        ),
    )


def _split(standing: list[_Standing], prefix: str) -> tuple[list[_Standing], list[_Standing]]:
    """Those whose keys begin with the set, which a file can have, and the others."""
    fits = [each for each in standing if str(each.key).startswith(prefix) and each.key != prefix]
    kept = {each.id for each in fits}
    return fits, [each for each in standing if each.id not in kept]


def _exists(client: Punctual, workflow: str) -> bool:
    try:
        return client.workflows.get(workflow).state != "deleted"
    except NotFoundError:
        return False


def _named(members: dict[str, Any], own: Mapping[str, str]) -> dict[str, Any]:
    """The members of a job, with the name of its workflow if the file has it, and else with the id."""
    name = own.get(members.get("workflow", ""), ID_PREFIX)
    return members if name.startswith(ID_PREFIX) else {**members, "workflow": name}


@dataclass(frozen=True, slots=True)
class _Read:
    """The members that can be shown, the names of hidden headers, and whether there is a body.

    `headers` has the header that is guessed; if the guess is wrong, it is among the hidden ones, too.
    """

    job: Job
    members: Mapping[str, Any]
    headers: Mapping[str, str]
    hidden: tuple[str, ...]
    has_body: bool


def _comments(read: _Read, gone: Container[str | None]) -> tuple[str, ...]:
    paused = ("paused",) if read.job.state == "paused" else ()
    return (*paused, "its workflow does not exist any more") if read.job.workflow in gone else paused


def _read(client: Punctual, summary: JobSummary, set_name: str) -> _Read:
    job = client.jobs.get(summary)
    if job.target is not None:
        return _read_message(client, job, set_name)
    shown = {**present(job.schedule), **_called(job)}
    headers: dict[str, str] = {}
    fields = _differences(client, job, set_name, headers)
    typed = next((pointer for pointer in fields if pointer.lower() == _CONTENT_TYPE), None)
    if typed is not None:
        headers = {typed.removeprefix(HEADERS): JSON}
        fields = _differences(client, job, set_name, headers)
    names = [unescaped(pointer.removeprefix(HEADERS)) for pointer in fields if pointer.startswith(HEADERS)]
    members = {**shown, **_own_members(job, fields)}
    return _Read(job, members, headers, tuple(names), has_body=_BODY in fields)


def _read_message(client: Punctual, job: Job, set_name: str) -> _Read:
    """A message always has a body, and no header."""
    [(service, part)] = target_parts(job.target)
    target = {service: {**present(part), "body": OTHER_BODY}}
    answer = client.jobs.put(
        str(job.key), dry_run=True, set=set_name, schedule=present(job.schedule), target=target
    )
    fields = {field.pointer: field for field in answer.fields} if answer.change == UPDATED else {}
    options = {name: value for name, value in present(part).items() if name != "arn"}
    members = {**present(job.schedule), service: part.arn, **options, **_own_members(job, fields)}
    return _Read(job, members, {}, (), has_body=True)


def _called(job: Job) -> dict[str, Any]:
    if job.request is None:
        return {"workflow": job.workflow}
    method = {} if job.request.method == METHOD else {"method": job.request.method}
    return {"url": job.request.url, **method, **auth_of(job.request)}


def _differences(
    client: Punctual, job: Job, set_name: str, headers: Mapping[str, str]
) -> dict[str, FieldChange]:
    """What the job has beside its schedule, its URL, and these headers, by pointer."""
    # The API refuses a workflow that was deleted, so the dry run has a stand-in for every workflow.
    request: Any = STAND_IN
    if job.request is not None:
        request = {"url": job.request.url, "method": job.request.method, "headers": headers}
        request |= auth_of(job.request)
    answer = client.jobs.put(
        str(job.key), dry_run=True, set=set_name, schedule=present(job.schedule), request=request
    )
    return {field.pointer: field for field in answer.fields} if answer.change == UPDATED else {}


def _own_members(job: Job, fields: Mapping[str, FieldChange]) -> dict[str, Any]:
    """The members that are not those of a job without them."""
    found = {name: fields[f"/{name}"].before for name in MEMBERS if f"/{name}" in fields}
    if any(pointer.startswith("/retry/") for pointer in fields):
        found["retry"] = present(job.retry)
    return {
        name: present(value) if isinstance(value, dict) else value
        for name, value in found.items()
        if value is not None
    }


def _hidden_parts(jobs: Iterable[JobSummary], found: Iterable[_Read]) -> Iterator[tuple[str, str]]:
    """The keys of the jobs, each with the parts that the API does not show."""
    for job, read in zip(jobs, found, strict=True):
        yield from ((str(job.key), name) for name in read.hidden)
        if read.has_body:
            yield str(job.key), _BODY_PART


def _hidden_parts_of_tasks(workflows: Iterable[ReadWorkflow]) -> Iterator[tuple[str, str]]:
    for workflow in workflows:
        for key, task in workflow.tasks.items():
            yield from ((workflow.key, f"{key} {name}") for name in task.hidden)
            if task.has_body:
                yield workflow.key, f"{key} {_BODY_PART}"


@dataclass(slots=True)
class _Variables:
    """Names a variable for each hidden value; no two values have the same."""

    names: Mapping[tuple[str, str], str]
    missing: list[Missing] = field(default_factory=list)

    def members(self, summary: JobSummary, read: _Read) -> dict[str, Any]:
        key = str(summary.key)
        hidden = {name: self._name(key, name, f"the header {name}") for name in read.hidden}
        members = dict(read.members)
        if read.headers or hidden:
            members["headers"] = {**read.headers, **hidden}
        if read.has_body:
            members["body"] = self._name(key, _BODY_PART, "the body")
        return members

    def tasks(self, workflow: ReadWorkflow) -> dict[str, FileJob]:
        return {
            key: FileJob(key, self._task_members(workflow.key, key, task))
            for key, task in workflow.tasks.items()
        }

    def _task_members(self, key: str, task: str, read: ReadTask) -> dict[str, Any]:
        def name(part: str, what: str) -> dict[str, str]:
            variable = self.names[key, f"{task} {part}"]
            self.missing.append(Missing(variable, named(WORKFLOW, key), f"{what} of the task {task}"))
            return {"env": variable}

        hidden = {header: name(header, f"the header {header}") for header in read.hidden}
        members = dict(read.members)
        if read.headers or hidden:
            members["headers"] = {**read.headers, **hidden}
        if read.has_body:
            members["body"] = name(_BODY_PART, "the body")
        return members

    def _name(self, key: str, part: str, what: str) -> dict[str, str]:
        name = self.names[key, part]
        self.missing.append(Missing(name, key, what))
        return {"env": name}
