"""Carries out a plan: creations and changes first, deletions last."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from typing import Any

from punctual.applying.hiding import without_secrets
from punctual.applying.parallel import each
from punctual.applying.plan import (
    CALENDAR,
    CREATED,
    DELETED,
    IN_ORDER,
    JOB,
    TRIGGER,
    UNCHANGED,
    UPDATED,
    WORKFLOW,
    Deletion,
    Kind,
    Plan,
    concerns_one_job,
)
from punctual.applying.wanted import WantedJob
from punctual.client import Punctual
from punctual.errors import PunctualError
from punctual.problems import ApiError, NotFoundError

NOT_SENT = "not sent"
FAILED = "failed"
Ids = dict[Kind, dict[str, str]]
"""The ids of workflows and jobs, each by their keys."""


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one entry of the file or the set: `created`, `updated`, `unchanged`, `deleted`, `failed` or
    `not sent`."""

    key: str
    change: str
    error: PunctualError | None = None
    kind: Kind = JOB


def carry_out(client: Punctual, plan: Plan, jobs: Sequence[WantedJob], *, workers: int) -> tuple[Done, ...]:
    """Change what the plan names, and return what became of each job. The plan must be possible.

    A job is updated at the revision that was compared with the file, and a job that did not exist is only created: if
    another program has changed or created it since, it keeps that, and a repetition compares anew. A job that the API
    refuses does not keep the others from being sent. Any other error does, such as an answer that never comes. A job
    whose workflow or calendar the API refuses is not sent, and no trigger whose job is not. Nothing is deleted if
    anything failed, and nothing that an entry names whose deletion failed. A repetition sends what is left.
    """
    ids: Ids = {WORKFLOW: dict(plan.workflows), JOB: dict(plan.jobs)}
    missing_calendars: set[str] = set()
    seen = {(change.kind, change.key): change.revision for change in plan.changes}
    stop = Event()

    def sent(job: WantedJob, revision: int | None) -> str:
        return NOT_SENT if job.calendar in missing_calendars else _put(client, job, revision, ids)

    def put(kind: Kind) -> list[Done]:
        return each(
            lambda job: _attempt(job, lambda: sent(job, seen[kind, job.key]), stop),
            [job for job in jobs if job.kind == kind and (kind, job.key) in seen],
            workers,
        )

    done: list[Done] = []
    for kind in IN_ORDER:
        # What is named comes before what names it, and goes after it.
        done += put(kind)
        failed = {one.key for one in done if one.kind == kind and one.change in (FAILED, NOT_SENT)}
        for key in failed:
            ids.get(kind, {}).pop(key, None)
        missing_calendars |= failed if kind == CALENDAR else set()
    if any(one.change == FAILED for one in done):
        stop.set()

    def delete(kind: Kind) -> list[Done]:
        return each(
            lambda deletion: _attempt(deletion, lambda: _delete(client, deletion), stop),
            [deletion for deletion in plan.deletions if deletion.kind == kind],
            workers,
        )

    for kind in reversed(IN_ORDER):
        deleted = delete(kind)
        if any(one.change == FAILED for one in deleted):
            stop.set()  # What is left may name what would be deleted next.
        done += deleted
    return tuple(done)


def _attempt(of: WantedJob | Deletion, act: Callable[[], str], stop: Event) -> Done:
    if stop.is_set():
        return Done(of.key, NOT_SENT, kind=of.kind)
    try:
        return Done(of.key, act(), kind=of.kind)
    except PunctualError as error:
        if not (isinstance(error, ApiError) and concerns_one_job(error)):
            stop.set()
        return Done(of.key, FAILED, error, of.kind)


def _put(client: Punctual, job: WantedJob, revision: int | None, ids: Ids) -> str:
    """Change a job at the revision that was seen, or create it if none was. Raises PreconditionFailedError if another
    program has changed it since, and AlreadyExistsError if another one has created it, but neither for the job of an
    earlier attempt whose answer was lost. `ids` gets the id of a workflow or a job."""
    known = ids[JOB if job.kind == TRIGGER else WORKFLOW]
    if job.starts is not None and job.starts not in known:
        return NOT_SENT
    group = _group(client, job.kind)
    conditions: dict[str, Any] = {"if_none_match": "*"} if revision is None else {"if_match": revision}
    try:
        done = group.put(job.key, **conditions, **job.body_with(known))
    except PunctualError as error:
        raise without_secrets(error, job) from None
    if job.kind in (CALENDAR, TRIGGER):
        kept = UNCHANGED if done.version == revision else UPDATED
        return CREATED if revision is None else kept
    ids[job.kind][job.key] = (done.workflow if job.kind == WORKFLOW else done.job).id
    return str(done.change)


def _group(client: Punctual, kind: Kind) -> Any:
    return {
        JOB: client.jobs,
        WORKFLOW: client.workflows,
        CALENDAR: client.calendars,
        TRIGGER: client.triggers,
    }[kind]


def _delete(client: Punctual, deletion: Deletion) -> str:
    """Delete a job at the revision that was seen. Raises PreconditionFailedError if it was changed since."""
    with suppress(NotFoundError):  # Its record has expired.
        group = _group(client, deletion.kind)
        act = group.cancel if deletion.kind == JOB else group.delete
        act(deletion.id, if_match=deletion.revision)
    return DELETED
