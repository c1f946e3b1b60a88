"""What the jobs and triggers of a file name: workflows and calendars of jobs, and jobs of triggers.

The file may create these first, so a dry run of what names them has something else in their place."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from punctual.applying.parallel import each
from punctual.applying.plan import (
    CALENDAR,
    CREATED,
    JOB,
    TRIGGER,
    UPDATED,
    WORKFLOW,
    Dangling,
    Deletion,
    Kind,
)
from punctual.applying.wanted import WantedJob
from punctual.client import Punctual
from punctual.models import FieldChange, JobPut
from punctual.problems import NotFoundError

_WORKFLOW: Final = "/workflow"
STAND_IN: Final = {"url": "https://example.com/"}
"""What a job calls in a dry run in place of a workflow that does not exist: the API would refuse the job."""
_OF_A_CALL: Final = (
    _WORKFLOW,
    "/request",
    "/retry",
    "/timeout_seconds",
    "/async_deadline_seconds",
    "/heartbeat_seconds",
)
"""Members that differ because of the stand-in."""
_OF_A_CALENDAR: Final = ("calendar", "when_excluded", "business_day")


@dataclass(frozen=True, slots=True)
class KnownWorkflows:
    """The ids of the workflows that exist, by their keys, and the keys of those that the file creates."""

    ids: Mapping[str, str]
    new: frozenset[str]
    calendars: Mapping[str, str] = field(default_factory=dict)
    """The names of the calendars that the file creates or changes, each with `created` or `updated`."""

    def misses(self, job: WantedJob) -> bool:
        """Whether a job names a workflow that does not exist, and that the file does not create."""
        return job.starts is not None and job.starts not in self.ids and job.starts not in self.new

    def awaits(self, job: WantedJob) -> bool:
        """Whether a job names a workflow that the file creates first."""
        return job.starts in self.new


def known_workflows(
    client: Punctual,
    ids: Mapping[str, str | None],
    jobs: Iterable[WantedJob],
    workers: int,
    *,
    calendars: Mapping[str, str],
) -> KnownWorkflows:
    """Look for the workflows that the file does not have. `ids` has those of the file; None for a new one."""
    others = sorted({job.starts for job in jobs if job.starts is not None and job.starts not in ids})
    found = dict(zip(others, each(lambda key: _id(client, key), others, workers), strict=True))
    return KnownWorkflows(
        {key: known for key, known in {**ids, **found}.items() if known is not None},
        frozenset(key for key, known in ids.items() if known is None),
        calendars,
    )


def _id(client: Punctual, key: str) -> str | None:
    try:
        return client.workflows.get_by_key(key).id
    except NotFoundError:
        return None


def compared(client: Punctual, job: WantedJob, known: KnownWorkflows) -> JobPut:
    """The answer to a dry run of a job. It names the workflow as the file does. Raises PunctualError."""
    if job.calendar is not None and known.calendars.get(job.calendar) == CREATED:
        return _with_calendar(_compared(client, _without_calendar(job), known), job)
    return _compared(client, job, known)


def _compared(client: Punctual, job: WantedJob, known: KnownWorkflows) -> JobPut:
    if not known.awaits(job):
        answer: JobPut = client.jobs.put(job.key, dry_run=True, **job.body_with(known.ids))
        return _renamed(answer, job)
    answer = client.jobs.put(job.key, dry_run=True, **{**job.body, "request": STAND_IN})
    if answer.change == CREATED or answer.job is None:
        return answer
    own = [each for each in answer.fields if not _is_of_a_call(each.pointer)]
    fields = sorted([*own, *_replaced(answer, job)], key=lambda each: each.pointer)
    return msgspec.structs.replace(answer, change=UPDATED, fields=tuple(fields))


def _without_calendar(job: WantedJob) -> WantedJob:
    """The API refuses the name of a calendar that does not exist. Any other one might exclude all runs."""
    schedule = {name: each for name, each in job.body["schedule"].items() if name not in _OF_A_CALENDAR}
    return replace(job, body={**job.body, "schedule": schedule})


def _with_calendar(answer: JobPut, job: WantedJob) -> JobPut:
    if answer.change == CREATED or answer.job is None:
        return answer
    pointers = {f"/schedule/{name}": name for name in _OF_A_CALENDAR}
    fields = [each for each in answer.fields if each.pointer not in pointers]
    for pointer, name in pointers.items():
        before, after = getattr(answer.job.schedule, name), job.body["schedule"].get(name)
        if after is not None and before != after:
            fields.append(FieldChange(pointer=pointer, before=before, after=after, hidden=False))
    fields.sort(key=lambda each: each.pointer)
    return msgspec.structs.replace(answer, change=UPDATED, fields=tuple(fields))


def _renamed(answer: JobPut, job: WantedJob) -> JobPut:
    if job.starts is None:
        return answer
    fields = tuple(
        msgspec.structs.replace(each, after=job.starts) if each.pointer == _WORKFLOW else each
        for each in answer.fields
    )
    return msgspec.structs.replace(answer, fields=fields)


def _is_of_a_call(pointer: str) -> bool:
    return pointer in _OF_A_CALL or pointer.startswith(tuple(f"{each}/" for each in _OF_A_CALL))


def _replaced(answer: JobPut, job: WantedJob) -> Iterable[FieldChange]:
    """What the job calls or starts at present, and what it starts then."""
    assert answer.job is not None
    if (request := answer.job.request) is not None:
        shown: dict[str, Any] = {"method": request.method, "url": request.url}
        yield FieldChange(pointer="/request", before=shown, after=None, hidden=False)
    yield FieldChange(pointer=_WORKFLOW, before=answer.job.workflow, after=job.starts, hidden=False)


def known_jobs(
    client: Punctual, ids: Mapping[str, str | None], triggers: Iterable[WantedJob], workers: int
) -> KnownWorkflows:
    """The same for the jobs that triggers start. `ids` has those of the file; None for a new one."""
    others = sorted({each.starts for each in triggers if each.starts is not None and each.starts not in ids})
    found = dict(zip(others, each(lambda key: _job_id(client, key), others, workers), strict=True))
    return KnownWorkflows(
        {key: known for key, known in {**ids, **found}.items() if known is not None},
        frozenset(key for key, known in ids.items() if known is None),
    )


def _job_id(client: Punctual, key: str) -> str | None:
    try:
        return client.jobs.get_by_key(key).id
    except NotFoundError:
        return None


def pruned(
    wanted: Iterable[WantedJob],
    workflows: KnownWorkflows,
    jobs: KnownWorkflows,
    deletions: Sequence[Deletion],
) -> list[Dangling]:
    """The jobs and triggers of the file that would lose what they name."""
    keys: dict[tuple[Kind, str], str] = {(deletion.kind, deletion.id): deletion.key for deletion in deletions}
    found: list[Dangling] = []
    for one in wanted:
        names: Kind = JOB if one.kind == TRIGGER else WORKFLOW
        known = jobs if one.kind == TRIGGER else workflows
        started = known.ids.get(one.starts) if one.starts else one.body.get(one.starts_member)
        if key := keys.get((names, str(started))):
            found.append(Dangling(one.key, one.starts_line, key, is_pruned=True, kind=one.kind, names=names))
        if key := keys.get((CALENDAR, str(one.calendar))):
            found.append(Dangling(one.key, one.line, key, is_pruned=True, kind=one.kind, names=CALENDAR))
    return found
