"""Carries out a plan: creations and changes first, deletions last."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from typing import Any

from punctual.applying.hiding import without_secrets
from punctual.applying.parallel import each
from punctual.applying.plan import DELETED, JOB, WORKFLOW, Deletion, Kind, Plan, concerns_one_job
from punctual.applying.wanted import WantedJob
from punctual.client import Punctual
from punctual.errors import PunctualError
from punctual.problems import ApiError, NotFoundError

NOT_SENT = "not sent"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one job or workflow: `created`, `updated`, `unchanged`, `deleted`, `failed` or `not sent`."""

    key: str
    change: str
    error: PunctualError | None = None
    kind: Kind = JOB


def carry_out(client: Punctual, plan: Plan, jobs: Sequence[WantedJob], *, workers: int) -> tuple[Done, ...]:
    """Change what the plan names, and return what became of each job. The plan must be possible.

    A job is updated at the revision that was compared with the file, and a job that did not exist is only created: if
    another program has changed or created it since, it keeps that, and a repetition compares anew. A job that the API
    refuses does not keep the others from being sent. Any other error does, such as an answer that never comes. A job
    whose workflow the API refuses is not sent. Nothing is deleted if anything failed, and no workflow if the deletion
    of a job failed. A repetition sends what is left.
    """
    ids = dict(plan.workflows)
    seen = {(change.kind, change.key): change.revision for change in plan.changes}
    stop = Event()

    def put(kind: Kind) -> list[Done]:
        return each(
            lambda job: _attempt(job, lambda: _put(client, job, seen[kind, job.key], ids), stop),
            [job for job in jobs if job.kind == kind and (kind, job.key) in seen],
            workers,
        )

    # A workflow comes before the jobs that start its runs, and goes after them.
    done = put(WORKFLOW)
    for one in done:
        if one.change == FAILED:
            ids.pop(one.key, None)
    done += put(JOB)
    if any(one.change == FAILED for one in done):
        stop.set()

    def delete(kind: Kind) -> list[Done]:
        return each(
            lambda deletion: _attempt(deletion, lambda: _delete(client, deletion), stop),
            [deletion for deletion in plan.deletions if deletion.kind == kind],
            workers,
        )

    deleted = delete(JOB)
    if any(one.change == FAILED for one in deleted):
        stop.set()  # A job that is left may start runs of a workflow.
    return (*done, *deleted, *delete(WORKFLOW))


def _attempt(of: WantedJob | Deletion, act: Callable[[], str], stop: Event) -> Done:
    if stop.is_set():
        return Done(of.key, NOT_SENT, kind=of.kind)
    try:
        return Done(of.key, act(), kind=of.kind)
    except PunctualError as error:
        if not (isinstance(error, ApiError) and concerns_one_job(error)):
            stop.set()
        return Done(of.key, FAILED, error, of.kind)


def _put(client: Punctual, job: WantedJob, revision: int | None, ids: dict[str, str]) -> str:
    """Change a job at the revision that was seen, or create it if none was. Raises PreconditionFailedError if another
    program has changed it since, and AlreadyExistsError if another one has created it, but neither for the job of an
    earlier attempt whose answer was lost. `ids` gets the id of a workflow."""
    if job.starts is not None and job.starts not in ids:
        return NOT_SENT
    group: Any = client.workflows if job.kind == WORKFLOW else client.jobs
    conditions: dict[str, Any] = {"if_none_match": "*"} if revision is None else {"if_match": revision}
    try:
        done = group.put(job.key, **conditions, **job.body_with(ids))
    except PunctualError as error:
        raise without_secrets(error, job) from None
    if job.kind == WORKFLOW:
        ids[job.key] = done.workflow.id
    return str(done.change)


def _delete(client: Punctual, deletion: Deletion) -> str:
    """Delete a job at the revision that was seen. Raises PreconditionFailedError if it was changed since."""
    with suppress(NotFoundError):  # Its record has expired.
        if deletion.kind == WORKFLOW:
            client.workflows.delete(deletion.id, if_match=deletion.revision)
        else:
            client.jobs.cancel(deletion.id, if_match=deletion.revision)
    return DELETED
