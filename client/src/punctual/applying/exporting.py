"""Writes the jobs of a set as an apply file.

The API shows no header and no body, so these become variables. The names of the headers, and the members that
differ from their defaults, come from a dry run of the same job without them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from punctual.applyfile import Job as FileJob
from punctual.applyfile import Section, api_key, variable_names, write_apply_file
from punctual.applyfile.schema import MEMBERS
from punctual.applying.asking import standing_jobs, standing_workflows
from punctual.applying.parallel import each
from punctual.applying.plan import UPDATED
from punctual.client import Punctual
from punctual.models import FieldChange, Job, JobSummary

_HEADERS: Final = "/request/headers/"
_BODY: Final = "/request/body"
_CONTENT_TYPE: Final = "/request/headers/content-type"
_JSON: Final = "application/json"
"""The content type of most bodies, and of every request with `json`; a dry run tells whether it is that of a job."""
_METHOD: Final = "POST"
_BODY_PART: Final = " body"
"""Not the part of a header, whose name has no space. The space is not part of a variable's name."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that the API does not show: the variable to set, and what it is the value of."""

    variable: str
    key: str
    what: str


@dataclass(frozen=True, slots=True)
class Export:
    """The text of the file, the values that it lacks, and the keys of jobs that no file of the set can name."""

    text: str
    missing: tuple[Missing, ...]
    left_out: tuple[str, ...]
    workflows: tuple[str, ...] = ()
    """The keys of the set's workflows, which are not written."""


def export_set(client: Punctual, set_name: str, *, workers: int) -> Export:
    """Read the jobs of a set. Raises RequestError; the key needs the scope `write`, for the dry runs."""
    standing = standing_jobs(client, set_name)
    prefix = api_key(set_name, "")
    named = [job for job in standing if str(job.key).startswith(prefix) and job.key != prefix]
    found = each(lambda job: _read(client, job, set_name), named, workers)
    names = _Variables(variable_names(_hidden_parts(named, found)))
    sections = [
        Section(FileJob(str(job.key).removeprefix(prefix), names.members(job, read)), _comments(read))
        for job, read in zip(named, found, strict=True)
    ]
    kept = {job.key for job in named}
    left_out = tuple(str(job.key) for job in standing if job.key not in kept)
    text = write_apply_file(set_name, sections)
    workflows = tuple(str(each.key) for each in standing_workflows(client, set_name))
    return Export(text, tuple(names.missing), left_out, workflows)


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


def _comments(read: _Read) -> tuple[str, ...]:
    return ("paused",) if read.job.state == "paused" else ()


def _read(client: Punctual, summary: JobSummary, set_name: str) -> _Read:
    job = client.jobs.get(summary)
    shown = {**_present(job.schedule), **_called(job)}
    headers: dict[str, str] = {}
    fields = _differences(client, job, set_name, headers)
    typed = next((pointer for pointer in fields if pointer.lower() == _CONTENT_TYPE), None)
    if typed is not None:
        headers = {typed.removeprefix(_HEADERS): _JSON}
        fields = _differences(client, job, set_name, headers)
    names = [_unescaped(pointer.removeprefix(_HEADERS)) for pointer in fields if pointer.startswith(_HEADERS)]
    members = {**shown, **_own_members(job, fields)}
    return _Read(job, members, headers, tuple(names), has_body=_BODY in fields)


def _called(job: Job) -> dict[str, Any]:
    if job.request is None:
        return {"workflow": job.workflow}
    method = {} if job.request.method == _METHOD else {"method": job.request.method}
    return {"url": job.request.url, **method}


def _differences(
    client: Punctual, job: Job, set_name: str, headers: Mapping[str, str]
) -> dict[str, FieldChange]:
    """What the job has beside its schedule, its URL or workflow, and these headers, by pointer."""
    called: dict[str, Any] = {"workflow": job.workflow}
    if job.request is not None:
        called = {"request": {"url": job.request.url, "method": job.request.method, "headers": headers}}
    answer = client.jobs.put(
        str(job.key), dry_run=True, set=set_name, schedule=_present(job.schedule), **called
    )
    return {field.pointer: field for field in answer.fields} if answer.change == UPDATED else {}


def _own_members(job: Job, fields: Mapping[str, FieldChange]) -> dict[str, Any]:
    """The members that are not those of a job without them."""
    found = {name: fields[f"/{name}"].before for name in MEMBERS if f"/{name}" in fields}
    if any(pointer.startswith("/retry/") for pointer in fields):
        found["retry"] = _present(job.retry)
    return {
        name: _present(value) if isinstance(value, dict) else value
        for name, value in found.items()
        if value is not None
    }


def _present(model: Any) -> dict[str, Any]:
    """The members of an object of the API that are there, as JSON has them."""
    found: dict[str, Any] = msgspec.to_builtins(model)
    return {name: value for name, value in found.items() if value is not None}


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def _hidden_parts(jobs: Iterable[JobSummary], found: Iterable[_Read]) -> Iterator[tuple[str, str]]:
    """The keys of the jobs, each with the parts that the API does not show."""
    for job, read in zip(jobs, found, strict=True):
        yield from ((str(job.key), name) for name in read.hidden)
        if read.has_body:
            yield str(job.key), _BODY_PART


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

    def _name(self, key: str, part: str, what: str) -> dict[str, str]:
        name = self.names[key, part]
        self.missing.append(Missing(name, key, what))
        return {"env": name}
