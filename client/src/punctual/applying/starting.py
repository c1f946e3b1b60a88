"""The workflows that the jobs of a file name by their keys, and jobs whose workflow does not exist yet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from punctual.applying.parallel import each
from punctual.applying.plan import CREATED, UPDATED, Dangling, Deletion
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


@dataclass(frozen=True, slots=True)
class KnownWorkflows:
    """The ids of the workflows that exist, by their keys, and the keys of those that the file creates."""

    ids: Mapping[str, str]
    new: frozenset[str]

    def misses(self, job: WantedJob) -> bool:
        """Whether a job names a workflow that does not exist, and that the file does not create."""
        return job.starts is not None and job.starts not in self.ids and job.starts not in self.new

    def awaits(self, job: WantedJob) -> bool:
        """Whether a job names a workflow that the file creates first."""
        return job.starts in self.new


def known_workflows(
    client: Punctual, ids: Mapping[str, str | None], jobs: Iterable[WantedJob], workers: int
) -> KnownWorkflows:
    """Look for the workflows that the file does not have. `ids` has those of the file; None for a new one."""
    others = sorted({job.starts for job in jobs if job.starts is not None and job.starts not in ids})
    found = dict(zip(others, each(lambda key: _id(client, key), others, workers), strict=True))
    return KnownWorkflows(
        {key: known for key, known in {**ids, **found}.items() if known is not None},
        frozenset(key for key, known in ids.items() if known is None),
    )


def _id(client: Punctual, key: str) -> str | None:
    try:
        return client.workflows.get_by_key(key).id
    except NotFoundError:
        return None


def compared(client: Punctual, job: WantedJob, known: KnownWorkflows) -> JobPut:
    """The answer to a dry run of a job. It names the workflow as the file does. Raises PunctualError."""
    if not known.awaits(job):
        answer: JobPut = client.jobs.put(job.key, dry_run=True, **job.body_with(known.ids))
        return _renamed(answer, job)
    answer = client.jobs.put(job.key, dry_run=True, **{**job.body, "request": STAND_IN})
    if answer.change == CREATED or answer.job is None:
        return answer
    own = [each for each in answer.fields if not _is_of_a_call(each.pointer)]
    fields = sorted([*own, *_replaced(answer, job)], key=lambda each: each.pointer)
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


def pruned_workflows(
    jobs: Iterable[WantedJob], known: KnownWorkflows, deletions: Sequence[Deletion]
) -> list[Dangling]:
    """The jobs of the file that would lose their workflow."""
    keys = {deletion.id: deletion.key for deletion in deletions}
    found = ((job, known.ids.get(job.starts) if job.starts else job.body.get("workflow")) for job in jobs)
    return [
        Dangling(job.key, job.workflow_line, keys[named], is_pruned=True)
        for job, named in found
        if named in keys
    ]
